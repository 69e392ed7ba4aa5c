"""Rituals that the benchmark of the miner plants: how they are written down, and the pool to develop against.

A pattern is text, one step a line. ` ¦ ` parts other ways to write the step; `{version}` and the like vary from one
occurrence to the next. Signs before a step: `?` may be missing, `~` may change places with the next one, `!` fails,
`=` belongs to it but need not be found. Words before a step that is no command: `edit`, `test` (sent as a test result),
`review-` and `review+`, `advice-` and `advice+`, `gate`, `said` (by the user).
"""

# ruff: noqa: E501  lists are easier to read by the line
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wellworn.models.proposal import Signal

ALTERNATIVE, NEXT_WISH = " ¦ ", "|"
_WORDS = ("edit", "test", "review-", "review+", "advice-", "advice+", "gate", "said")


@dataclass(frozen=True, slots=True)
class Step:
    """kind: `run` or one of the words. forms: ways to write it. core: counts when it is asked what was found."""

    kind: str
    forms: tuple[str, ...]
    optional: bool = False
    swaps: bool = False
    fails: bool = False
    core: bool = True


@dataclass(frozen=True, slots=True)
class Pattern:
    """A ritual. kind: how it is drawn and reported. inputs: what a recipe must ask for. dangers: what needs a gate."""

    id: str
    kind: str
    signal: Signal
    wishes: tuple[str, ...]
    steps: tuple[Step, ...]
    inputs: tuple[str, ...] = ()
    dangers: tuple[str, ...] = ()


_SIGNALS = {
    "sequence": Signal.command_sequence,
    "release": Signal.release_ritual,
    "smoke": Signal.release_ritual,
    "review": Signal.review_loop,
    "failure": Signal.failure_recovery,
    "correction": Signal.repeated_correction,
    "advisor": Signal.advisor_warning,
    "checklist": Signal.manual_checklist,
}
DRAWN = {
    "sequence": 3,
    "release": 1,
    "smoke": 1,
    "review": 1,
    "failure": 2,
    "correction": 2,
    "advisor": 1,
    "checklist": 1,
}
"""So many of each kind are planted; twelve in all."""


def read_step(line: str) -> Step:
    """Read one line of a pattern's steps."""
    signs = ""
    while line[0] in "?~!=":
        signs, line = signs + line[0], line[1:].lstrip()
    word, _, rest = line.partition(" ")
    kind, text = (word, rest) if word in _WORDS else ("run", line)
    forms = tuple(form.strip() for form in text.split(ALTERNATIVE.strip()))
    return Step(kind, forms, "?" in signs, "~" in signs, "!" in signs, "=" not in signs)


def pattern(kind: str, name: str, wishes: str, steps: str, *, inputs: str = "", dangers: str = "") -> Pattern:
    """Make a pattern of its text; inputs: names parted by spaces; dangers: parts of commands parted by commas."""
    return Pattern(
        id=name,
        kind=kind,
        signal=_SIGNALS[kind],
        wishes=tuple(wish.strip() for wish in wishes.split(NEXT_WISH) if wish.strip()),
        steps=tuple(read_step(line.strip()) for line in steps.splitlines() if line.strip()),
        inputs=tuple(inputs.split()),
        dangers=tuple(part.strip() for part in dangers.split(",") if part.strip()),
    )


def every_form(one: Pattern) -> Iterator[str]:
    """Yield all commands of a pattern as they are written here."""
    return (form for step in one.steps if step.kind == "run" for form in step.forms)


