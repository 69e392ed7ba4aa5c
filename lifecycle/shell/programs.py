"""What is known of common programs, as data: their subcommands, the options that take a value."""

from __future__ import annotations

from dataclasses import dataclass, field

from wellworn.lifecycle.shell.words import words_of


@dataclass(frozen=True, slots=True)
class Program:
    """How the words of a program are read.

    depth: how many of its first words name what it does. groups: first words after which one more word does.
    targets: every word that is no option names a thing to do (`make lint test`). script: the first word is a script.
    valued: options that take the next word, by the kind of value. verbs: the subcommand ends with one of these.
    """

    depth: int = 0
    groups: frozenset[str] = frozenset()
    targets: bool = False
    script: bool = False
    valued: dict[str, str] = field(default_factory=dict)
    verbs: frozenset[str] = frozenset()


def _valued(**kinds: str) -> dict[str, str]:
    return {option: kind for kind, options in kinds.items() for option in options.split()}


_ONE = Program(1)
_TASKS = Program(
    targets=True,
    valued=_valued(path="-C -f --directory --file --makefile --justfile -d --working-directory", name="-j --jobs"),
)
_SCRIPT = Program(script=True, valued=_valued(value="-c -e --eval -W -X -O -I -r --require --loader --import"))
_CLOUD_VERBS = words_of(
    "deploy create delete list describe update get set add remove start stop restart submit tail read write apply login"
    " configure import export promote rollback traffic scale show rm cp mv sync ls mb rb restore invoke"
)

