"""What the options of a program say about what it does, one function for each that needs more than the tables. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from wellworn.lifecycle.shell.effect import FETCHED, Effect, by_table, effect, is_dry, script_effect, worse
from wellworn.lifecycle.shell.effects import ACTION_REASONS, RISKY_NAME
from wellworn.lifecycle.shell.identity import Identity
from wellworn.lifecycle.shell.noise import ASKING
from wellworn.lifecycle.shell.parse import Command
from wellworn.lifecycle.shell.paths import is_device, is_local_address, is_system
from wellworn.lifecycle.shell.programs import CLOUD_READS, INTERPRETERS
from wellworn.lifecycle.shell.running import feeds_interpreter
from wellworn.lifecycle.shell.words import words_of
from wellworn.lifecycle.shell.wrappers import SHELLS


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
    if is_dry(identity):
        return effect("local_read")
    if lead == "git push":
        return _push(identity)
    given = [value for value in identity.rest if not value.startswith("-")]
    return _GIT.get(lead, by_table)(command, identity) if given or identity.rest else by_table(command, identity)


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
        return effect("destructive", "delete", what="git branch -d")
    if any(value in {"-f", "--force", "-M", "-C"} for value in values):
        return effect("destructive", "delete", what="git branch -f")
    return effect("local_write") if any(not v.startswith("-") for v in identity.rest) else effect("local_read")


def _git_tag(command: Command, identity: Identity) -> Effect:
    values = identity.values
    if any(value in {"-d", "--delete"} for value in values):
        return effect("destructive", "delete", what="git tag -d")
    listing = {"-l", "--list", "-n", "--contains", "--merged", "--points-at", "--sort", "-v", "--verify"}
    if any(value.partition("=")[0] in listing or re.fullmatch(r"-n\d*", value) for value in values):
        return effect("local_read")
    made = any(not value.startswith("-") for value in identity.rest)
    return effect("local_write", "git_tag", gated=True, what="git tag") if made else effect("local_read")


def _git_throwing_away(command: Command, identity: Identity) -> Effect:
    """`git checkout -- x`, `git checkout .`, `git checkout -f`, `git restore x`, `git switch --discard-changes`."""
    values = identity.values
    if "restore" in values and any(v in {"--staged", "-S"} for v in values) and not {"--worktree", "-W"} & set(values):
        return effect("local_write")
    discards = {"--", ".", "-f", "--force", "--discard-changes", "--ours", "--theirs"} & set(values)
    if discards or "restore" in values or any(value.startswith((":/", "./")) for value in values):
        return effect("destructive", "delete", what=" ".join(identity.key.split(" ")[:2]))
    return effect("local_write")


def _git_clean(command: Command, identity: Identity) -> Effect:
    dry = any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*|--dry-run", value) for value in identity.values)
    return effect("local_read") if dry else effect("destructive", "delete", what="git clean")


def _git_remote(command: Command, identity: Identity) -> Effect:
    words = identity.key.split(" ")
    if words[2:3] and words[2] in {"remove", "rm", "prune"}:
        return effect("destructive", "delete", what="git remote remove")
    return by_table(command, identity)


def _git_config(command: Command, identity: Identity) -> Effect:
    values = identity.values
    if any(value.startswith(("--get", "-l", "--list")) for value in values):
        return effect("local_read")
    if any(_RUNS_BY_SETTING.match(value) for value in values) or "--system" in values:
        return effect("unknown", "startup_change", what="git config")
    given = [value for value in identity.rest if not value.startswith("-")]
    return effect("local_read") if len(given) == 1 and "--unset" not in values else effect("local_write")


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
        return by_table(command, identity)
    for at, value in enumerate(values):
        method = values[at + 1] if value in {"-X", "--method"} and at + 1 < len(values) else ""
        method = method or (
            value[2:] if value.startswith("-X") else value.partition("=")[2] if "--method=" in value else ""
        )
        if method.upper() == "DELETE":
            return effect("destructive", "delete", what="gh api DELETE")
        if method and method.upper() != "GET":
            return effect("external_change", "external_change", what=f"gh api {method}")
    fields = any(value.partition("=")[0] in _GH_FIELDS or value.startswith(("-f", "-F")) for value in values)
    explicit = any(value.upper() in {"GET", "-XGET", "--METHOD=GET"} for value in values)
    if fields and not explicit:
        return effect("external_change", "external_change", what="gh api")
    return effect("local_read")


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
        return effect("external_change", "external_change", what=identity.program)
    writes = identity.program == "wget" or any(
        re.fullmatch(r"-[a-zA-Z]*[oO].*|--output.*|--remote-name.*", v) for v in values
    )
    return effect("local_write") if sends or writes else effect("local_read")


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
        return effect("destructive", "delete", what="find -delete")
    if values & {"-fprint", "-fprintf", "-fls", "-fprint0"}:
        return effect("local_write")
    return effect("local_read")


def _filter(command: Command, identity: Identity) -> Effect:
    """sed, awk, sort, yq: they read, unless told to write or to run."""
    for value in identity.values:
        if re.match(r"-i|--in-place|--output|-o", value) and identity.program not in {"awk", "gawk", "jq"}:
            return effect("local_write")
        if identity.program in {"awk", "gawk", "mawk", "nawk"} and re.search(
            r"system\s*\(|getline|\|\s*[\"&]|>\s*\"", value
        ):
            return effect("unknown", "inline_code", what=identity.program)
        if identity.program == "sed" and re.search(
            r"[/|#][gIipmM0-9]*[ew](?:\s|;|$)|(?:^|[;{])\s*[0-9$,]*[ewW]\s+\S", value
        ):
            return effect("unknown", "inline_code", what="sed")
    return effect("local_read")


def _interpreter(command: Command, identity: Identity) -> Effect:
    """python, node, bash, ...: a script of the repository, code on the line, or whatever is piped in."""
    values = identity.values
    if values and all(value in {*ASKING, "-VV"} for value in values):
        return effect("local_read")
    given = [value for value in values if not value.startswith("-")]
    if not given or feeds_interpreter(command) or _is_inline(identity):
        return effect("unknown", "inline_code", what=identity.program)
    words = identity.key.split(" ")
    target = next((word for word in words if "/" in word or "." in word), words[-1])
    where = next((value for value in given if target.rpartition("/")[2] in value), given[0])
    if "$" in where or where.startswith(("/", "~", "<(", "http")) or ".." in where:
        return Effect("unknown", ("local_code",), True, f"{where} is not of the repository")
    return _local_script(identity, target, where)


_INLINE = re.compile(r"-[a-zA-Z]*[ce]|-p|-pe|-r|--eval(?:=.*)?|--print(?:=.*)?", re.S)


def _is_inline(identity: Identity) -> bool:
    """Whether an option before the script gives code on the line."""
    if identity.program in {"tsx", "ts-node"}:
        return False
    for value in identity.values:
        if _INLINE.fullmatch(value):
            return True
        if not value.startswith("-") and value not in {"ignore", "error", "default"}:
            return False
    return False


def _local_script(identity: Identity, target: str, where: str) -> Effect:
    if where.endswith("manage.py"):
        return _manage(identity)
    if where.endswith("setup.py"):
        return effect("external_change", "publish") if "upload" in identity.values else effect("local_write")
    return script_effect(" ".join([target, *(value for value in identity.values if value in RISKY_NAME)]))


def _manage(identity: Identity) -> Effect:
    task = next(
        (value for value in identity.values if not value.endswith("manage.py") and not value.startswith("-")), ""
    )
    if task in {"flush", "reset_db", "sqlflush"}:
        return effect("destructive", "delete", what=f"manage.py {task}")
    if task in {"migrate", "loaddata", "createsuperuser", "changepassword", "sendtestemail", "dbshell", "shell"}:
        return effect("external_change", "deploy", what=f"manage.py {task}")
    return effect("local_write") if task in _MANAGE else script_effect(f"manage.py {task}")


_MANAGE = words_of(
    "test check makemigrations collectstatic runserver startapp showmigrations makemessages compilemessages"
)


def _sql(command: Command, identity: Identity) -> Effect:
    text = " ".join(identity.values)
    if re.search(r"\b(?:drop|truncate|delete|alter)\b", text, re.I):
        return effect("destructive", "delete", what=identity.program)
    option = any(value in {"-c", "-e", "--command", "--execute", "-l", "--list"} for value in identity.values)
    if (option or identity.program == "sqlite3") and _ONLY_READS.search(text) and not _SQL_CHANGES.search(text):
        return effect("local_read")
    return effect("external_change", "external_change", what=identity.program)


_ONLY_READS = re.compile(
    r"\b(?:select|show|describe|explain|pragma)\b|(?:^|\s)(?:\\d|\.tables|\.schema|-l\b|--list)", re.I
)
_SQL_CHANGES = re.compile(
    r"\b(?:insert|update|create|grant|revoke|replace|into|copy|call|do|set|vacuum|load|exec\w*)\b", re.I
)


def _redis(command: Command, identity: Identity) -> Effect:
    verbs = {value.upper() for value in identity.values}
    if verbs & {"FLUSHALL", "FLUSHDB", "DEL", "UNLINK", "SHUTDOWN", "XTRIM", "LTRIM", "GETDEL"}:
        return effect("destructive", "delete", what=identity.program)
    if verbs & {"GET", "KEYS", "INFO", "PING", "TTL", "TYPE", "EXISTS", "SCAN", "LRANGE", "HGETALL", "DBSIZE", "MGET"}:
        return effect("local_read")
    return effect("external_change", "external_change", what=identity.program)


def _chmod(command: Command, identity: Identity) -> Effect:
    recursive = any(re.fullmatch(r"-[a-zA-Z]*R[a-zA-Z]*|--recursive", value) for value in identity.values)
    paths = [value for value in identity.rest if not value.startswith("-")]
    if any(is_system(path) or (recursive and path in {"~", "$HOME", "/"}) for path in paths):
        return effect("destructive", "system_change", what=identity.program)
    if any(re.fullmatch(r"[2-7][0-7]{3}|[ugoa]*\+[rwxt]*s[rwxt]*", path) for path in paths[:1]):
        return effect("unknown", "system_change", what=identity.program)
    return effect("local_write")


def _container_run(command: Command, identity: Identity) -> Effect:
    """`docker run`: within its walls it changes nothing here; with a folder or a right of this machine it may."""
    words = identity.key.split(" ")
    if "build" in words and "--push" in identity.values:
        return effect("external_change", "publish", what=f"{identity.key} --push")
    if words[:2] not in (["docker", "run"], ["docker", "create"]):
        return by_table(command, identity)
    open_to = re.compile(
        r"-v.*|--volume.*|--mount.*|--privileged.*|--pid.*|--cap-add.*|--device.*|--net(?:work)?=?host"
    )
    if any(open_to.fullmatch(value) for value in identity.values):
        return Effect("unknown", (), True, "docker run may change what it is given of this machine")
    return effect("local_write")


def _install(command: Command, identity: Identity) -> Effect:
    """Installing from a registry writes here; from an address it runs what is there."""
    if identity.key.startswith("yarn workspace") and RISKY_NAME & set(identity.values):
        return effect("external_change", "publish", what=identity.key)
    if identity.key.startswith("go run") and any(_REMOTE_MODULE.match(value) for value in identity.values):
        return effect("unknown", "download_and_run", what="go run")
    fetched = [value for value in identity.values if FETCHED.match(value)]
    if fetched and not identity.key.startswith(("npm publish", "npm view", "npm config")):
        return worse(effect("unknown", "download_and_run", what=identity.program), by_table(command, identity))
    return by_table(command, identity)


_REMOTE_MODULE = re.compile(r"[\w-]+(?:\.[\w-]+)+/\S+")


def _cloud(command: Command, identity: Identity) -> Effect:
    """aws, gcloud, az: reads are told by their verb."""
    known = by_table(command, identity)
    last = identity.key.split(" --")[0].rpartition(" ")[2]
    if known.klass == "credential" or is_dry(identity):
        return known
    if last in CLOUD_READS or last.startswith(("describe-", "list-", "get-", "head-")):
        return effect("local_read")
    if last in {"rm", "rb", "delete", "remove", "purge", "destroy"} or last.startswith(
        ("delete-", "terminate-", "remove-")
    ):
        return effect("destructive", "delete", what=identity.key)
    return known


def _shell_word(command: Command, identity: Identity) -> Effect:
    """source, alias, trap, exec and other words of the shell itself."""
    values = identity.values
    if identity.program in {"source", "."}:
        name = values[0] if values else ""
        usual = name.endswith(("/activate", "nvm.sh", ".bashrc", ".zshrc", ".profile", "cargo/env", "/conda.sh"))
        return effect("local_read") if usual else effect("unknown", "local_code", gated=True, what="source")
    if identity.program == "alias" and any("=" in value for value in values):
        return effect("unknown", "inline_code", what="alias")
    if identity.program == "command" and not any(value.startswith(("-v", "-V")) for value in values):
        return effect("unknown")
    return effect("local_read")


def _copy_far(command: Command, identity: Identity) -> Effect:
    """rsync, scp: to or from another machine where a word names one."""
    if is_dry(identity):
        return effect("local_read")
    if any(value.startswith(("--delete", "--remove-source")) or value == "--del" for value in identity.values):
        return effect("destructive", "delete", what=identity.program)
    given = [value for value in identity.values if not value.startswith("-")]
    to = given[-1] if given else ""
    far = re.match(r"[\w.@-]+:(?!/)|[\w.@-]+:|rsync://|scp://", to)
    return effect("external_change", "deploy", what=identity.program) if far else effect("local_write")


def _kubectl(command: Command, identity: Identity) -> Effect:
    if any(re.match(r"secrets?(?:/|,|$)|.*,secrets?", value) for value in identity.rest) and not is_dry(identity):
        return worse(effect("credential", "credential_read", what="kubectl secrets"), by_table(command, identity))
    return by_table(command, identity)


def _ssh(command: Command, identity: Identity) -> Effect:
    """What it runs there is judged by itself; here only whether that is known."""
    if any(re.match(r"-[oRDFJ]|-[a-zA-Z]*W", value) for value in identity.values):
        return Effect("unknown", ("remote",), True, "ssh with options that run or open more")
    given = [value for value in identity.rest if not value.startswith("-")]
    if len(given) > 1:
        return effect("local_read", "remote")
    return Effect("unknown", ("remote",), True, "what is done on the other machine is not told")


def _archive(command: Command, identity: Identity) -> Effect:
    runs = any(
        value.startswith(("--to-command", "--checkpoint-action", "-I", "--use-compress", "-TT"))
        for value in identity.values
    )
    return effect("unknown", "inline_code", what=identity.program) if runs else effect("local_write")


def _search(command: Command, identity: Identity) -> Effect:
    runs = any(value.startswith(("--pre", "--pager", "--hostname-bin", "--preview")) for value in identity.values)
    return effect("unknown", "inline_code", what=identity.program) if runs else effect("local_read")


def _editor(command: Command, identity: Identity) -> Effect:
    runs = any(value.startswith(("-c", "+", "-S", "--cmd", "--eval", "-l", "-e")) for value in identity.values)
    return effect("unknown", "inline_code", what=identity.program) if runs else effect("local_write")


def _disk_dump(command: Command, identity: Identity) -> Effect:
    target = next((value[3:] for value in identity.values if value.startswith("of=")), "")
    if target and not is_device(target) and not is_system(target):
        return effect("local_write")
    return effect("destructive", "delete", what="dd") if target else effect("local_read")


def _openssl(command: Command, identity: Identity) -> Effect:
    first = identity.values[0] if identity.values else ""
    if first in {"enc", "base64"}:
        return effect("local_write")
    return by_table(command, identity)


BY_PROGRAM: dict[str, Callable[[Command, Identity], Effect]] = {
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
    "docker compose": _container_run,
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
