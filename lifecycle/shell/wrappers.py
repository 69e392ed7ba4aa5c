"""Programs whose work is to run another command, as data: which of their words belong to them."""

from __future__ import annotations

from dataclasses import dataclass

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish", "ash"})


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How the words before the command that is run look.

    valued: options that take the next word. before: how many words (a host, a duration) stand before the command.
    assigns: `A=b` words may stand before it. keep: without the wrapper the command would be another one.
    stops: an option with which nothing is run (`command -v x`). strings: options whose value is run as a shell line.
    needs: the command follows only after one of these words. joins: the rest is joined and run by a shell.
    remote: it runs on another machine. only_strings: without one of `strings` nothing is run by it.
    """

    valued: frozenset[str] = frozenset()
    before: int = 0
    assigns: bool = False
    keep: bool = True
    stops: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    joins: bool = False
    remote: bool = False
    only_strings: bool = False


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DASHES = frozenset({"--"})
_PLAIN = Wrapper()
_ASIDE = Wrapper(keep=False)
_COMPOSE = Wrapper(
    _set("-e --env -u --user -w --workdir --index -v --volume --name -p --publish --entrypoint"), before=1
)
_EXEC = Wrapper(_set("-e --env -u --user -w --workdir --env-file --detach-keys"), before=1)
_CONDA = Wrapper(_set("-n --name -p --prefix --cwd"))
_NPX = Wrapper(_set("-p --package -w --workspace --node-arg"), strings=_set("-c --call"))

WRAPPERS: dict[str, Wrapper] = {
    "sudo": Wrapper(
        _set(
            "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot --close-from"
            " --command-timeout --other-user --role --type"
        ),
        assigns=True,
    ),
    "doas": Wrapper(_set("-u -C")),
    "env": Wrapper(_set("-u -C --unset --chdir"), assigns=True, strings=_set("-S --split-string")),
    "cross-env": Wrapper(assigns=True),
    "command": Wrapper(keep=False, stops=_set("-v -V -pv -pV")),
    "builtin": _ASIDE,
    "exec": Wrapper(_set("-a"), keep=False),
    "nohup": _ASIDE,
    "setsid": _ASIDE,
    "chronic": _ASIDE,
    "unbuffer": _ASIDE,
    "caffeinate": Wrapper(_set("-t -w"), keep=False),
    "nice": Wrapper(_set("-n --adjustment"), keep=False),
    "ionice": Wrapper(_set("-c -n -p --class --classdata"), keep=False),
    "taskset": Wrapper(before=1, keep=False),
    "timeout": Wrapper(_set("-k -s --kill-after --signal"), before=1, keep=False),
    "gtimeout": Wrapper(_set("-k -s --kill-after --signal"), before=1, keep=False),
    "time": Wrapper(_set("-f -o --format --output"), keep=False),
    "gtime": Wrapper(_set("-f -o --format --output"), keep=False),
    "stdbuf": Wrapper(_set("-i -o -e --input --output --error"), keep=False),
    "strace": Wrapper(_set("-o -e -p -s -P -u"), keep=False, stops=_set("-p")),
    "ltrace": Wrapper(_set("-o -e -p -s -u"), keep=False, stops=_set("-p")),
    "xargs": Wrapper(
        _set(
            "-a -d -E -I -L -n -P -s -J -R -S --arg-file --delimiter --max-args --max-procs --max-lines --max-chars"
            " --process-slot-var"
        )
    ),
    "watch": Wrapper(_set("-n --interval -q --equexit"), keep=False, joins=True),
    "entr": Wrapper(keep=False),
    "flock": Wrapper(_set("-w -E --timeout --wait --conflict-exit-code"), before=1, strings=_set("-c --command")),
    "chroot": Wrapper(_set("--userspec --groups"), before=1),
    "runuser": Wrapper(_set("-u -g -G -s --user --group"), strings=_set("-c --command")),
    "su": Wrapper(_set("-s -g -G --shell --group"), strings=_set("-c --command"), only_strings=True),
    "systemd-run": Wrapper(
        _set("-p -u -t --unit --property --slice --description --on-calendar --uid --gid -E --setenv")
    ),
    "unshare": _PLAIN,
    "proxychains": _PLAIN,
    "proxychains4": _PLAIN,
    "torsocks": _PLAIN,
    "xvfb-run": Wrapper(_set("-n -s -e -f -p -w --server-num --server-args")),
    "dbus-run-session": _PLAIN,
    "faketime": Wrapper(before=1),
    "retry": Wrapper(_set("-t -d --times --delay")),
    "dotenv": Wrapper(_set("-e -f -c -v -p"), stops=_set("list get set unset")),
    "dotenvx run": Wrapper(_set("-f --env-file -e --env"), needs=_DASHES),
    "op run": Wrapper(needs=_DASHES),
    "doppler run": Wrapper(_set("-p -c --project --config -t --token"), strings=_set("--command"), needs=_DASHES),
    "infisical run": Wrapper(needs=_DASHES),
    "aws-vault exec": Wrapper(_set("-d --duration --region"), before=1),
    "direnv exec": Wrapper(before=1),
    "nix develop": Wrapper(needs=_set("-c --command")),
    "nix shell": Wrapper(needs=_set("-c --command")),
    "nix-shell": Wrapper(_set("-p --packages -A -I"), strings=_set("--run --command"), only_strings=True),
    "devbox run": _PLAIN,
    "mise exec": Wrapper(needs=_DASHES),
    "mise x": Wrapper(needs=_DASHES),
    "asdf exec": _PLAIN,
    "rbenv exec": _PLAIN,
    "pyenv exec": _PLAIN,
    "bundle exec": _PLAIN,
    "poetry run": Wrapper(_set("-C -P --directory --project")),
    "pipenv run": _PLAIN,
    "pdm run": Wrapper(_set("-p --project")),
    "hatch run": _PLAIN,
    "rye run": _PLAIN,
    "uv run": Wrapper(
        _set(
            "--with --with-editable --with-requirements --extra --no-extra --group --only-group --no-group -p --python"
            " --project --directory --env-file --package --index --index-url --default-index --config-file --cache-dir"
            " --refresh-package --reinstall-package -P --upgrade-package --exclude-newer --resolution -C"
        )
    ),
    "uvx": Wrapper(_set("--from --with --with-editable -p --python --index --index-url --refresh-package --env-file")),
    "uv tool run": Wrapper(_set("--from --with -p --python --index --index-url")),
    "pipx run": Wrapper(_set("--spec --python --pip-args --index-url")),
    "conda run": _CONDA,
    "mamba run": _CONDA,
    "micromamba run": _CONDA,
    "npx": _NPX,
    "pnpx": _NPX,
    "bunx": Wrapper(_set("-p --package")),
    "npm exec": _NPX,
    "npm x": _NPX,
    "pnpm exec": Wrapper(_set("-C --dir --filter -F")),
    "pnpm dlx": Wrapper(_set("--package")),
    "yarn exec": _PLAIN,
    "yarn dlx": Wrapper(_set("-p --package")),
    "bun x": _PLAIN,
    "docker exec": _EXEC,
    "podman exec": _EXEC,
    "docker compose exec": _COMPOSE,
    "docker compose run": _COMPOSE,
    "docker-compose exec": _COMPOSE,
    "docker-compose run": _COMPOSE,
    "podman-compose exec": _COMPOSE,
    "lxc exec": Wrapper(needs=_DASHES),
    "kubectl exec": Wrapper(needs=_DASHES, remote=True),
    "heroku run": Wrapper(_set("-a --app -s --size -r --remote --type"), remote=True),
    "vagrant ssh": Wrapper(strings=_set("-c --command"), only_strings=True, remote=True),
    "ssh": Wrapper(
        _set("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B"), before=1, joins=True, remote=True
    ),
    "parallel": Wrapper(
        _set("-j --jobs -a --arg-file -S --delay --timeout --joblog --colsep -I -N -n --retries"), joins=True
    ),
}
FIRST_WORDS = frozenset(name.split()[0] for name in WRAPPERS)
DEEPEST = 3
"""`uv tool run`: the longest name of a wrapper, in words."""
GLOBAL_VALUED: dict[str, frozenset[str]] = {
    "docker": _set("-H --host --context -c --config -l --log-level"),
    "docker compose": _set("-f --file -p --project-name --profile --env-file --project-directory --ansi"),
    "docker-compose": _set("-f --file -p --project-name --profile --env-file --project-directory"),
    "kubectl": _set("-n --namespace --context --cluster --kubeconfig --user -s --server --as --token"),
    "npm": _set("--prefix -w --workspace --registry --userconfig -C"),
    "pnpm": _set("--filter -F -C --dir --prefix"),
    "yarn": _set("--cwd"),
    "uv": _set("--project --directory --config-file --cache-dir --color -p --python"),
    "poetry": _set("-C -P --directory --project"),
    "nix": _set("--option"),
}
"""Options that stand between a program and its subcommand and take the next word."""
