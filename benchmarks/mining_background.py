"""Everyday work without any ritual: what the planted patterns of the benchmark of the miner are hidden in.

A walk of first order over kinds of activity (a change is followed by a test, `git add` by `git commit`), with a few
commands that are very frequent and many that are rare, asked for in varied words.
"""

# ruff: noqa: E501  lists are easier to read by the line
from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wellworn.models.trace import TraceKind

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it has an id, a time and the shape of a client.

    label: the pattern or decoy that it belongs to. core: one of the events that show the pattern.
    """

    kind: TraceKind
    text: str
    ok: bool | None = None
    code: int | None = None
    command: str | None = None
    file: str | None = None
    tags: tuple[str, ...] = ()
    risk: str | None = None
    label: str | None = None
    core: bool = False


@dataclass(frozen=True, slots=True)
class Ecosystem:
    """What is tested, installed and built how."""

    name: str
    tests: tuple[str, ...]
    installs: tuple[str, ...]
    builds: tuple[str, ...]
    checks: tuple[str, ...]
    folders: tuple[str, ...]
    ending: str


ECOSYSTEMS = (
    Ecosystem(
        "web", ("npm test", "npm test -- {word}", "npx jest {path}", "npm run test:unit"),
        ("npm install", "npm ci", "npm install {package}"), ("npm run build", "npx vite build", "npm run dev"),
        ("npm run lint", "npm run typecheck", "npx eslint {path}"), ("src", "src/components", "src/pages", "lib"), "ts",
    ),
    Ecosystem(
        "python", ("pytest", "pytest -q {path}", "python -m pytest -x", "pytest -k {word}"),
        ("pip install -r requirements.txt", "pip install -e .", "pip install {package}"),
        ("python -m build", "make build", "python setup.py sdist"), ("ruff check .", "mypy .", "black {path}"),
        ("app", "app/models", "tests", "scripts"), "py",
    ),
    Ecosystem(
        "go", ("go test ./...", "go test ./{word}/...", "go test -run Test{word} ./..."),
        ("go get github.com/acme/{package}", "go mod download"), ("go build ./...", "make", "go run ./cmd/{word}"),
        ("go vet ./...", "gofmt -w {path}"), ("internal", "cmd", "pkg/api"), "go",
    ),
    Ecosystem(
        "rust", ("cargo test", "cargo test {word}", "cargo test -p {word}"), ("cargo add {package}", "cargo update"),
        ("cargo build", "cargo build --release", "cargo run"), ("cargo check", "cargo fmt"),
        ("src", "crates/core/src", "crates/cli/src"), "rs",
    ),
)  # fmt: skip
LOOKS = (
    "git status", "git diff", "ls", "cat {path}", "git log --oneline -n {n}", 'grep -rn "{word}" {folder}', "ls -la {folder}",
    "rg {word} {folder}", "git diff --stat", "sed -n '1,{n}p' {path}", "head -{n} {path}", "find . -name '*{word}*'", "pwd",
    "git branch", "tail -{n} {path}", "git show HEAD", "wc -l {path}", "tree -L 2 {folder}", "git log -p {path}", "which {word}",
    "git blame {path}", "cat README.md", "git stash list", "grep {word} {path} | head", "ls {folder} | wc -l",
    "find {folder} -type f | xargs grep {word}", "du -sh {folder}", "ps aux | grep {word}", "env | sort", "date",
)  # fmt: skip
TOOLS = (
    "docker ps", "docker compose up -d", "curl -s http://localhost:{port}/{word}", "kubectl get pods", "docker compose logs {word}",
    "python scripts/{word}.py", "gh pr view {n}", "kubectl logs deploy/{word}", "make {word}", "gh pr checks", "docker compose down",
    "psql -c 'select count(*) from {word}'", "mkdir -p {folder}/{word}", "gh issue view {n}", "rm {path}", "node scripts/{word}.js",
    "mv {path} {folder}/{word}.bak", "docker exec -it {word} sh", "redis-cli keys '{word}*'", "cp {path} /tmp/", "gh run watch",
    "sqlite3 dev.db '.tables'", "kubectl get svc", "jq .{word} {folder}/data.json", "ssh {word}.internal uptime",
    "docker build -t {word} .", "chmod +x {folder}/{word}.sh", "./{folder}/{word}.sh", "tar czf {word}.tgz {folder}",
    "kubectl exec deploy/{word} -- env", "python -c 'import {word}'", "npx {package} --help", "docker logs {word}", "gh run list",
    "openssl rand -hex 8", "scp {path} {word}.internal:/tmp/", "crontab -l", "systemctl status {word}", "brew install {package}",
    "touch {path}", "unzip {word}.zip", "convert {word}.png {word}.jpg", "ffmpeg -i {word}.mp4 {word}.gif", "code {path}",
    "bash {folder}/{word}.sh --dry-run", "python -m http.server {port}", "terraform version", "aws s3 ls", "helm list",
    "dig {word}.example.com", "ping -c 1 {word}.internal", "kubectl config get-contexts", "go version", "node --version",
)  # fmt: skip
GIT = (
    "git pull", "git checkout {branch}", "git pull --rebase", "git checkout -b {branch}", "git fetch", "git stash", "git stash pop",
    "git rebase origin/main", "git checkout -- {path}", "git reset HEAD~1", "git merge main", "git cherry-pick {sha}", "git restore {path}",
)  # fmt: skip
ADDS = ("git add -A", "git add {path}", "git add .", "git add -p")
COMMITS = ('git commit -m "{message}"', "git commit -m '{message}'", 'git commit -am "{message}"', "git commit")
PUSHES = ("git push", "git push", "git push origin {branch}", "git push -u origin {branch}")
FOLLOW: Mapping[str, Mapping[str, float]] = {
    "start": {"look": 5, "git": 1.2, "edit": 2, "test": 1, "tool": 1.5, "install": 0.4, "build": 0.4},
    "look": {"look": 4, "edit": 3.2, "test": 0.7, "tool": 1.2, "add": 0.5, "git": 0.3, "build": 0.25, "check": 0.3, "install": 0.2},
    "edit": {"test": 3, "edit": 2.2, "look": 2, "check": 0.7, "tool": 0.7, "add": 0.6, "build": 0.6},
    "test": {"edit": 2, "look": 2, "add": 1.6, "tool": 0.5, "check": 0.4, "test": 0.5},
    "failed": {"edit": 4.5, "look": 3, "test": 0.4, "tool": 0.5, "install": 0.2, "git": 0.1},
    "check": {"edit": 1.5, "look": 1.5, "test": 1, "add": 1, "check": 0.4},
    "add": {"commit": 7, "look": 1.4},
    "commit": {"push": 3, "look": 3, "edit": 2, "git": 0.6, "tool": 0.5},
    "push": {"look": 3, "tool": 1.2, "git": 1, "edit": 1},
    "git": {"look": 3, "edit": 1.5, "tool": 0.7, "install": 0.5, "test": 0.5, "git": 0.5},
    "install": {"test": 1.2, "edit": 1, "look": 1.5, "build": 0.7, "tool": 0.5},
    "build": {"tool": 1.2, "look": 1.5, "edit": 1.5, "test": 0.6},
    "tool": {"look": 3, "tool": 2.2, "edit": 1.8, "test": 0.4, "build": 0.2, "git": 0.2},
}  # fmt: skip
"""From a kind of activity to the next; `failed` is a test that failed."""
_FAILING = {
    "test": 0.35,
    "build": 0.2,
    "check": 0.25,
    "tool": 0.1,
    "install": 0.06,
    "git": 0.05,
    "push": 0.07,
    "look": 0.02,
}
_ZIPF = 1.05

WORDS = (
    "auth", "billing", "search", "upload", "session", "cache", "export", "invoice", "webhook", "profile", "report",
    "login", "cart", "payment", "parser", "router", "worker", "queue", "metrics", "settings", "dashboard", "import",
    "signup", "calendar", "editor", "filter", "graph", "notifier", "scheduler", "tenant", "theme", "token", "tooltip",
    "tracker", "audit", "avatar", "banner", "checkout", "client", "config", "cursor", "digest", "discount", "draft",
    "email", "feed", "form", "gateway", "header", "image", "index", "inbox", "job", "ledger", "limiter", "loader",
    "locale", "mailer", "menu", "migration", "modal", "order", "pager", "permission", "player", "plugin", "pricing",
    "proxy", "quota", "reader", "renderer", "retry", "review", "role", "schema", "sidebar", "socket", "store",
    "stream", "sync", "table", "tag", "template", "timer", "topic", "upload", "validator", "wallet",
)  # fmt: skip
PACKAGES = (
    "zod", "lodash", "dayjs", "axios", "httpx", "rich", "pydantic", "tenacity", "serde", "tokio", "anyhow", "clap",
    "chi", "cobra", "zap", "viper", "swr", "zustand", "vite", "sharp", "boto3", "structlog", "polars", "orjson",
    "uvloop", "attrs", "click", "typer", "pillow", "numpy", "pandas", "redis", "celery", "rayon", "itertools",
    "regex", "uuid", "nanoid", "immer",
)  # fmt: skip
_VERBS = (
    "fix",
    "rework",
    "simplify",
    "speed up",
    "clean up",
    "extend",
    "document",
    "split",
    "rename",
    "look into",
    "debug",
)
_WHERE = (
    "in the {word} module", "for the {word} page", "of the {word} service", "when {word} is empty", "in {path}", "", "", "on mobile",
    "for new users", "after a reload", "in the {word} job", "since yesterday", "with big files",
)  # fmt: skip
ASKED = (
    "{verb} the {word} handling {where}", "why does the {word} {thing} {where}?", "can you {verb} {path}", "add a {word} option {where}",
    "what does {path} do?", "the {word} {thing} {where}, have a look", "write a test for {word} {where}", "how is {word} wired to {word2}?",
    "I want {word} to work like {word2}", "move {word} into {folder}", "make the {word} text {where} clearer", "{word} is slow {where}",
    "users say that {word} {thing}", "remove the old {word} code {where}", "explain the {word} flow {where}", "bug: {word} {thing} {where}",
    "let's {verb} {word} and {word2}", "is {word} still used?", "we need a {word} endpoint {where}", "log more {where} when {word} {thing}",
    "please {verb} this: {word} {thing}", "next: {verb} {word}", "can {word} be null {where}?", "the {word2} team needs {word} {where}",
    "type errors in {path}", "review my changes to {word}", "find out who calls {word}", "idea: use {package} for {word}, try it",
    "{word} and {word2} share code, factor it out", "prepare a demo of {word}", "ticket {n}: {word} {thing} {where}",
    "continue with {word} from yesterday", "what is left to do for {word}?", "undo the {word} change {where}", "todo list for {word} please",
)  # fmt: skip
_THINGS = (
    "crashes", "hangs", "returns 500", "shows the wrong number", "is missing", "flickers", "times out", "loses data", "looks odd",
    "ignores the filter", "is called twice", "fails silently", "leaks memory", "is out of date", "double-counts", "has no test",
)  # fmt: skip
FOLLOW_UPS = (
    "ok", "continue", "thanks", "go on", "yes", "yes please", "looks good", "great, thanks!", "hm", "and now?", "try again", "perfect",
    "sounds good, do it", "next", "wait", "what changed?", "show me", "ok go ahead", "still broken", "same error", "works now", "y", "cool",
    "nice", "why?", "done?", "hmm not sure, {word}?", "ok but what about {word}", "keep {word} as it is", "good. also {verb} {word2}",
    "no", "no, the other one", "not that file, {path}", "no that's wrong", "not what I meant, the {word} one", "wrong {word}", "no, {word2}",
)  # fmt: skip
_ADVICE = (
    "consider extracting {word}", "ok to proceed", "prefer a smaller change in {word}", "warning: {path} is long", "no objection",
    "{word} and {word2} look coupled", "add a test for {word}", "warning: {package} is unmaintained", "the plan for {word} is sound",
    "question the need for {word2}", "warning: TODO left in {path}", "naming of {word} is unclear", "warning: unused import in {path}",
    "performance of {word} may suffer", "split the change of {word}", "ask before touching {word}", "risky: {word} has no owner",
    "looks fine", "check {word} on Windows", "warning: public API of {word} changed", "{word2} duplicates {word}", "keep {word} simple",
)  # fmt: skip
_REVIEWS = (
    "self review: fine", "review: approved", "ci: all checks passed", "review: approved with {n} nits", "codex review: no concerns",
    "review of {word}: looks good", "peer review: {word} approved",
)  # fmt: skip
_GATES = ("approve git_push", "approve install", "approve delete", "approve network", "approve external_change")
_MESSAGES = (
    "{verb} {word}", "{word}: {verb} {word2}", "wip", "fix {word}", "add {word} to {word2}", "typo", "more tests for {word}", "tidy {word}",
    "{word} no longer {thing}", "update {package}",
)  # fmt: skip


class Speaker:
    """Fills templates with the nouns of one repository's work."""

    def __init__(self, chance: random.Random, ecosystem: Ecosystem) -> None:
        self.chance, self.ecosystem = chance, ecosystem
        self._own = chance.sample(WORDS, 30)

    def fill(self, text: str) -> str:
        """Return `text` with a fresh value for each slot."""
        while _SLOT.search(text):
            text = _SLOT.sub(lambda found: self.value(found[1]), text)
        return re.sub(r"  +", " ", text).replace(" ,", ",").replace(" ?", "?").strip()

    def value(self, name: str) -> str:
        """Return a value for a slot; it may hold slots again."""
        pick = self.chance.choice
        number = str(self.chance.choice((5, 10, 20, 30, 40, 50, 80, 100, 120)) + self.chance.randrange(3) * 7)
        of: dict[str, Any] = {
            "word": lambda: pick(self._own), "word2": lambda: pick(WORDS), "package": lambda: pick(PACKAGES),
            "path": lambda: f"{pick(self.ecosystem.folders)}/{pick(self._own)}.{self.ecosystem.ending}",
            "folder": lambda: pick(self.ecosystem.folders), "n": lambda: number, "verb": lambda: pick(_VERBS),
            "where": lambda: pick(_WHERE), "thing": lambda: pick(_THINGS), "message": lambda: pick(_MESSAGES),
            "branch": lambda: f"{pick(('feat', 'fix', 'chore'))}/{pick(self._own)}-{self.chance.randrange(1, 400)}",
            "sha": lambda: f"{self.chance.getrandbits(28):07x}", "port": lambda: pick(("3000", "5173", "8000", "8080", "9000")),
        }  # fmt: skip
        return str(of[name]())

    def typed(self, text: str) -> str:
        """Return `text` as people type it: now and then with a slip, or without capitals."""
        if len(text) > 12 and self.chance.random() < 0.08:
            at = self.chance.randrange(1, len(text) - 2)
            text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        return text.lower() if self.chance.random() < 0.15 else text