DEVELOPMENT = (
    pattern(
        "sequence", "storybook-snapshots",
        "refresh the visual snapshots|the component screenshots are outdated, redo them|update storybook baselines|"
        "chromatic complains about changed pictures, accept the new ones|regenerate the story images",
        """npm run build-storybook ¦ npx storybook build -o {dir}
        npx test-storybook --update-snapshots ¦ npx test-storybook -u --url http://localhost:{port}
        ?node scripts/prune-snapshots.js
        git add __snapshots__ ¦ git add {path}/__snapshots__""",
    ),
    pattern(
        "sequence", "openapi-client",
        "the api changed, regenerate the client|sync our typescript client with the backend schema|new endpoint is there, "
        "make the sdk know it|client types are behind the server again|update generated api code",
        """curl -s http://localhost:{port}/openapi.json -o openapi.json ¦ curl -o openapi.json http://127.0.0.1:{port}/openapi.json -s
        npx openapi-typescript openapi.json -o {path}/schema.d.ts ¦ npx openapi-typescript -o {path}/schema.d.ts openapi.json
        npx prettier --write {path}/schema.d.ts
        npx tsc --noEmit ¦ npx tsc -p {path} --noEmit""",
        inputs="port",
    ),
    pattern(
        "sequence", "django-migration",
        "I changed the {name} model, bring the database along|make the migration for {name}|schema change on {name}, please "
        "take care of the db|add the column properly|the model and table differ, fix that",
        """python manage.py makemigrations {name} ¦ python3 manage.py makemigrations {name} -n {slug}
        python manage.py sqlmigrate {name} {n4} ¦ ./manage.py sqlmigrate {name} {n4}
        python manage.py migrate ¦ python manage.py migrate {name}
        ?python manage.py dumpdata {name} --indent 2 -o fixtures/{name}.json""",
        inputs="name",
    ),
    pattern(
        "sequence", "go-profile",
        "why is {name} slow, get me a profile|profile the {name} benchmark|where does the time go in {name}|find the hot "
        "spot of {name}|cpu profile please for {name}",
        """go test ./{name}/... -run xxx -bench . -cpuprofile cpu.out ¦ go test -bench . -run xxx -cpuprofile cpu.out ./{name}/...
        go tool pprof -top cpu.out ¦ go tool pprof -top -cum cpu.out
        benchstat bench/{name}-old.txt bench/{name}-new.txt""",
        inputs="name",
    ),
    pattern(
        "sequence", "dbt-refresh",
        "rebuild the {name} mart|the {name} numbers in the dashboard are stale, run the models|refresh {name} in the warehouse|"
        "load yesterday's {name} and rebuild|can you rerun the {name} transformation",
        """python pipelines/extract.py --source {name} --date {date} ¦ python pipelines/extract.py --date {date} --source {name}
        dbt seed --select {name}
        dbt run --select {name}+ ¦ dbt run -s {name}+ --target {env}
        ~dbt test --select {name} ¦ dbt test -s {name}
        ?python pipelines/row_counts.py {name}""",
        inputs="date name",
    ),
    pattern(
        "sequence", "godot-level",
        "put level {n} into the game|import the new map {n}|level designer sent {n}, wire it in|new tiles for level {n}|"
        "get level {n} playable",
        """python tools/tiled2scene.py maps/level{n}.tmx scenes/level{n}.tscn
        ~godot --headless --import ¦ godot --import --headless
        godot --headless --script tools/check_colliders.gd -- level{n}
        godot --headless --export-debug Linux build/game.x86_64""",
        inputs="n",
    ),
    pattern(
        "sequence", "protobuf-change",
        "a field was added to the {name} message, regenerate everything|proto change in {name}|make the stubs fit the new "
        "{name}.proto|grpc code out of date|regen protobufs",
        """buf lint proto/{name} ¦ buf lint
        buf breaking --against '.git#branch=main' ¦ buf breaking --against ".git#branch=main"
        buf generate ¦ buf generate --path proto/{name}
        ?go mod tidy
        go vet ./gen/...""",
    ),
    pattern(
        "release", "npm-release",
        "ship {version}|release a new version to npm|publish it|cut {version} and push it out|time for a release|"
        "get {version} on the registry",
        """npm version {version} --no-git-tag-version ¦ npm version {version}
        ~npm run build ¦ npm run build -- --minify
        npx changelogen --release -r {version} ¦ npx changelogen -r {version} --release
        git commit -am "release {version}" ¦ git commit -a -m 'release {version}'
        git tag v{version} ¦ git tag -a v{version} -m "{version}"
        =gate git_push
        git push --follow-tags ¦ git push origin main --follow-tags
        npm publish ¦ npm publish --access public""",
        inputs="version", dangers="npm publish, git push",
    ),
    pattern(
        "release", "pypi-release",
        "new python release please, {version}|upload {version} to pypi|let's get {version} out of the door|bump to {version} and "
        "publish the wheel|users wait for {version}",
        """uv version {version} ¦ uv version --bump patch
        uv lock
        rm -rf dist
        uv build ¦ uv build --wheel --sdist
        ?uvx twine check dist/*
        git tag {version} ¦ git tag v{version}
        ~git push --tags ¦ git push origin --tags
        uv publish ¦ uv publish --index {env}""",
        inputs="version", dangers="uv publish, git push",
    ),
    pattern(
        "release", "crate-release",
        "publish the crate|crates.io release {version}|cut version {version} of the library|release the rust lib|"
        "tag and upload {version}",
        """cargo set-version {version} ¦ cargo set-version --workspace {version}
        ~git cliff -t {version} -o CHANGELOG.md ¦ git cliff --tag {version} -o CHANGELOG.md
        cargo publish --dry-run ¦ cargo publish -p {name} --dry-run
        git commit -am 'chore: {version}'
        =gate publish
        cargo publish ¦ cargo publish -p {name}
        git push origin main v{version} ¦ git push origin v{version} main""",
        inputs="version", dangers="cargo publish, git push",
    ),
    pattern(
        "release", "helm-rollout",
        "roll {version} out to {env}|deploy {service} {version}|bring the new {service} image to {env}|put {version} on the "
        "cluster|update {service} in {env}",
        """docker build -t registry.example.com/{service}:{version} . ¦ docker build . -t registry.example.com/{service}:{version}
        docker push registry.example.com/{service}:{version}
        helm diff upgrade {service} charts/{service} --set image.tag={version} -n {env}
        =gate deploy
        helm upgrade {service} charts/{service} -n {env} --set image.tag={version} ¦ helm upgrade --install {service} charts/{service} --set image.tag={version} -n {env}
        kubectl -n {env} rollout status deploy/{service} ¦ kubectl rollout status deploy/{service} -n {env}""",
        inputs="version", dangers="helm upgrade, docker push",
    ),
    pattern(
        "smoke", "npm-install-smoke",
        "does the published package install cleanly|try {version} from npm in an empty folder|install the latest locally and "
        "see that it starts|smoke test the package|check what users get",
        """npm view {pkg} version ¦ npm view {pkg}@latest version
        npm pack {pkg}@{version} ¦ npm pack {pkg}@latest
        npm install -g {pkg}@{version} ¦ npm i -g {pkg}@{version}
        {pkg} --version
        ?{pkg} doctor""",
        inputs="version",
    ),
    pattern(
        "smoke", "wheel-smoke",
        "check that the wheel works outside of the repo|install the built wheel in a clean venv|does {version} import|"
        "try the artifact like a user would|is the package complete",
        """python -m venv /tmp/smoke-{n} ¦ uv venv /tmp/smoke-{n}
        /tmp/smoke-{n}/bin/pip install dist/{name}-{version}-py3-none-any.whl
        /tmp/smoke-{n}/bin/python -c 'import {name}; print({name}.__version__)' ¦ /tmp/smoke-{n}/bin/python -c "import {name}"
        /tmp/smoke-{n}/bin/pip check""",
        inputs="version",
    ),
    pattern(
        "smoke", "apk-smoke",
        "put the new build on the test phone|does build {n} start on android|try the app on the device|install the debug apk "
        "and see if it crashes|quick check on hardware",
        """./gradlew assembleDebug ¦ ./gradlew :app:assembleDebug
        adb install -r app/build/outputs/apk/debug/app-debug.apk
        adb shell am start -n com.example.{name}/.MainActivity
        adb logcat -d -s AndroidRuntime:E ¦ adb logcat -s AndroidRuntime:E -d""",
    ),
    pattern(
        "review", "codex-loop",
        "work this PR until codex is happy|address the high and medium concerns|fix what the reviewer found in #{pr}|get PR "
        "{pr} through review|codex has comments again|make the review green",
        """codex review --base main ¦ codex review
        review- codex review: {high} high, {medium} medium concerns
        edit {file}
        test pytest -q ¦ pytest tests -q
        git commit -am "address review" ¦ git commit -a -m 'review: {msg}'
        =git push ¦ git push origin {branch}
        review+ codex review: no high or medium concerns left""",
        dangers="git push",
    ),
    pattern(
        "review", "rabbit-loop",
        "the rabbit left comments on {pr}|go through the review bot's remarks|resolve all threads on {pr}|bot review: please "
        "handle it|finish the open review conversations",
        """gh pr view {pr} --comments ¦ gh pr view --comments {pr}
        review- coderabbit: {high} actionable comments
        edit {file}
        npx vitest run {path} ¦ npx vitest run
        git commit -am 'fix: {msg}'
        gh pr comment {pr} --body "@coderabbitai review" ¦ gh pr comment {pr} -b '@coderabbitai review'
        review+ coderabbit: approved, 0 actionable comments""",
    ),
    pattern(
        "review", "clippy-maintainer-loop",
        "upstream wants changes on {pr}|maintainer requested changes, go|handle the change requests|please get {pr} approved|"
        "reviewer is not satisfied yet",
        """gh api repos/acme/engine/pulls/{pr}/comments
        review- review by maintainer: changes requested, {medium} comments
        edit {file}
        cargo clippy --all-targets -- -D warnings ¦ cargo clippy --all-targets
        cargo test ¦ cargo test --workspace
        git push --force-with-lease ¦ git push --force-with-lease origin {branch}
        review+ review by maintainer: approved""",
        dangers="git push",
    ),
    pattern(
        "failure", "stale-prisma",
        "run the backend tests|does the api still work|start the api|check the {name} endpoint|tests please",
        """!npm run test:api ¦ npm run test:api -- {name}
        npx prisma generate ¦ npx prisma generate --schema prisma/schema.prisma
        npx prisma migrate dev ¦ npx prisma migrate dev --name {slug}
        npm run test:api ¦ npm run test:api -- {name}""",
    ),
    pattern(
        "failure", "port-taken",
        "start the dev server|bring the app up|let me see it in the browser|run it locally",
        """!npm run dev ¦ npm run dev -- --port {port}
        lsof -ti :{port} ¦ lsof -t -i :{port}
        kill -9 {pid} ¦ kill {pid}
        npm run dev ¦ npm run dev -- --port {port}""",
    ),
    pattern(
        "failure", "terraform-lock",
        "plan the {env} change|what would terraform do in {env}|show me the infra diff|terraform for {env} please",
        """!terraform plan -var-file={env}.tfvars ¦ terraform plan -var-file {env}.tfvars -out plan.bin
        terraform init -upgrade ¦ terraform init -upgrade -reconfigure
        terraform plan -var-file={env}.tfvars ¦ terraform plan -var-file {env}.tfvars -out plan.bin""",
    ),
    pattern(
        "failure", "poetry-lock",
        "install dependencies|set the project up after the pull|get the env running|add {pkg} to the project",
        """!poetry install ¦ poetry install --with dev
        poetry lock ¦ poetry lock --no-update
        poetry install ¦ poetry install --with dev""",
    ),
    pattern(
        "failure", "pods-out-of-sync",
        "build the ios app|does the iphone build work|run it in the simulator|ios build please",
        """!xcodebuild -workspace App.xcworkspace -scheme App ¦ xcodebuild -scheme App -workspace App.xcworkspace
        pod deintegrate
        pod install --repo-update ¦ pod install
        xcodebuild -workspace App.xcworkspace -scheme App ¦ xcodebuild -scheme App -workspace App.xcworkspace""",
    ),
    pattern(
        "correction", "use-pnpm",
        "add {pkg} to the web package|we need {pkg}|install {pkg} for the frontend|use {pkg} for this",
        """=npm install {pkg} ¦ npm i {pkg}
        said no, use pnpm ¦ pnpm please, not npm ¦ don't use npm here, we use pnpm ¦ not npm! pnpm ¦ again: pnpm instead of npm
        =pnpm add {pkg} ¦ pnpm add {pkg} --filter web""",
    ),
    pattern(
        "correction", "no-amend",
        "also fix the typo in {file}|the test should be in the same PR|add the missing import|one more thing: {msg}",
        """=git commit --amend --no-edit ¦ git commit --amend -m "{msg}"
        said don't amend, make a new commit ¦ no amending please, a separate commit ¦ stop amending commits, add a new commit ¦ I said no amend. New commit instead
        =git commit -m "{msg}" ¦ git commit -m 'fixup: {msg}'""",
    ),
    pattern(
        "correction", "docker-compose-tests",
        "run the integration tests|do the db tests pass|check the whole suite against postgres|verify with a real database",
        """=pytest tests/integration ¦ pytest tests/integration -x
        said no, run the integration tests inside docker compose ¦ not on the host, use docker compose for the integration tests ¦ integration tests go through docker compose, not locally ¦ wrong, integration tests must run in the compose container
        =docker compose run --rm api pytest tests/integration ¦ docker compose run --rm api pytest tests/integration -x""",
    ),
    pattern(
        "correction", "small-prs",
        "open the PR|make a pull request of this|put it up for review|send it upstream",
        """=gh pr create --fill ¦ gh pr create --fill --base main
        said no, open it as a draft PR first ¦ should be a draft pull request, not ready for review ¦ please always make it a draft PR ¦ don't open it ready, draft PR please
        =gh pr create --draft --fill ¦ gh pr create --fill --draft""",
    ),
    pattern(
        "correction", "no-sleep-in-tests",
        "the {name} test is flaky, fix it|make test_{name} stable|{name} test fails sometimes|stabilise {file}",
        """=edit {file}
        said no sleeps in tests, use a fake clock ¦ don't add sleep, use the fake clock instead ¦ please not time.sleep, we have a fake clock for that ¦ wrong again: remove the sleep and use the fake clock
        =edit {file}""",
    ),
    pattern(
        "advisor", "lockfile-warning",
        "bump the deps|merge main into my branch|update {pkg}|take over the dependency PR",
        """advice- warning: lock file out of date ¦ lockfile does not match package.json ¦ warning: package-lock.json out of date after merge
        rm -rf node_modules
        npm install --package-lock-only ¦ npm install --package-lock-only --ignore-scripts
        npm dedupe
        ?advice+ lock file matches""",
    ),
    pattern(
        "advisor", "image-scan-warning",
        "build the {service} image|new base image for {service}|prepare {service} for the deploy",
        """advice- warning: critical CVEs in the {service} image ¦ image of {service} has {high} critical vulnerabilities ¦ warning: vulnerable base image for {service}
        docker pull python:3.12-slim ¦ docker pull python:3.13-slim
        docker build --no-cache -t {service}:{sha} . ¦ docker build -t {service}:{sha} --no-cache .
        trivy image {service}:{sha} ¦ trivy image --severity CRITICAL {service}:{sha}
        ?advice+ no critical CVEs left""",
    ),
    pattern(
        "advisor", "coverage-warning",
        "finish the {name} feature|is {name} done|wrap up {name}",
        """advice- warning: coverage of {name} fell below 85 % ¦ coverage dropped to {n} % in {name} ¦ warning: {name} is not covered enough
        coverage run -m pytest tests/{name} ¦ python -m coverage run -m pytest tests/{name}
        coverage report --show-missing ¦ coverage report -m --include "src/{name}/*"
        edit tests/test_{name}.py
        coverage html -d {dir}""",
    ),
    pattern(
        "checklist", "merge-checklist-web",
        "is {branch} ready to merge|final checks and then merge {pr}|land {pr}|go through our merge list for {pr}|"
        "do the usual before merging",
        """~npx eslint . --max-warnings 0 ¦ npx eslint --max-warnings 0 src
        ~npx playwright test ¦ npx playwright test --project chromium
        ~npx size-limit
        npx license-checker --summary ¦ npx license-checker --production --summary
        =gate pr_merge
        gh pr merge {pr} --squash ¦ gh pr merge --squash {pr}""",
        inputs="pr", dangers="gh pr merge",
    ),
    pattern(
        "checklist", "release-checklist-go",
        "are we good to tag {version}|pre-release checks|check everything before {version}|the list before tagging please",
        """~golangci-lint run ¦ golangci-lint run ./...
        ~govulncheck ./...
        ~go test -race ./... ¦ go test ./... -race
        ?markdown-link-check README.md
        goreleaser check
        git tag -s v{version} -m v{version} ¦ git tag -s -m v{version} v{version}""",
        inputs="version", dangers="git tag",
    ),
    pattern(
        "checklist", "merge-checklist-infra",
        "can {pr} go in|last look at the infra PR {pr}, then merge|infra change {pr}: verify and land|take {pr} over the line",
        """~terraform fmt -check -recursive
        ~tflint --recursive ¦ tflint --recursive --config .tflint.hcl
        ~checkov -d . --quiet ¦ checkov -d infra --quiet
        infracost diff --path . ¦ infracost diff --path infra
        =gate pr_merge
        gh pr merge {pr} --merge --delete-branch ¦ gh pr merge --delete-branch --merge {pr}""",
        inputs="pr", dangers="gh pr merge",
    ),
)  # fmt: skip
"""To look at while the miner is made."""
