"""Programs whose work is to run another command, as data: which of their words belong to them."""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.lifecycle.shell.words import words_of

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


_DASHES = frozenset({"--"})
_PLAIN = Wrapper()
_ASIDE = Wrapper(keep=False)
_COMPOSE = Wrapper(
    words_of("-e --env -u --user -w --workdir --index -v --volume --name -p --publish --entrypoint"), before=1
)
_EXEC = Wrapper(words_of("-e --env -u --user -w --workdir --env-file --detach-keys"), before=1)
_CONDA = Wrapper(words_of("-n --name -p --prefix --cwd"))
_NPX = Wrapper(words_of("-p --package -w --workspace --node-arg"), strings=words_of("-c --call"))

WRAPPERS: dict[str, Wrapper] = {
    "sudo": Wrapper(
        words_of(
            "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot --close-from"
            " --command-timeout --other-user --role --type"
        ),
        assigns=True,
    ),
    "doas": Wrapper(words_of("-u -C")),
    "env": Wrapper(words_of("-u -C --unset --chdir"), assigns=True, strings=words_of("-S --split-string")),
    "cross-env": Wrapper(assigns=True),
    "command": Wrapper(keep=False, stops=words_of("-v -V -pv -pV")),
    "builtin": _ASIDE,
    "exec": Wrapper(words_of("-a"), keep=False),
    "nohup": _ASIDE,
    "setsid": _ASIDE,
    "chronic": _ASIDE,
    "unbuffer": _ASIDE,
    "caffeinate": Wrapper(words_of("-t -w"), keep=False),
    "nice": Wrapper(words_of("-n --adjustment"), keep=False),
    "ionice": Wrapper(words_of("-c -n -p --class --classdata"), keep=False),
    "taskset": Wrapper(before=1, keep=False),
    "timeout": Wrapper(words_of("-k -s --kill-after --signal"), before=1, keep=False),
    "gtimeout": Wrapper(words_of("-k -s --kill-after --signal"), before=1, keep=False),
    "time": Wrapper(words_of("-f -o --format --output"), keep=False),
    "gtime": Wrapper(words_of("-f -o --format --output"), keep=False),
    "stdbuf": Wrapper(words_of("-i -o -e --input --output --error"), keep=False),
    "strace": Wrapper(words_of("-o -e -p -s -P -u"), keep=False, stops=words_of("-p")),
    "ltrace": Wrapper(words_of("-o -e -p -s -u"), keep=False, stops=words_of("-p")),
    "xargs": Wrapper(
        words_of(
            "-a -d -E -I -L -n -P -s -J -R -S --arg-file --delimiter --max-args --max-procs --max-lines --max-chars"
            " --process-slot-var"
        )
    ),
    "watch": Wrapper(words_of("-n --interval -q --equexit"), keep=False, joins=True),
    "entr": Wrapper(keep=False),
    "flock": Wrapper(
        words_of("-w -E --timeout --wait --conflict-exit-code"), before=1, strings=words_of("-c --command")
    ),
    "chroot": Wrapper(words_of("--userspec --groups"), before=1),
    "runuser": Wrapper(words_of("-u -g -G -s --user --group"), strings=words_of("-c --command")),
    "su": Wrapper(words_of("-s -g -G --shell --group"), strings=words_of("-c --command"), only_strings=True),
    "systemd-run": Wrapper(
        words_of("-p -u -t --unit --property --slice --description --on-calendar --uid --gid -E --setenv")
    ),
    "unshare": _PLAIN,
    "proxychains": _PLAIN,
    "proxychains4": _PLAIN,
    "torsocks": _PLAIN,
    "xvfb-run": Wrapper(words_of("-n -s -e -f -p -w --server-num --server-args")),
    "dbus-run-session": _PLAIN,
    "faketime": Wrapper(before=1),
    "retry": Wrapper(words_of("-t -d --times --delay")),
    "dotenv": Wrapper(words_of("-e -f -c -v -p"), stops=words_of("list get set unset")),
    "dotenvx run": Wrapper(words_of("-f --env-file -e --env"), needs=_DASHES),
    "op run": Wrapper(needs=_DASHES),
    "doppler run": Wrapper(
        words_of("-p -c --project --config -t --token"), strings=words_of("--command"), needs=_DASHES
    ),
    "infisical run": Wrapper(needs=_DASHES),
    "aws-vault exec": Wrapper(words_of("-d --duration --region"), before=1),
    "direnv exec": Wrapper(before=1),
    "nix develop": Wrapper(needs=words_of("-c --command")),
    "nix shell": Wrapper(needs=words_of("-c --command")),
    "nix-shell": Wrapper(words_of("-p --packages -A -I"), strings=words_of("--run --command"), only_strings=True),
    "devbox run": _PLAIN,
    "mise exec": Wrapper(needs=_DASHES),
    "mise x": Wrapper(needs=_DASHES),
    "asdf exec": _PLAIN,
    "rbenv exec": _PLAIN,
    "pyenv exec": _PLAIN,
    "bundle exec": _PLAIN,
    "poetry run": Wrapper(words_of("-C -P --directory --project")),
    "pipenv run": _PLAIN,
    "pdm run": Wrapper(words_of("-p --project")),
    "hatch run": _PLAIN,
    "rye run": _PLAIN,
    "uv run": Wrapper(
        words_of(
            "--with --with-editable --with-requirements --extra --no-extra --group --only-group --no-group -p --python"
            " --project --directory --env-file --package --index --index-url --default-index --config-file --cache-dir"
            " --refresh-package --reinstall-package -P --upgrade-package --exclude-newer --resolution -C"
        )
    ),
    "uvx": Wrapper(
        words_of("--from --with --with-editable -p --python --index --index-url --refresh-package --env-file")
    ),
    "uv tool run": Wrapper(words_of("--from --with -p --python --index --index-url")),
    "pipx run": Wrapper(words_of("--spec --python --pip-args --index-url")),
    "conda run": _CONDA,
    "mamba run": _CONDA,
    "micromamba run": _CONDA,
    "npx": _NPX,
    "pnpx": _NPX,
    "bunx": Wrapper(words_of("-p --package")),
    "npm exec": _NPX,
    "npm x": _NPX,
    "pnpm exec": Wrapper(words_of("-C --dir --filter -F")),
    "pnpm dlx": Wrapper(words_of("--package")),
    "yarn exec": _PLAIN,
    "yarn dlx": Wrapper(words_of("-p --package")),
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
    "heroku run": Wrapper(words_of("-a --app -s --size -r --remote --type"), remote=True),
    "vagrant ssh": Wrapper(strings=words_of("-c --command"), only_strings=True, remote=True),
    "ssh": Wrapper(
        words_of("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B"), before=1, joins=True, remote=True
    ),
    "parallel": Wrapper(
        words_of("-j --jobs -a --arg-file -S --delay --timeout --joblog --colsep -I -N -n --retries"), joins=True
    ),
}
FIRST_WORDS = frozenset(name.split()[0] for name in WRAPPERS)
DEEPEST = 3
"""`uv tool run`: the longest name of a wrapper, in words."""
GLOBAL_VALUED: dict[str, frozenset[str]] = {
    "docker": words_of("-H --host --context -c --config -l --log-level"),
    "docker compose": words_of("-f --file -p --project-name --profile --env-file --project-directory --ansi"),
    "docker-compose": words_of("-f --file -p --project-name --profile --env-file --project-directory"),
    "kubectl": words_of("-n --namespace --context --cluster --kubeconfig --user -s --server --as --token"),
    "npm": words_of("--prefix -w --workspace --registry --userconfig -C"),
    "pnpm": words_of("--filter -F -C --dir --prefix"),
    "yarn": words_of("--cwd"),
    "uv": words_of("--project --directory --config-file --cache-dir --color -p --python"),
    "poetry": words_of("-C -P --directory --project"),
    "nix": words_of("--option"),
}
"""Options that stand between a program and its subcommand and take the next word."""
