"""Which test runner a shell command runs, and what a test run's output says of how it ended. All pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from wellworn.lifecycle.shell.parse import Command, parse_line

_WORTH_A_LOOK = re.compile(
    r"test|spec|tox|nox|jest|mocha|\bava\b|check|verify|cypress|playwright|phpunit|pest|karma|jasmine|\btap\b|nextest"
    r"|\bt\b|trial|behave|robot|bats|prove|rake|cucumber|detox|tape",
    re.I,
)


def _named(text: str) -> dict[str, str]:
    return {name: name for name in text.split()}


_ALWAYS = _named(
    "pytest tox nox jest vitest mocha ava rspec phpunit ctest karma jasmine bats prove behave cucumber"
    " nosetests ginkgo"
    " gotestsum pest stestr trial minitest"
) | {"py.test": "pytest"}
_BY_SUBCOMMAND = {
    "go": {"test"},
    "cargo": {"test", "nextest", "t"},
    "dotnet": {"test", "vstest"},
    "swift": {"test"},
    "bazel": {"test", "coverage"},
    "bazelisk": {"test"},
    "buck2": {"test"},
    "deno": {"test"},
    "mix": {"test"},
    "sbt": {"test", "testOnly", "testQuick"},
    "flutter": {"test"},
    "dart": {"test"},
    "zig": {"test"},
    "stack": {"test"},
    "cabal": {"test"},
    "lein": {"test"},
    "rails": {"test", "spec"},
    "node": {"--test"},
    "hatch": {"test"},
    "pants": {"test"},
    "nx": {"test", "e2e"},
    "turbo": {"test"},
    "playwright": {"test"},
    "cypress": {"run"},
    "ng": {"test", "e2e"},
    "react-scripts": {"test"},
    "vue-cli-service": {"test:unit", "test:e2e"},
    "artisan": {"test"},
    "manage.py": {"test"},
    "xcodebuild": {"test"},
    "meson": {"test"},
    "ninja": {"test", "check"},
    "detox": {"test"},
    "forge": {"test"},
    "hardhat": {"test"},
    "anchor": {"test"},
    "melos": {"test"},
}
"""Programs that do much else too, and the words with which they test."""
_MAVEN = {"test", "verify", "integration-test", "surefire:test", "failsafe:integration-test"}
_TASK = re.compile(r"(?:[\w.-]*[:_-])?(?:tests?|spec|check)(?:[:_-][\w:.-]*)?", re.I)
"""A target or script whose name says that it tests: `test`, `test:unit`, `unit-tests`, `check`."""
_SCRIPT = re.compile(r"(?:[\w.-]*[:_-])?(?:tests?|t|spec|e2e|vitest|jest|pytest)(?:[:_-][\w:.-]*)?", re.I)
_TYPES = re.compile(r"type|lint|format|fmt|deps|license|audit|spell|style|security|size|links|update", re.I)
"""`check:types` and the like look at code without running it."""
_FILE = re.compile(
    r"(?:.*/)?(?:run[_-]?)?tests?(?:[_-](?:all|unit|e2e|integration))?\.(?:sh|py|bash|js|ts|rb|pl)"
    r"|(?:.*/)?test_\w+\.py"
)
_MODULES = {
    "pytest": "pytest",
    "unittest": "unittest",
    "nose2": "nose2",
    "tox": "tox",
    "nox": "nox",
    "doctest": "doctest",
}
_PACKAGE_MANAGERS = {"npm", "pnpm", "yarn", "bun"}
_WITHOUT_RUNNING = {"--version", "-V", "--help", "-h", "--collect-only", "--co", "--list", "--listTests", "--markers"}
_TAIL = 2500
_SUMMARY = 200
"""Where most runners say how it went, so looked at first."""


@lru_cache(maxsize=16_384)
def test_runner(command: str) -> str | None:
    """Return the name of the first test runner that a shell line runs ("pytest", "npm test"), or None.

    `npm run test` is `npm test`; a script keeps its name (`npm run test:unit`), a target too (`make check`).
    """
    if not _WORTH_A_LOOK.search(command):
        return None
    for found in parse_line(command).commands:
        if (name := _runner(found)) is not None:
            return name
    return None


def _runner(command: Command) -> str | None:
    words = command.values
    if _WITHOUT_RUNNING.intersection(words):
        return None
    if command.program in _ALWAYS:
        return _ALWAYS[command.program]
    special = _SPECIAL.get(command.program.rstrip("0123456789."))
    if special is not None:
        return special(command.program, words)
    plain = _plain(words)
    wanted = _BY_SUBCOMMAND.get(command.program, frozenset[str]())
    if plain and plain[0] in wanted:
        return f"{command.program} {'test' if plain[0] == 't' else plain[0]}"
    name = command.name or command.program
    return command.program if _FILE.fullmatch(name) and "/" in name else None


def _plain(words: tuple[str, ...]) -> list[str]:
    return [word for word in words if not word.startswith(("-", "+")) or word == "--test"]


def _python(program: str, words: tuple[str, ...]) -> str | None:
    if "-m" in words:
        module = words[words.index("-m") + 1 : words.index("-m") + 2]
        return _MODULES.get(module[0]) if module else None
    plain = _plain(words)
    if plain and plain[0].endswith("manage.py"):
        return "manage.py test" if plain[1:2] == ["test"] else None
    return f"python {plain[0]}" if plain and _FILE.fullmatch(plain[0]) else None


def _package_manager(program: str, words: tuple[str, ...]) -> str | None:
    plain = _package_words(words)
    if not plain:
        return None
    if plain[0] in {"run", "run-script", "exec", "x", "dlx"}:
        plain = plain[1:]
    if not plain:
        return None
    script = plain[0]
    if script in {"t", "tst", "test"}:
        return f"{program} test"
    if script in _ALWAYS:
        return _ALWAYS[script]
    if script in {"playwright", "cypress"}:
        return f"{script} {plain[1]}" if plain[1:2] and plain[1] in _BY_SUBCOMMAND[script] else None
    return f"{program} run {script}" if _SCRIPT.fullmatch(script) and not _TYPES.search(script) else None


def _package_words(words: tuple[str, ...]) -> list[str]:
    """Return the words without options: `-C dir`, `--filter x`, `-w x`, `--prefix x` take the next one."""
    plain: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in {"-C", "--cwd", "--prefix", "--filter", "-F", "-w", "--workspace", "--dir"}:
            skip = not plain
        elif word == "--":
            break
        elif not word.startswith("-"):
            plain.append(word)
    return (
        plain[1:]
        if plain[:1] == ["workspace"] and len(plain) < 3
        else plain[2:]
        if plain[:1] == ["workspace"]
        else plain
    )


def _maven(program: str, words: tuple[str, ...]) -> str | None:
    if any(word.startswith(("-DskipTests", "-Dmaven.test.skip")) for word in words):
        return None
    found = [word for word in _plain(words) if word in _MAVEN]
    return f"mvn {found[0]}" if found else None


def _gradle(program: str, words: tuple[str, ...]) -> str | None:
    for word in _plain(words):
        task = word.rsplit(":", 1)[-1]
        if re.fullmatch(r"check|\w*[tT]est\w*", task) and "-x" not in words:
            return f"gradle {task}"
    return None


def _target(program: str, words: tuple[str, ...]) -> str | None:
    skip = False
    for word in words:
        if skip or word.startswith("-") or "=" in word:
            skip = word in {"-C", "-f", "--directory", "--file", "-j", "--justfile"} and not skip
        elif _TASK.fullmatch(word) and not _TYPES.search(word):
            return f"{program} {word}"
    return None


_SPECIAL: Mapping[str, Callable[[str, tuple[str, ...]], str | None]] = (
    dict.fromkeys(("python", "pypy"), _python)
    | dict.fromkeys(_PACKAGE_MANAGERS, _package_manager)
    | dict.fromkeys(("mvn", "mvnw", "mvnd"), _maven)
    | dict.fromkeys(("gradle", "gradlew"), _gradle)
    | dict.fromkeys(("make", "gmake", "just", "task", "rake", "invoke", "inv", "mise", "poe"), _target)
)
_FAILED = re.compile(
    r"\b[1-9]\d* (?:tests? |specs? |suites? )?(?:failed|failing|failures?|errors?|errored)\b"
    r"|\b(?:failures|errors|failed)[:=] ?[1-9]|^(?:--- )?FAIL(?:ED|URE)?\b|\bBUILD (?:FAILURE|FAILED)\b"
    r"|test result: FAILED|^npm (?:ERR!|error) |ELIFECYCLE|^make(?:\[\d+\])?: \*\*\* |no tests ran"
    r"|error: could not compile|Test(?:s| run| Run) (?:failed|FAILED)",
    re.M,
)
_FAILING = re.compile(r"[Ff][Aa][Ii][Ll]|[Ee]rr|ERR|ELIF|\*\*\*|no tests ran")
"""Without one of these nothing failed; a faster look."""
_PASSED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:passed|passing|passes|examples?, 0 failures)\b|^ok\s+\S|^OK\b|^PASS\b|BUILD SUCCESS"
    r"|test result: ok|\ball tests passed\b|^Passed!|\b0 failed",
    re.M | re.I,
)
_BROKEN = re.compile(r"^ERROR: |^E   |Traceback \(most recent call last\)|command not found|: No such file", re.M)
"""Said by what was tested, too; believed only when nothing says that all passed."""


def test_outcome(output: str) -> bool | None:
    """Return whether the end of a test run's output says that all passed; None when it does not say."""
    tail = output[-_TAIL:]
    if _FAILING.search(tail) and _FAILED.search(tail):
        return False
    if _PASSED.search(tail, max(0, len(tail) - _SUMMARY)) or _PASSED.search(tail):
        return True
    return False if _BROKEN.search(tail) else None
