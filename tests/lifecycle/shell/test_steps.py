import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.lifecycle.shell.parse import parse_line
from wellworn.lifecycle.shell.steps import CommandStep, fill, steps_of


def only(line: str) -> CommandStep:
    steps = [step for step in steps_of(line) if not step.noise]
    assert len(steps) == 1, steps
    return steps[0]


@pytest.mark.parametrize(
    "group",
    [
        (
            "npm test",
            "npm t",
            "npm run test",
            "npm run test -- --watch",
            "cd app && CI=1 npm test",
            "npm test | tail -5",
        ),
        (
            "npm version",
            "npm version 1.2.3",
            "npm version patch",
            'npm version "v2.0.0-rc.1"',
            "npm version minor -m 'x'",
        ),
        (
            "npm run build",
            "npm run-script build",
            "npm run build --silent",
            "time npm run build",
            "npm --prefix a run build",
        ),
        (
            "pytest",
            "pytest -q tests",
            "python -m pytest -x",
            ".venv/bin/pytest a",
            "uv run pytest -k b",
            "python3 -m pytest",
        ),
        (
            "git push",
            "git push origin main",
            "git -C x push -u origin b",
            "sudo git push",
            "git push --set-upstream origin x",
        ),
        ("git push --tags", "git push origin --tags", "git push --tags origin", "env A=1 git push --tags"),
        ("git push --delete", "git push -d origin x", "git push origin :x"),
        ("git push --force", "git push -f", "git push --force-with-lease origin x", "git push origin +main"),
        ("gh pr merge", "gh pr merge 12 --squash", "gh pr merge --squash 7", "gh -R a/b pr merge 3"),
        ("python scripts/release.py", "python3 ./scripts/release.py 1.2.3", "python scripts/release.py --dry"),
        (
            "scripts/release.sh",
            "./scripts/release.sh",
            "bash scripts/release.sh 1.0.0",
            "sh ./scripts/release.sh patch",
        ),
        ("twine upload", "python -m twine upload dist/*", "twine upload -r pypi dist/a.whl", "uvx twine upload dist/*"),
        ("docker compose up", "docker-compose up -d", "docker compose -f a.yml up --build"),
        ("make release", "make release VERSION=1", "make -C sub release", "make -j4 release"),
        ("yarn run build", "yarn build", "yarn run build"),
        ("vitest", "vitest run", "npx vitest run", "npx -y vitest@latest run", "pnpm exec vitest run"),
        ("gradle test", "./gradlew test", "gradle test --info"),
        ("pip install", "pip3 install x", "python -m pip install -r requirements.txt"),
        ("ssh systemctl restart", "ssh host 'systemctl restart x'", "ssh -p 22 me@h 'cd /srv; systemctl restart y'"),
    ],
)
def test_one_kind_of_work_has_one_key(group: tuple[str, ...]) -> None:
    key, *lines = group
    assert {line: only(line).key for line in lines} == dict.fromkeys(lines, key)


@pytest.mark.parametrize(
    "group",
    [
        ("npm run build", "npm run lint", "npm test", "npm ci", "npm install", "npm publish", "npm publish --dry-run"),
        ("git push", "git push --tags", "git push --delete origin x", "git push -f", "git push --mirror", "git pull"),
        ("docker build .", "docker run x", "docker push x", "docker compose up", "docker compose down"),
        ("gh pr merge 1", "gh pr create", "gh release create v1", "gh workflow run x", "gh pr checks 1"),
        ("python -m build", "python -m twine upload x", "python a.py", "python b.py"),
        ("make release", "make test", "make lint test"),
        ("terraform plan", "terraform apply", "terraform destroy"),
        ("kubectl apply -f x", "kubectl delete -f x", "kubectl rollout status x", "kubectl rollout restart x"),
        ("cargo publish", "cargo test", "cargo build"),
        ("python manage.py migrate", "python manage.py test"),
        ("just release", "just test"),
        ("ruff check .", "ruff check --fix .", "ruff format ."),
        ("git commit -m x", "git commit --amend"),
        ("aws s3 cp a b", "aws s3 rm a", "aws ecs update-service --cluster x"),
        ("gcloud run deploy x", "gcloud app deploy"),
        ("hatch run test", "hatch run lint", "hatch build"),
        ("cmake -B build", "cmake --build build"),
    ],
)
def test_other_work_has_another_key(group: tuple[str, ...]) -> None:
    assert len({only(line).key for line in group}) == len(group)


