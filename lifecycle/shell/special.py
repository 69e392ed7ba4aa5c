"""What one command does: the tables, and beyond them what its options, paths and surroundings say. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from wellworn.lifecycle.shell.effects import (
    ACTION_REASONS,
    DRY_RUN,
    EFFECTS,
    HARMLESS_LOADED,
    HARMLESS_VALUE,
    LOADERS,
    RISKY_NAME,
    SAFE_TASK,
    TASK_RUNNERS,
)
from wellworn.lifecycle.shell.identity import Identity, identify, same_program
from wellworn.lifecycle.shell.noise import ASKING, VIEWERS
from wellworn.lifecycle.shell.parse import Command
from wellworn.lifecycle.shell.paths import is_credential, is_device, is_local_address, is_startup, is_system
from wellworn.lifecycle.shell.programs import CLOUD_READS, INTERPRETERS
from wellworn.lifecycle.shell.unwrap import reads_script
from wellworn.lifecycle.shell.words import unquote, words_of
from wellworn.lifecycle.shell.wrappers import SHELLS


@dataclass(frozen=True, slots=True)
class Effect:
    """klass: a `CommandClass`; see `Classified`."""

    klass: str
    actions: tuple[str, ...]
    gated: bool
    reason: str


def _effect(klass: str, action: str = "", *, gated: bool | None = None, what: str = "") -> Effect:
    if gated is None:
        gated = klass not in {"local_read", "local_write"}
    reason = ACTION_REASONS.get(action, "") or klass.replace("_", " ")
    return Effect(klass, (action,) if action else (), gated, f"{what} {reason}".strip())


_ORDER = ("local_read", "local_write", "unknown", "external_change", "credential", "destructive")


def _worse(one: Effect, other: Effect | None) -> Effect:
    if other is None:
        return one
    first, second = sorted((one, other), key=lambda effect: (effect.gated, _ORDER.index(effect.klass)), reverse=True)
    return Effect(first.klass, tuple(dict.fromkeys(first.actions + second.actions)), first.gated, first.reason)


def effect_of(command: Command) -> Effect:
    """Return what one command does."""
    if not command.program:
        return Effect("unknown", (), True, "what it runs is known only as it runs")
    identity = identify(command)
    found = _SPECIAL.get(identity.program, _by_table)(command, identity)
    for check in (_redirections, _sensitive_words, _surroundings):
        found = _worse(found, check(command, identity))
    return found


def _by_table(command: Command, identity: Identity) -> Effect:
    program, key = identity.program, identity.key
    if identity.values and all(value in ASKING for value in identity.values):
        return _effect("local_read")
    if _is_dry(identity):
        return _effect("local_read")
    if key.partition(" ")[0] in TASK_RUNNERS or key.startswith(_TASK_LEADS):
        task = _task(identity)
        if task is not None:
            return task
    words = key.split(" ")
    for size in range(len(words), 0, -1):
        known = EFFECTS.get(" ".join(words[:size]))
        if known is not None:
            return _effect(known[0], known[1], what=" ".join(words[:size]))
    if program in VIEWERS and program not in {"env", "exec", "builtin", "command", "tmux", "screen", "xargs"}:
        return _effect("local_read")
    if runs_local_file(command):
        return _script(identity.key)
    if program.startswith("mkfs"):
        return _effect("destructive", "delete", what=program)
    return Effect("unknown", (), True, f"{program} is not known")


def _is_dry(identity: Identity) -> bool:
    """Whether a program that knows `--dry-run` is told to change nothing."""
    if identity.program.partition(" ")[0] not in DRY_RUN:
        return False
    dry = False
    for value in identity.values:
        option, _, given = value.partition("=")
        if value == "--":
            break
        if option in {"--dry-run", "--dryrun"}:
            dry = given not in {"false", "none", "0", "no"}
        elif option in {"--no-dry-run"}:
            return False
    short = identity.key.startswith(("git push", "git clean", "make", "rsync")) and "--dry-run" in identity.key.split()
    return dry or (short and "--dry-run" not in " ".join(identity.values))


_TASK_LEADS = ("npm run ", "yarn run ", "pnpm run ", "bun run ", "deno task ", "rake ", "composer run ", "bundle exec ")
_PARTS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


def _name_parts(text: str) -> set[str]:
    return {part.lower() for part in _PARTS.split(text) if part}


def _risk_in(text: str) -> str | None:
    """Return the action that a task's or a script's name speaks of."""
    risky = _name_parts(text) & RISKY_NAME
    if not risky:
        return None
    if risky & {"publish", "release", "upload", "unpublish", "sign", "notarize", "announce"}:
        return "publish"
    if risky & {"delete", "destroy", "drop", "purge", "wipe", "remove", "nuke", "reset", "teardown"}:
        return "delete"
    return "git_push" if risky == {"push"} else "deploy"


def _script(name: str) -> Effect:
    """A script of the repository; only its name is known."""
    action = _risk_in(name.replace("cleanup", ""))
    if action:
        return _effect("destructive" if action == "delete" else "external_change", action, what=name)
    return _effect("unknown", "local_code", gated=False, what=name)


def _task(identity: Identity) -> Effect | None:
    """A task that the repository defines."""
    words = identity.key.split(" ")
    if identity.program in {"nx", "turbo", "mise"} and words[1:2] != ["run"] and identity.program != "turbo":
        return None
    if words[0] in {"hatch", "pdm", "rye", "pipenv", "devbox", "mise"} and words[1:2] != ["run"]:
        return None
    tasks = [word for word in words[1:] if word not in {"run", "task", "exec"} and not word.startswith("-")]
    tasks += [value for value in identity.rest if "=" not in value and not value.startswith("-")][:3]
    for task in tasks:
        action = _risk_in(task.replace("cleanup", "").replace("clean", ""))
        if action:
            return _effect("destructive" if action == "delete" else "external_change", action, what=identity.key)
    if any("$" in word for word in tasks):
        return Effect("unknown", (), True, "which task it runs is known only as it runs")
    if all(_name_parts(task) & SAFE_TASK for task in tasks):
        return _effect("local_write")
    return _effect("unknown", "local_code", gated=False, what=identity.key)


# Programs whose options decide


def _git(command: Command, identity: Identity) -> Effect:
    values = identity.values
    for at, value in enumerate(values):
        setting = values[at + 1] if value == "-c" and at + 1 < len(values) else value.removeprefix("--config-env=")
        if value in {"-c"} and _RUNS_BY_SETTING.match(setting):
            return Effect("unknown", ("inline_code",), True, f"git -c {setting.partition('=')[0]} may run anything")
        if value.startswith(("--upload-pack", "--receive-pack", "--exec=", "-O", "--open-files", "--ext-diff")):
            return Effect("unknown", ("inline_code",), True, f"git {value} may run anything")
        if value.startswith("ext::"):
            return Effect("unknown", ("inline_code",), True, "git ext:: runs a program")
    words = identity.key.split(" ")
    lead = " ".join(words[:2])
    if _is_dry(identity):
        return _effect("local_read")
    if lead == "git push":
        return _push(identity)
    given = [value for value in identity.rest if not value.startswith("-")]
    return _GIT.get(lead, _by_table)(command, identity) if given or identity.rest else _by_table(command, identity)


_RUNS_BY_SETTING = re.compile(
    r"alias\.|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy)|diff\.|merge\.|filter\.|pager\."
    r"|sequence\.|credential\.|gpg\.|protocol\.|remote\.|uploadpack|receive|include|web\.|browser\.|interactive\.",
    re.I,
)


def _push(identity: Identity) -> Effect:
    flags = set(identity.key.split(" "))
    forced = "--force" in flags or "--mirror" in flags or any(value in {"-fu", "-uf"} for value in identity.values)
    actions = ["git_push"]
    if forced:
        actions.insert(0, "git_force_push")
    if "--delete" in flags or "--mirror" in flags or "--prune" in identity.values:
        actions.insert(0, "delete")
    klass = "destructive" if len(actions) > 1 else "external_change"
    return Effect(klass, tuple(actions), True, f"git push {ACTION_REASONS[actions[0]]}")


def _git_branch(command: Command, identity: Identity) -> Effect:
    values = identity.values
    if any(re.fullmatch(r"-[a-zA-Z]*[dD][a-zA-Z]*|--delete", value) for value in values):
        return _effect("destructive", "delete", what="git branch -d")
    if any(value in {"-f", "--force", "-M", "-C"} for value in values):
        return _effect("destructive", "delete", what="git branch -f")
    return _effect("local_write") if any(not v.startswith("-") for v in identity.rest) else _effect("local_read")


def _git_tag(command: Command, identity: Identity) -> Effect:
    values = identity.values
    if any(value in {"-d", "--delete"} for value in values):
        return _effect("destructive", "delete", what="git tag -d")
    listing = {"-l", "--list", "-n", "--contains", "--merged", "--points-at", "--sort", "-v", "--verify"}
    if any(value.partition("=")[0] in listing or re.fullmatch(r"-n\d*", value) for value in values):
        return _effect("local_read")
    made = any(not value.startswith("-") for value in identity.rest)
    return _effect("local_write", "git_tag", gated=True, what="git tag") if made else _effect("local_read")


def _git_throwing_away(command: Command, identity: Identity) -> Effect:
    """`git checkout -- x`, `git checkout .`, `git checkout -f`, `git restore x`, `git switch --discard-changes`."""
    values = identity.values
    if "restore" in values and any(v in {"--staged", "-S"} for v in values) and not {"--worktree", "-W"} & set(values):
        return _effect("local_write")
    discards = {"--", ".", "-f", "--force", "--discard-changes", "--ours", "--theirs"} & set(values)
    if discards or "restore" in values or any(value.startswith((":/", "./")) for value in values):
        return _effect("destructive", "delete", what=" ".join(identity.key.split(" ")[:2]))
    return _effect("local_write")


def _git_clean(command: Command, identity: Identity) -> Effect:
    dry = any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*|--dry-run", value) for value in identity.values)
    return _effect("local_read") if dry else _effect("destructive", "delete", what="git clean")


def _git_remote(command: Command, identity: Identity) -> Effect:
    words = identity.key.split(" ")
    if words[2:3] and words[2] in {"remove", "rm", "prune"}:
        return _effect("destructive", "delete", what="git remote remove")
    return _by_table(command, identity)


def _git_config(command: Command, identity: Identity) -> Effect:
    values = identity.values
    if any(value.startswith(("--get", "-l", "--list")) for value in values):
        return _effect("local_read")
    if any(_RUNS_BY_SETTING.match(value) for value in values) or "--system" in values:
        return _effect("unknown", "startup_change", what="git config")
    given = [value for value in identity.rest if not value.startswith("-")]
    return _effect("local_read") if len(given) == 1 and "--unset" not in values else _effect("local_write")


_GIT: dict[str, Callable[[Command, Identity], Effect]] = {
    "git branch": _git_branch,
    "git tag": _git_tag,
    "git checkout": _git_throwing_away,
    "git restore": _git_throwing_away,
    "git switch": _git_throwing_away,
    "git clean": _git_clean,
    "git remote": _git_remote,
    "git config": _git_config,
}


def _gh(command: Command, identity: Identity) -> Effect:
    values = identity.values
    if values[:1] != ("api",):
        return _by_table(command, identity)
    for at, value in enumerate(values):
        method = values[at + 1] if value in {"-X", "--method"} and at + 1 < len(values) else ""
        method = method or (
            value[2:] if value.startswith("-X") else value.partition("=")[2] if "--method=" in value else ""
        )
        if method.upper() == "DELETE":
            return _effect("destructive", "delete", what="gh api DELETE")
        if method and method.upper() != "GET":
            return _effect("external_change", "external_change", what=f"gh api {method}")
    fields = any(value.partition("=")[0] in _GH_FIELDS or value.startswith(("-f", "-F")) for value in values)
    explicit = any(value.upper() in {"GET", "-XGET", "--METHOD=GET"} for value in values)
    if fields and not explicit:
        return _effect("external_change", "external_change", what="gh api")
    return _effect("local_read")


_GH_FIELDS = words_of("-f -F --field --raw-field --input")
_SENDS = re.compile(
    r"-(?:[a-zA-Z]*[dFT])(?!\w*ail).*|--(?:data|form|json|upload-file|url-query)\b.*|--post-(?:data|file)\b.*|--body-(?:data|file)\b.*",
    re.S,
)
_METHOD = re.compile(r"(?:-[a-zA-Z]*X|--request|--method)=?(.*)", re.S)


def _curl(command: Command, identity: Identity) -> Effect:
    values = identity.values
    sends = False
    for at, value in enumerate(values):
        method = _METHOD.fullmatch(value)
        if method:
            verb = (method.group(1) or (values[at + 1] if at + 1 < len(values) else "")).upper()
            sends |= verb not in {"GET", "HEAD", "OPTIONS"}
        elif _sends(value):
            sends = True
        elif value in {"-K", "--config"}:
            return Effect("unknown", (), True, "curl reads its options from a file")
    if "-G" in values or "--get" in values:
        sends = False
    if sends and not _only_local(values):
        return _effect("external_change", "external_change", what=identity.program)
    writes = identity.program == "wget" or any(
        re.fullmatch(r"-[a-zA-Z]*[oO].*|--output.*|--remote-name.*", v) for v in values
    )
    return _effect("local_write") if sends or writes else _effect("local_read")


def _sends(value: str) -> bool:
    if value.startswith("--"):
        return _SENDS.fullmatch(value) is not None
    return re.fullmatch(r"-[a-zA-Z]*[dFT].*", value, re.S) is not None and not re.match(r"-[oOHAeuwbcmxKX]", value)


def _only_local(values: tuple[str, ...]) -> bool:
    addresses = [value for value in values if "://" in value or is_local_address(value)]
    return bool(addresses) and all(is_local_address(value) for value in addresses)


def _find(command: Command, identity: Identity) -> Effect:
    values = set(identity.values)
    if "-delete" in values:
        return _effect("destructive", "delete", what="find -delete")
    if values & {"-fprint", "-fprintf", "-fls", "-fprint0"}:
        return _effect("local_write")
    return _effect("local_read")


def _filter(command: Command, identity: Identity) -> Effect:
    """sed, awk, sort, yq: they read, unless told to write or to run."""
    for value in identity.values:
        if re.match(r"-i|--in-place|--output|-o", value) and identity.program not in {"awk", "gawk", "jq"}:
            return _effect("local_write")
        if identity.program in {"awk", "gawk", "mawk", "nawk"} and re.search(
            r"system\s*\(|getline|\|\s*[\"&]|>\s*\"", value
        ):
            return _effect("unknown", "inline_code", what=identity.program)
        if identity.program == "sed" and re.search(
            r"[/|#][gIipmM0-9]*[ew](?:\s|;|$)|(?:^|[;{])\s*[0-9$,]*[ewW]\s+\S", value
        ):
            return _effect("unknown", "inline_code", what="sed")
    return _effect("local_read")


def _interpreter(command: Command, identity: Identity) -> Effect:
    """python, node, bash, ...: a script of the repository, code on the line, or whatever is piped in."""
    words = identity.key.split(" ")
    if identity.values and all(value in {*ASKING, "-VV"} for value in identity.values):
        return _effect("local_read")
    given = [value for value in identity.values if not value.startswith("-")]
    if feeds_interpreter(command):
        return _effect("unknown", "inline_code", what=identity.program)
    inline = re.compile(r"-[a-zA-Z]*[ce]|-p|-pe|-r|--eval|--print")
    first = next(iter(identity.values), "")
    if not given or (inline.fullmatch(first) and identity.program not in {"tsx", "ts-node"}):
        return _effect("unknown", "inline_code", what=identity.program)
    target = next((word for word in words if "/" in word or "." in word), words[-1])
    where = next((value for value in given if target.rpartition("/")[2] in value), given[0])
    if "$" in where or where.startswith(("/", "~", "<(", "http")) or ".." in where:
        return Effect("unknown", ("local_code",), True, f"{where} is not of the repository")
    if where.endswith("manage.py"):
        return _manage(identity)
    if where.endswith("setup.py"):
        return _effect("external_change", "publish") if "upload" in identity.values else _effect("local_write")
    return _script(" ".join([target, *(v for v in identity.values if v in RISKY_NAME)]))


def _manage(identity: Identity) -> Effect:
    task = next(
        (value for value in identity.values if not value.endswith("manage.py") and not value.startswith("-")), ""
    )
    if task in {"flush", "reset_db", "sqlflush"}:
        return _effect("destructive", "delete", what=f"manage.py {task}")
    if task in {"migrate", "loaddata", "createsuperuser", "changepassword", "sendtestemail", "dbshell", "shell"}:
        return _effect("external_change", "deploy", what=f"manage.py {task}")
    return _effect("local_write") if task in _MANAGE else _script(f"manage.py {task}")


_MANAGE = words_of(
    "test check makemigrations collectstatic runserver startapp showmigrations makemessages compilemessages"
)


def _sql(command: Command, identity: Identity) -> Effect:
    text = " ".join(identity.values)
    if re.search(r"\b(?:drop|truncate|delete|alter)\b", text, re.I):
        return _effect("destructive", "delete", what=identity.program)
    option = any(value in {"-c", "-e", "--command", "--execute", "-l", "--list"} for value in identity.values)
    if (option or identity.program == "sqlite3") and _ONLY_READS.search(text) and not _SQL_CHANGES.search(text):
        return _effect("local_read")
    return _effect("external_change", "external_change", what=identity.program)


_ONLY_READS = re.compile(
    r"\b(?:select|show|describe|explain|pragma)\b|(?:^|\s)(?:\\d|\.tables|\.schema|-l\b|--list)", re.I
)
_SQL_CHANGES = re.compile(
    r"\b(?:insert|update|create|grant|revoke|replace|into|copy|call|do|set|vacuum|load|exec\w*)\b", re.I
)


def _redis(command: Command, identity: Identity) -> Effect:
    verbs = {value.upper() for value in identity.values}
    if verbs & {"FLUSHALL", "FLUSHDB", "DEL", "UNLINK", "SHUTDOWN", "XTRIM", "LTRIM", "GETDEL"}:
        return _effect("destructive", "delete", what=identity.program)
    if verbs & {"GET", "KEYS", "INFO", "PING", "TTL", "TYPE", "EXISTS", "SCAN", "LRANGE", "HGETALL", "DBSIZE", "MGET"}:
        return _effect("local_read")
    return _effect("external_change", "external_change", what=identity.program)


def _chmod(command: Command, identity: Identity) -> Effect:
    recursive = any(re.fullmatch(r"-[a-zA-Z]*R[a-zA-Z]*|--recursive", value) for value in identity.values)
    paths = [value for value in identity.rest if not value.startswith("-")]
    if any(is_system(path) or (recursive and path in {"~", "$HOME", "/"}) for path in paths):
        return _effect("destructive", "system_change", what=identity.program)
    if any(re.fullmatch(r"[0-7]*[4-7]7[0-7]{2}|[ugoa]*\+[rwx]*s[rwx]*", path) and len(path) == 4 for path in paths[:1]):
        return _effect("unknown", "system_change", what=identity.program)
    return _effect("local_write")


def _container_run(command: Command, identity: Identity) -> Effect:
    """`docker run`: within its walls it changes nothing here; with a folder or a right of this machine it may."""
    words = identity.key.split(" ")
    if words[:2] not in (["docker", "run"], ["docker", "create"]):
        return _by_table(command, identity)
    open_to = re.compile(
        r"-v.*|--volume.*|--mount.*|--privileged.*|--pid.*|--cap-add.*|--device.*|--net(?:work)?=?host"
    )
    if any(open_to.fullmatch(value) for value in identity.values):
        return Effect("unknown", (), True, "docker run may change what it is given of this machine")
    return _effect("local_write")


def _install(command: Command, identity: Identity) -> Effect:
    """Installing from a registry writes here; from an address it runs what is there."""
    fetched = [value for value in identity.values if _FETCHED.match(value)]
    if fetched and not identity.key.startswith(("npm publish", "npm view", "npm config")):
        return _worse(_effect("unknown", "download_and_run", what=identity.program), _by_table(command, identity))
    return _by_table(command, identity)


_FETCHED = re.compile(
    r"(?:git\+|https?://|git@|git://|github:|gist:|bitbucket:|gitlab:|ssh://)|[\w.-]+\s*@\s*(?:git\+|https?:)", re.I
)


def _cloud(command: Command, identity: Identity) -> Effect:
    """aws, gcloud, az: reads are told by their verb."""
    known = _by_table(command, identity)
    last = identity.key.split(" --")[0].rpartition(" ")[2]
    if known.klass == "credential" or _is_dry(identity):
        return known
    if last in CLOUD_READS or last.startswith(("describe-", "list-", "get-", "head-")):
        return _effect("local_read")
    if last in {"rm", "rb", "delete", "remove", "purge", "destroy"} or last.startswith(
        ("delete-", "terminate-", "remove-")
    ):
        return _effect("destructive", "delete", what=identity.key)
    return known


def _shell_word(command: Command, identity: Identity) -> Effect:
    """source, alias, trap, exec and other words of the shell itself."""
    values = identity.values
    if identity.program in {"source", "."}:
        name = values[0] if values else ""
        usual = name.endswith(("/activate", "nvm.sh", ".bashrc", ".zshrc", ".profile", "cargo/env", "/conda.sh"))
        return _effect("local_read") if usual else _effect("unknown", "local_code", gated=True, what="source")
    if identity.program == "alias" and any("=" in value for value in values):
        return _effect("unknown", "inline_code", what="alias")
    if identity.program == "command" and not any(value.startswith(("-v", "-V")) for value in values):
        return _effect("unknown")
    return _effect("local_read")


def _copy_far(command: Command, identity: Identity) -> Effect:
    """rsync, scp: to or from another machine where a word names one."""
    if _is_dry(identity):
        return _effect("local_read")
    if any(value.startswith(("--delete", "--remove-source")) or value == "--del" for value in identity.values):
        return _effect("destructive", "delete", what=identity.program)
    given = [value for value in identity.values if not value.startswith("-")]
    to = given[-1] if given else ""
    far = re.match(r"[\w.@-]+:(?!/)|[\w.@-]+:|rsync://|scp://", to)
    return _effect("external_change", "deploy", what=identity.program) if far else _effect("local_write")


def _kubectl(command: Command, identity: Identity) -> Effect:
    if any(re.match(r"secrets?(?:/|,|$)|.*,secrets?", value) for value in identity.rest) and not _is_dry(identity):
        return _worse(_effect("credential", "credential_read", what="kubectl secrets"), _by_table(command, identity))
    return _by_table(command, identity)


def _ssh(command: Command, identity: Identity) -> Effect:
    """What it runs there is judged by itself; here only whether that is known."""
    if any(re.match(r"-[oRDFJ]|-[a-zA-Z]*W", value) for value in identity.values):
        return Effect("unknown", ("remote",), True, "ssh with options that run or open more")
    given = [value for value in identity.rest if not value.startswith("-")]
    if len(given) > 1:
        return _effect("local_read", "remote")
    return Effect("unknown", ("remote",), True, "what is done on the other machine is not told")


def _archive(command: Command, identity: Identity) -> Effect:
    runs = any(
        value.startswith(("--to-command", "--checkpoint-action", "-I", "--use-compress", "-TT"))
        for value in identity.values
    )
    return _effect("unknown", "inline_code", what=identity.program) if runs else _effect("local_write")


def _search(command: Command, identity: Identity) -> Effect:
    runs = any(value.startswith(("--pre", "--pager", "--hostname-bin", "--preview")) for value in identity.values)
    return _effect("unknown", "inline_code", what=identity.program) if runs else _effect("local_read")


def _editor(command: Command, identity: Identity) -> Effect:
    runs = any(value.startswith(("-c", "+", "-S", "--cmd", "--eval", "-l", "-e")) for value in identity.values)
    return _effect("unknown", "inline_code", what=identity.program) if runs else _effect("local_write")


def _disk_dump(command: Command, identity: Identity) -> Effect:
    target = next((value[3:] for value in identity.values if value.startswith("of=")), "")
    if target and not is_device(target) and not is_system(target):
        return _effect("local_write")
    return _effect("destructive", "delete", what="dd") if target else _effect("local_read")


def _openssl(command: Command, identity: Identity) -> Effect:
    first = identity.values[0] if identity.values else ""
    if first in {"enc", "base64"}:
        return _effect("local_write")
    return _by_table(command, identity)


_SPECIAL: dict[str, Callable[[Command, Identity], Effect]] = {
    "git": _git,
    "gh": _gh,
    "find": _find,
    "dd": _disk_dump,
    "kubectl": _kubectl,
    "rsync": _copy_far,
    "scp": _copy_far,
    "ssh": _ssh,
    "openssl": _openssl,
    "docker": _container_run,
    **dict.fromkeys(("curl", "wget"), _curl),
    **dict.fromkeys(("sed", "awk", "gawk", "mawk", "nawk", "sort", "yq", "jq"), _filter),
    **dict.fromkeys(INTERPRETERS - {"ansible-playbook"}, _interpreter),
    **dict.fromkeys(SHELLS, _interpreter),
    **dict.fromkeys(("psql", "mysql", "mariadb", "sqlite3", "clickhouse-client", "duckdb", "mongosh", "mongo"), _sql),
    **dict.fromkeys(("redis-cli", "valkey-cli"), _redis),
    **dict.fromkeys(("chmod", "chown", "chgrp"), _chmod),
    **dict.fromkeys(("pip", "npm", "pnpm", "yarn", "bun", "uv", "pipx", "gem", "cargo", "go", "poetry"), _install),
    **dict.fromkeys(("aws", "gcloud", "az"), _cloud),
    **dict.fromkeys(
        ("source", ".", "alias", "command", "trap", "export", "set", "unset", "declare", "shopt"), _shell_word
    ),
    **dict.fromkeys(("tar", "zip", "unzip", "rar"), _archive),
    **dict.fromkeys(("rg", "ack", "ag", "fzf"), _search),
    **dict.fromkeys(("vim", "vi", "nvim", "emacs", "ed", "nano"), _editor),
}


# What holds for every program


def _redirections(command: Command, identity: Identity) -> Effect | None:
    """Writing over a file by `>`."""
    found: Effect | None = None
    for redirect in command.redirects:
        sign = re.match(r"(?:\d+|&)?(>>?\|?|<>|<)\s*(.+)", redirect, re.S)
        if sign is None or redirect.startswith("<<"):
            continue
        target = unquote(sign.group(2))[0].strip()
        if sign.group(1) == "<":
            found = _effect("credential", "credential_read", what=target) if is_credential(target) else found
        elif not re.fullmatch(r"&?[0-9-]+|/dev/(?:null|stdout|stderr|tty|fd/\d+)", target):
            found = _worse(written_to(target), found)
    return found


def written_to(path: str) -> Effect:
    """Return what writing to a path does."""
    if is_credential(path):
        return _effect("credential", "credential_change", what=path)
    if is_device(path) or is_system(path):
        return _effect("destructive", "system_change", what=path)
    if path.startswith(("/dev/tcp/", "/dev/udp/")):
        return _effect("external_change", "external_change", what=path)
    if is_startup(path):
        return _effect("unknown", "startup_change", what=path)
    return _effect("local_write")


_NAMES_ONLY = words_of(
    "ls test [ [[ stat mkdir chmod echo printf which find grep rg du file dirname basename cd export unset"
)
_WRITERS = words_of(
    "cp mv tee install ln touch rsync scp sed patch dd truncate curl wget tar unzip ed vim nano emacs code"
)
_FOREIGN = words_of("-r -R -f -p --pattern")


def _sensitive_words(command: Command, identity: Identity) -> Effect | None:
    """Files of credentials, of the system and of startup among the words."""
    found: Effect | None = None
    for value in identity.values:
        word = value.partition("=")[2] if value.startswith("-") else value
        if is_credential(word) and (identity.program not in _NAMES_ONLY or _greps_it(identity, word)):
            found = _worse(_effect("credential", "credential_read", what=word), found)
        elif identity.program in _WRITERS and word.startswith(("/", "~", ".", "$HOME")):
            is_target = identity.program not in {"cp", "rsync", "scp", "ln", "install"} or value == identity.values[-1]
            if is_target and (is_system(word) or is_startup(word)) and not _reads_only(identity):
                found = _worse(written_to(word), found)
    return found


def _greps_it(identity: Identity, word: str) -> bool:
    return identity.program in {"grep", "rg"} and word == identity.values[-1] and len(identity.values) > 1


def _reads_only(identity: Identity) -> bool:
    if identity.program == "sed":
        return not any(value.startswith(("-i", "--in-place")) for value in identity.values)
    if identity.program == "tar":
        return any(re.fullmatch(r"-?[a-zA-Z]*[ct][a-zA-Z]*", value) for value in identity.values[:1])
    return False


def _surroundings(command: Command, identity: Identity) -> Effect | None:
    """Variables that load code, `sudo`, packages fetched from an address."""
    for assignment in (*command.assignments, *(word for word in command.prefix if "=" in word)):
        name, _, value = assignment.partition("=")
        plain = unquote(value)[0]
        if name in LOADERS and not (name in HARMLESS_LOADED and (plain in HARMLESS_VALUE or name in _PATHS)):
            return Effect("unknown", ("inline_code",), True, f"{name} may run anything")
    if command.prefix and any(_FETCHED.match(unquote(word)[0]) for word in (*command.prefix, command.name)):
        return _effect("unknown", "download_and_run", what=command.program)
    if "sudo" in command.via or "doas" in command.via or "su" in command.via:
        base = EFFECTS.get(identity.program, ("", ""))[0]
        if base != "local_read" and identity.program not in VIEWERS:
            return _effect("unknown", "system_change", gated=True, what="sudo")
    return None


_PATHS = words_of("PATH PYTHONPATH NODE_OPTIONS LD_LIBRARY_PATH")


def feeds_interpreter(command: Command) -> bool:
    """Whether an interpreter runs what is piped into it or substituted for its script."""
    program, values = same_program(command.program), command.values
    if program not in INTERPRETERS and program not in SHELLS and program not in {"source", ".", "eval"}:
        return False
    if any("<(" in value or "$(" in value for value in values):
        return True
    bare = reads_script(program, values) if program in SHELLS else not [v for v in values if v != "-"]
    return bare and (command.piped or "xargs" in command.via or any(r.startswith("<") for r in command.redirects))


def fetches(command: Command) -> bool:
    """Whether a command brings in or decodes what could then be run."""
    values = command.values
    if command.program in {"curl", "wget", "aria2c", "fetch", "http", "xh"}:
        return True
    if command.program in {"base64", "base32", "uudecode", "gunzip", "zcat"}:
        return True
    if command.program == "xxd":
        return "-r" in values
    return command.program == "openssl" and bool({"-d", "-a", "enc", "base64"} & set(values))


def runs_local_file(command: Command) -> bool:
    """Whether a file is run by its path, or by a shell."""
    if command.name.startswith(("./", "../", "/tmp/")) or (command.program in {"source", "."} and command.words):
        return True
    if "/" in command.name and not command.name.startswith(("/", "~")):
        return True
    shell = command.program in SHELLS or same_program(command.program) in INTERPRETERS
    return shell and any(not value.startswith("-") for value in command.values)