PROGRAMS: dict[str, Program] = {
    "git": Program(
        1,
        words_of("stash remote submodule worktree bisect flow lfs notes subtree"),
        valued=_valued(path="-C --git-dir --work-tree", value="-c"),
    ),
    "gh": Program(
        2,
        valued=_valued(
            message="-t --title -b --body -n --notes --subject -m --message",
            path="-F --body-file --notes-file -f --field -D --dir",
            name="-R --repo -a --assignee -l --label -r --reviewer --milestone --env --json -q --jq -L --limit"
            " --template",
            branch="-B --base -H --head --target",
            value="-X --method --raw-field",
        ),
    ),
    "npm": Program(
        1,
        words_of("run dist-tag access owner config cache token org team pkg"),
        valued=_valued(
            message="-m --message",
            path="--prefix -C --userconfig",
            name="-w --workspace --tag --otp --registry --access",
        ),
    ),
    "pnpm": Program(
        1, words_of("run config store"), valued=_valued(path="-C --dir --prefix", name="-F --filter --tag --otp")
    ),
    "yarn": Program(
        1, words_of("run workspaces npm config"), valued=_valued(path="--cwd", name="--tag --otp --new-version")
    ),
    "bun": Program(1, words_of("run pm"), valued=_valued(path="--cwd", name="--filter --tag")),
    "deno": Program(1, words_of("task"), valued=_valued(path="-c --config")),
    "docker": Program(
        1,
        words_of(
            "compose image container buildx volume network system context builder manifest stack service secret swarm"
        ),
        valued=_valued(
            image="-t --tag --cache-from --cache-to",
            path="-f --file -v --volume --mount --env-file -w --workdir --project-directory --output",
            name="--name -p --publish --network -e --env --platform --build-arg --target -u --user --profile"
            " --project-name"
            " --entrypoint --label -l --restart --builder --filter --format -n --tail --since",
            value="-m --memory --cpus --gpus",
        ),
    ),
    "kubectl": Program(
        1,
        words_of("rollout config create set top auth"),
        valued=_valued(
            path="-f --filename -k --kubeconfig", name="-n --namespace --context -l --selector -c -o --output"
        ),
    ),
    "helm": Program(
        1,
        words_of("repo dependency plugin registry"),
        valued=_valued(
            path="-f --values", name="-n --namespace --set --set-string --kube-context", version="--version"
        ),
    ),
    "terraform": Program(1, words_of("state workspace providers"), valued=_valued(value="-var", path="-var-file -out")),
    "tofu": Program(1, words_of("state workspace providers"), valued=_valued(value="-var", path="-var-file -out")),
    "pulumi": Program(1, words_of("stack config plugin"), valued=_valued(name="-s --stack", message="-m --message")),
    "cargo": Program(
        1,
        valued=_valued(
            package="-p --package",
            name="--features -F --target --bin --example --test --token --profile",
            number="-j --jobs",
        ),
    ),
    "rustup": Program(1, words_of("target component toolchain override")),
    "go": Program(1, words_of("mod work tool"), valued=_valued(name="-run -tags -bench -count -ldflags", path="-o")),
    "pip": Program(
        1,
        words_of("index config cache"),
        valued=_valued(path="-r --requirement -c -e --target -t", url="-i --index-url"),
    ),
    "pipx": _ONE,
    "uv": Program(
        1,
        words_of("pip tool python cache self"),
        valued=_valued(
            path="-r --requirement --project --directory",
            name="--extra --group -p --python --token --with",
            version="--bump",
        ),
    ),
    "poetry": Program(
        1, words_of("self cache env config source"), valued=_valued(name="--with --without --group -G -r -E --extras")
    ),
    "pdm": _ONE,
    "hatch": Program(1, words_of("env version")),
    "rye": _ONE,
    "pipenv": _ONE,
    "conda": Program(
        1, words_of("env config"), valued=_valued(name="-n --name -c --channel", path="-f --file -p --prefix")
    ),
    "mamba": Program(
        1, words_of("env config"), valued=_valued(name="-n --name -c --channel", path="-f --file -p --prefix")
    ),
    "twine": Program(1, valued=_valued(name="-r --repository -u --username -p --password", url="--repository-url")),
    "gem": _ONE,
    "bundle": _ONE,
    "composer": _ONE,
    "dotnet": Program(
        1,
        words_of("nuget tool ef sln"),
        valued=_valued(
            name="-c --configuration -f --framework -k --api-key", path="-o --output -p --project", url="-s --source"
        ),
    ),
    "nuget": _ONE,
    "mvn": Program(targets=True, valued=_valued(path="-f --file", name="-pl -P")),
    "gradle": Program(targets=True, valued=_valued(path="-p -b", name="-x --tests")),
    "ant": _TASKS,
    "sbt": _TASKS,
    "make": _TASKS,
    "cmake": Program(
        valued=_valued(path="-B -S --build --install", name="-G --target --config -j --parallel --preset")
    ),
    "ctest": Program(valued=_valued(path="--test-dir", name="-R -L -E -j -C")),
    "ninja": _TASKS,
    "just": _TASKS,
    "task": _TASKS,
    "mise": Program(1, words_of("run tasks")),
    "rake": _TASKS,
    "invoke": _TASKS,
    "inv": _TASKS,
    "fab": _TASKS,
    "gulp": _TASKS,
    "grunt": _TASKS,
    "mage": _TASKS,
    "bazel": _ONE,
    "nx": Program(1, words_of("run")),
    "turbo": Program(1, words_of("run"), valued=_valued(name="--filter -F")),
    "lerna": Program(1, words_of("run")),
    "changeset": _ONE,
    "rails": _ONE,
    "alembic": Program(1, valued=_valued(message="-m --message", path="-c --config")),
    "flask": Program(1, words_of("db")),
    "prisma": Program(1, words_of("migrate db")),
    "aws": Program(
        3, verbs=_CLOUD_VERBS, valued=_valued(name="--profile --region --output --query", path="--template-file")
    ),
    "gcloud": Program(
        4, verbs=_CLOUD_VERBS, valued=_valued(name="--project --region --zone --format", image="--image")
    ),
    "gsutil": _ONE,
    "az": Program(4, verbs=_CLOUD_VERBS, valued=_valued(name="-g --resource-group -n --name -o --output")),
    "fly": Program(
        1, words_of("secrets apps ssh volumes scale machine machines postgres"), valued=_valued(name="-a --app")
    ),
    "heroku": Program(1, valued=_valued(name="-a --app -r --remote")),
    "vercel": Program(1, words_of("env domains"), valued=_valued(name="--token --scope")),
    "netlify": _ONE,
    "wrangler": Program(1, words_of("pages secret d1 kv r2")),
    "firebase": Program(1, valued=_valued(name="--only --project -P")),
    "serverless": _ONE,
    "sam": _ONE,
    "cdk": _ONE,
    "systemctl": _ONE,
    "service": Program(0),
    "brew": Program(1, words_of("services")),
    "apt": _ONE,
    "apt-get": _ONE,
    "dnf": _ONE,
    "yum": _ONE,
    "pacman": Program(0),
    "apk": _ONE,
    "nix": Program(1, words_of("flake profile")),
    "ansible-playbook": Program(
        script=True, valued=_valued(path="-i --inventory", name="-l --limit -t --tags -e --extra-vars")
    ),
    "goreleaser": _ONE,
    "pre-commit": _ONE,
    "ruff": Program(1, valued=_valued(path="--config", name="--select --ignore")),
    "tox": Program(valued=_valued(name="-e")),
    "nox": Program(valued=_valued(name="-s -e --session")),
    "pytest": Program(
        valued=_valued(name="-k -m -n -p --cov --tb --maxfail --durations", path="-c --rootdir --ignore")
    ),
    "jest": Program(valued=_valued(name="-t --testNamePattern", path="--config -c")),
    "vitest": Program(valued=_valued(name="-t --testNamePattern --project", path="--config -c")),
    "playwright": _ONE,
    "cypress": _ONE,
    "curl": Program(
        valued=_valued(
            value="-d --data --data-raw --data-binary --json -H --header -F --form -w --write-out -X --request -u"
            " --user"
            " -A --user-agent -e --referer -b --cookie -m --max-time --retry --connect-timeout",
            path="-o --output -T --upload-file -K --config -c --cookie-jar --cacert",
            url="--url -x --proxy",
        )
    ),
    "wget": Program(valued=_valued(path="-O --output-document -P -o -i", value="--header --post-data --post-file")),
    "ssh": Program(valued=_valued(path="-i -F", number="-p", name="-l -J", value="-o -L -R -D")),
    "scp": Program(valued=_valued(path="-i -F", number="-P", value="-o")),
    "rsync": Program(valued=_valued(value="-e --rsh --exclude --include --filter", path="--exclude-from")),
    "tar": Program(valued=_valued(path="-C -f --directory --exclude")),
    "psql": Program(valued=_valued(name="-U -d -h -p", value="-c", path="-f")),
    "mysql": Program(valued=_valued(name="-u -h -P -D", value="-e")),
    "sed": Program(valued=_valued(value="-e", path="-f")),
    "chmod": Program(),
    "chown": Program(),
    "mkdir": Program(valued=_valued(value="-m")),
    "touch": Program(),
    "rmdir": Program(),
    "base64": Program(),
    "ln": Program(),
    "kill": Program(),
    "pkill": Program(),
    "cp": Program(),
    "mv": Program(),
    "rm": Program(),
    "tsc": Program(valued=_valued(path="-p --project --outDir")),
    "eslint": Program(valued=_valued(path="-c --config", name="--ext --format")),
    "prettier": Program(valued=_valued(path="--config")),
    "mypy": Program(valued=_valued(path="--config-file", name="-p -m")),
    "black": Program(),
    "isort": Program(),
    "flake8": Program(),
    "pyright": Program(),
    "pylint": Program(),
    "gofmt": Program(),
    "golangci-lint": _ONE,
    "rustc": Program(valued=_valued(path="-o")),
    "gcc": Program(valued=_valued(path="-o -I -L")),
    "g++": Program(valued=_valued(path="-o -I -L")),
    "javac": Program(valued=_valued(path="-d -cp")),
    "java": Program(valued=_valued(path="-jar -cp")),
    "python": Program(script=True, valued=_valued(value="-c -W -X")),
    "node": _SCRIPT,
    "ruby": _SCRIPT,
    "perl": _SCRIPT,
    "php": _SCRIPT,
    "Rscript": _SCRIPT,
    "tsx": _SCRIPT,
    "ts-node": _SCRIPT,
    "bash": Program(script=True),
    "sh": Program(script=True),
    "zsh": Program(script=True),
    "sqlite3": Program(valued=_valued(value="-cmd")),
    "tmux": _ONE,
    "code": Program(),
    "uvicorn": Program(valued=_valued(name="--host --port --workers")),
    "gunicorn": Program(valued=_valued(name="-b -w -k --bind --workers")),
    "http-server": Program(),
    "shellcheck": Program(),
    "openssl": _ONE,
    "gpg": Program(valued=_valued(name="-u --local-user -r --recipient", path="-o --output")),
}