@pytest.mark.parametrize(
    ("line", "template"),
    [
        ("npm version 1.2.3", "npm version <version>"),
        ("npm version patch", "npm version <version>"),
        ("git push origin main", "git push <remote> <branch>"),
        ("git push origin v1.2.3", "git push <remote> <tag>"),
        ("pytest tests/a.py -q", "pytest <path> -q"),
        ("git commit -am 'fix: it'", "git commit -am <message>"),
        ("git tag -a v1.2.3 -m 'x'", "git tag -a <tag> -m <message>"),
        ("curl -fsSL https://x.y/z -o out", "curl -fsSL <url> -o <path>"),
        ("gh pr merge 12 --squash", "gh pr merge <pr> --squash"),
        ("gh pr create --title 'a b' --body=c", "gh pr create --title <message> --body=<message-2>"),
        ("cp a.txt b/c", "cp <path> <path-2>"),
        ("make -j4 release V=1.2", "make -j<number> release <value>"),
        ("docker build -t a/b:1.2 .", "docker build -t <image> <path>"),
        ("A=1 uv run pytest x", "A=<value> uv run pytest <path>"),
        ("git checkout 1a2b3c4d", "git checkout <hash>"),
        ("kubectl rollout status deploy/x -n prod", "kubectl rollout status <name> -n <name-2>"),
        ("pip install -r requirements.txt", "pip install -r <path>"),
        ("echo 1.2.3 > VERSION", "echo <version> > <path>"),
    ],
)
def test_what_can_vary_is_taken_out(line: str, template: str) -> None:
    step = only(line)
    assert step.template == template
    assert fill(step.template, step.values) == line


@pytest.mark.parametrize(
    "line",
    [
        "ls -la", "cat x | grep y | head -3", "cd x", "git status", "git log --oneline", "git branch", "git branch -a",
        "git tag", "git diff", "pwd", "echo done", "sleep 5", "which git", "find . -name x", "rg x", "jq . a.json",
        "sed -n 1,5p x", "awk '{print $1}'", "vim x", "code .", "gh pr view 1", "gh pr list", "kubectl get pods",
        "kubectl logs x", "docker ps", "docker images", "npm ls", "npm outdated", "terraform show",
        "git fetch --dry-run",
        "python -c 'print(1)'", "node -e 'x'", "node --version", "aws s3 ls", "gcloud run services list", "date",
        "true",
        "pip list", "git remote -v", "git stash list", "cat <<EOF\nx\nEOF", "source .venv/bin/activate", "export A=1",
    ],
)  # fmt: skip
def test_what_only_looks_is_noise(line: str) -> None:
    steps = steps_of(line)
    assert steps
    assert all(step.noise for step in steps)


@pytest.mark.parametrize(
    "line",
    [
        "git add -A", "git fetch", "git branch -D x", "git branch x", "git tag v1", "npm run dev", "npm view x version",
        "pip index versions x", "gh run watch", "gh pr checks 1", "sed -i s/a/b/ x", "echo 1 > VERSION",
        "find . -delete",
        "mytool --version", "git remote add a b", "npm whoami", "mkdir x", "hatch run test", "kubectl apply -f x",
    ],
)  # fmt: skip
def test_what_changes_runs_or_checks_is_no_noise(line: str) -> None:
    assert not any(step.noise for step in steps_of(line))


@pytest.mark.parametrize("line", ["Please fix the tests and run them", "def f(a: int) -> b:", "a 'b", ""])
def test_a_text_that_is_no_shell_has_no_steps(line: str) -> None:
    assert steps_of(line) == ()


_PIECES = st.sampled_from(
    [
        "git", "push", "npm", "run", "version", "pytest", "python", "-m", "make", "docker", "-t", "--tag", "--x=y",
        "-am",
        "1.2.3", "a/b", "'a b'", '"c $d"', "main", "origin", "--", "-j4", "--message='x y'", "http://a.b/c",
        "x.py", "-c",
        "'<path>'", "--a='<path>'", "$x", "3", "sudo", "npx", "A=1", "deadbeef1", "*.txt", "''", "gh", "pr", "-b", "é",
    ]
)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(_PIECES, min_size=1, max_size=8).map(" ".join))
def test_a_filled_template_is_the_command_again(line: str) -> None:
    for step in steps_of(line):
        again = fill(step.template, step.values)
        (read,) = [one for one in parse_line(again).commands if one.program]
        assert read in [
            type(read)(one.program, one.words, one.assignments, (), one.name, one.prefix, read.via)
            for one in parse_line(line).commands
        ]
        assert [(one.key, one.template) for one in steps_of(again)] == [(step.key, step.template)]