def zipf(chance: random.Random, choices: Sequence[str]) -> str:
    """Draw one, the first the most often."""
    return chance.choices(choices, [1 / (rank + 1) ** _ZIPF for rank in range(len(choices))])[0]


class Background:
    """An endless supply of everyday work in one repository."""

    def __init__(self, speaker: Speaker) -> None:
        self.say, self.chance, self.ecosystem = speaker, speaker.chance, speaker.ecosystem

    def episode(self) -> list[Draft]:
        """Return one request and the work that follows it."""
        made = [intent(self.say.typed(self.say.fill(self.chance.choice(ASKED))))]
        state = "start"
        for _ in range(self.chance.randint(5, 26)):
            if self.chance.random() < 0.05:
                made.append(intent(self.say.fill(self.chance.choice(FOLLOW_UPS))))
            made.extend(self._aside())
            weights = FOLLOW[state]
            state = self.chance.choices(list(weights), list(weights.values()))[0]
            drafts = list(self.act(state))
            made.extend(drafts)
            if state == "test" and drafts[-1].ok is False:
                state = "failed"
        return made

    def _aside(self) -> Iterator[Draft]:
        luck = self.chance.random()
        if luck < 0.012:
            text, ok = self.say.fill(self.chance.choice(_ADVICE)), self.chance.random() < 0.8
            risk = self.chance.choice(("low", "medium", None))
            yield Draft(TraceKind.advisor_decision, text, ok, tags=("advisor",), risk=risk)
        elif luck < 0.018:
            yield Draft(TraceKind.review_result, self.say.fill(self.chance.choice(_REVIEWS)), True)
        elif luck < 0.026:
            yield Draft(TraceKind.approval_gate, self.chance.choice(_GATES), self.chance.random() < 0.93)

    def act(self, state: str) -> Iterator[Draft]:
        """Yield what one activity leaves behind."""
        if state == "edit":
            yield edit(self.say.fill("{path}"), self.chance)
            return
        of = {"look": LOOKS, "tool": TOOLS, "git": GIT, "add": ADDS, "commit": COMMITS, "push": PUSHES}
        eco = {"test": "tests", "install": "installs", "build": "builds", "check": "checks"}
        choices = of[state] if state in of else getattr(self.ecosystem, eco[state])
        ok = self.chance.random() >= _FAILING.get(state, 0.01)
        command = self.say.fill(zipf(self.chance, choices))
        if state == "test" and self.chance.random() < 0.6:
            yield tested(command, ok, self.chance)
        else:
            yield ran(command, ok, self.chance)