_BRANCHES = _valued(branch="-b -B -c -C --orphan --create")
LEAD_VALUED: dict[str, dict[str, str]] = {
    "git commit": _valued(message="-m --message", path="-F --file", name="--author --date -C -c --fixup --squash"),
    "git tag": _valued(message="-m --message", path="-F --file", name="-u --local-user --sort"),
    "git checkout": _BRANCHES,
    "git switch": _BRANCHES,
    "git branch": _valued(branch="-u --set-upstream-to"),
    "git clone": _valued(branch="-b --branch", name="--depth -o --origin"),
    "git merge": _valued(message="-m", name="-X -s"),
    "git rebase": _valued(branch="--onto", value="-x --exec", name="-X -s"),
    "git worktree": _valued(branch="-b -B"),
    "git stash": _valued(message="-m --message"),
    "git push": _valued(name="-o --push-option --repo"),
    "git log": _valued(name="-n --author --since --until --format -S -G"),
    "docker run": _valued(path="-v --volume -w --workdir", name="-e -p --name --network -u", value="-m"),
}
"""Options that take the next word only behind these; they go before the program's own."""

SAME_PROGRAM = {
    "pip3": "pip",
    "nodejs": "node",
    "gmake": "make",
    "mvnw": "mvn",
    "gradlew": "gradle",
    "flyctl": "fly",
    "opentofu": "tofu",
    "py.test": "pytest",
    "pytest3": "pytest",
    "go-task": "task",
    "nodemon": "node",
    "yarnpkg": "yarn",
    "sls": "serverless",
    "docker-compose": "docker",
    "podman": "docker",
    "dash": "sh",
    "ksh": "sh",
    "py": "python",
    "pypy": "python",
    "pypy3": "python",
}
MODULES = words_of(
    "pytest pip ruff mypy black isort flake8 twine uv pylint pre_commit tox nox alembic coverage poetry uvicorn"
    " gunicorn pyright pdm hatch mkdocs sphinx flask"
)
"""`python -m` of these is the program itself."""
CLOUD_READS = words_of("list describe show ls get tail read get-value list-objects wait")
INTERPRETERS = frozenset(name for name, program in PROGRAMS.items() if program.script)
SAME_SUBCOMMAND: dict[str, dict[str, str]] = {
    "npm": {
        "i": "install",
        "in": "install",
        "add": "install",
        "t": "test",
        "tst": "test",
        "run-script": "run",
        "rum": "run",
        "ls": "ls",
        "list": "ls",
        "info": "view",
        "show": "view",
        "rm": "uninstall",
        "up": "update",
        "clean-install": "ci",
    },
    "pnpm": {"i": "install", "t": "test", "run-script": "run", "up": "update", "rm": "remove"},
    "yarn": {"t": "test"},
    "bun": {"i": "install"},
    "cargo": {"b": "build", "t": "test", "r": "run", "c": "check", "d": "doc"},
    "git": {"annotate": "blame", "stage": "add"},
}
SAME_FLAG: dict[str, dict[str, str]] = {
    "git push": {"-f": "--force", "-d": "--delete", "--force-with-lease": "--force", "-n": "--dry-run"},
    "git branch": {"--delete": "-d"},
    "git tag": {"--delete": "-d", "--list": "-l"},
    "git clean": {"-n": "--dry-run"},
    "make": {"-n": "--dry-run", "--just-print": "--dry-run"},
    "rsync": {"-n": "--dry-run"},
}
KEY_FLAGS: dict[str, frozenset[str]] = {
    "git push": words_of("--tags --delete --force --mirror --all"),
    "git commit": words_of("--amend"),
    "git branch": words_of("-d -D -m -M"),
    "git tag": words_of("-d -l"),
    "git reset": words_of("--hard --soft"),
    "git merge": words_of("--abort --continue"),
    "git rebase": words_of("--abort --continue --skip"),
    "git cherry-pick": words_of("--abort --continue --skip"),
    "git revert": words_of("--abort --continue"),
    "git checkout": words_of("-b -B --ours --theirs"),
    "git switch": words_of("-c -C --create"),
    "git config": words_of("--get --list -l --unset"),
    "ruff check": words_of("--fix"),
    "ruff format": words_of("--check"),
    "black": words_of("--check"),
    "isort": words_of("--check --check-only"),
    "prettier": words_of("--check --write"),
    "eslint": words_of("--fix"),
    "cargo clippy": words_of("--fix"),
    "cargo fmt": words_of("--check"),
    "npm install": words_of("-g --global"),
    "pip install": words_of("-e --editable -U --upgrade"),
    "cmake": words_of("--build --install"),
    "sed": words_of("-i --in-place"),
    "docker system prune": words_of("-a"),
    "docker": words_of("--version"),
    "tsc": words_of("--noEmit"),
    "python": words_of("-c"),
    "crontab": words_of("-l -r"),
    "node": words_of("-e --eval -p"),
    "ruby": words_of("-e"),
    "perl": words_of("-e -i -pi"),
    "php": words_of("-r"),
}
ALWAYS_KEY = words_of("--dry-run")
"""Options that make other work of any command."""

YARN_COMMANDS = words_of(
    "add remove install upgrade publish version test start run workspace workspaces npm config cache link unlink why"
    " info list outdated audit init login logout pack create dlx exec set plugin dedupe up"
)
PNPM_COMMANDS = words_of(
    "add remove install update publish version test start run config store link unlink why list ls outdated audit init"
    " login logout pack create dlx exec import rebuild prune fetch deploy patch approve-builds env self-update setup"
)
BUN_COMMANDS = words_of(
    "add remove install update publish test run pm link unlink init create x build outdated upgrade audit why"
)
SCRIPT_RUNNERS = words_of("hatch pdm rye pipenv mise devbox")
"""`hatch run test` runs a script of the project, not a program of that name."""