def intent(text: str, **more: Any) -> Draft:
    """What the user said."""
    return Draft(TraceKind.user_intent, text, **more)


def edit(path: str, chance: random.Random, **more: Any) -> Draft:
    """A changed file."""
    added, removed = chance.randint(1, 60), chance.randint(0, 30)
    texts = (f"edited {path} (+{added} -{removed})", f"{path}: +{added} -{removed}", f"Edit {path}")
    return Draft(TraceKind.file_diff, chance.choice(texts), True, file=path, **more)


def ran(command: str, ok: bool, chance: random.Random, **more: Any) -> Draft:
    """A command that was run."""
    code = 0 if ok else chance.choice((1, 1, 1, 2, 127, 128))
    return Draft(TraceKind.command_run, command, ok, code, command, **more)


def tested(command: str, ok: bool, chance: random.Random, **more: Any) -> Draft:
    """A test run, told as a result."""
    words = command.split()
    runner = " ".join(words[:2]) if words[0] in {"npm", "go", "cargo", "npx"} else words[0]
    passed, failed = chance.randint(20, 300), 0 if ok else chance.randint(1, 9)
    text = f"{runner}: {failed} failed, {passed} passed" if failed else f"{runner}: {passed} passed"
    told = command if chance.random() < 0.6 else None
    return Draft(TraceKind.test_result, text, ok, 0 if ok else 1, told, **more)
