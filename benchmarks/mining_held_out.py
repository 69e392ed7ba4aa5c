"""Rituals of the benchmark of the miner that are for reporting only: nothing is tuned to them."""

# ruff: noqa: E501  lists are easier to read by the line
from __future__ import annotations

from benchmarks.mining_patterns import pattern

HELD_OUT = (
    pattern(
        "sequence", "alembic-revision",
        "new column on {name}, do the alembic thing|migrate the {name} table|the {name} model got a field|db revision for "
        "{name} please|keep schema and models together after my change to {name}",
        """alembic revision --autogenerate -m "{msg}" ¦ alembic revision -m '{msg}' --autogenerate
        ~edit migrations/versions/{sha}_{slug}.py
        alembic upgrade head --sql ¦ alembic upgrade head --sql > /tmp/{slug}.sql
        alembic upgrade head
        ?alembic downgrade -1
        alembic check""",
    ),
    pattern(
        "sequence", "icon-sprites",
        "new icons from design, add them|the {name} icon is missing in the sprite|rebuild the svg sprite|designers changed the "
        "icons|import the exported icons",
        """npx svgo -f {path}/icons -o assets/icons ¦ npx svgo -o assets/icons -f {path}/icons
        node scripts/build-sprite.mjs ¦ node scripts/build-sprite.mjs --out {dir}/sprite.svg
        npx tsx scripts/icon-types.ts
        npx prettier --write src/icons/types.ts""",
    ),
    pattern(
        "sequence", "k8s-restart-debug",
        "{service} in {env} hangs again|pods of {service} look sick|restart {service} on {env} and see why it died|{service} "
        "does not answer in {env}|have a look at {service} on the cluster",
        """kubectl -n {env} describe pod -l app={service} ¦ kubectl describe pod -l app={service} -n {env}
        kubectl -n {env} logs deploy/{service} --previous --tail={n} ¦ kubectl logs deploy/{service} --tail={n} --previous -n {env}
        kubectl -n {env} rollout restart deploy/{service}
        kubectl -n {env} rollout status deploy/{service} --timeout=120s ¦ kubectl -n {env} rollout status deploy/{service}""",
        inputs="service", dangers="rollout restart",
    ),
    pattern(
        "sequence", "translations",
        "strings changed, update the translations|new texts for the {name} page need translating|sync with the translators|"
        "pull the latest locales|german is behind",
        """python manage.py makemessages -a ¦ django-admin makemessages --all
        tx push -s ¦ tx push --source
        tx pull -a --minimum-perc={n} ¦ tx pull --all
        python manage.py compilemessages ¦ django-admin compilemessages""",
    ),
    pattern(
        "sequence", "model-retrain",
        "retrain the {name} model on data until {date}|new training data for {name}|train {name} again|the {name} predictions "
        "drift, fit it anew|refresh the {name} classifier",
        """dvc pull data/{name}.dvc ¦ dvc pull
        python train.py --config configs/{name}.yaml --until {date} ¦ python train.py --until {date} --config configs/{name}.yaml
        python evaluate.py runs/{name}-{date}
        ~dvc add models/{name}.pt ¦ dvc add models/{name}.pt --file models/{name}.dvc
        dvc push""",
        inputs="date name",
    ),
    pattern(
        "sequence", "unity-addressables",
        "content update for {n}|artists pushed new assets, rebuild the bundles|build the addressables|put the new {name} "
        "skin into the test build|asset bundles are old",
        """git lfs pull ¦ git lfs pull --include "Assets/{name}"
        unity-editor -batchmode -quit -executeMethod Build.Addressables -logFile - ¦ unity-editor -quit -batchmode -logFile - -executeMethod Build.Addressables
        python Tools/bundle_sizes.py ServerData
        butler push ServerData acme/game:content-{n}""",
        dangers="butler push",
    ),
    pattern(
        "sequence", "bench-compare",
        "did my change make {name} slower|compare {name} with main|benchmark this against the baseline|is {branch} faster|"
        "numbers for {name} please",
        """cargo bench --bench {name} -- --save-baseline {slug} ¦ cargo bench --bench {name} -- --save-baseline mine
        git switch main ¦ git checkout main
        cargo bench --bench {name} -- --save-baseline main
        ?git switch -
        critcmp main {slug} ¦ critcmp main mine""",
        inputs="name",
    ),
    pattern(
        "release", "poetry-release",
        "publish {version} of the client library|release the python client|make {version} official|new version for the data "
        "team, {version}|ship the client",
        """poetry version {version} ¦ poetry version patch
        towncrier build --yes --version {version} ¦ towncrier build --version {version} --yes
        git commit -am "Release {version}"
        poetry build
        git tag v{version} ¦ git tag -a v{version} -m 'v{version}'
        =gate publish
        poetry publish ¦ poetry publish -r {env}
        git push origin main --tags ¦ git push --tags origin main""",
        inputs="version", dangers="poetry publish, git push",
    ),
    pattern(
        "release", "docs-site-release",
        "put the docs of {version} online|publish the documentation|docs for {version} should go live|the website still shows "
        "the old docs|release notes and docs for {version}",
        """mkdocs build --strict ¦ mkdocs build --strict -d {dir}
        npx linkinator {dir} --recurse ¦ npx linkinator --recurse {dir}
        mike deploy {version} latest --update-aliases ¦ mike deploy --update-aliases {version} latest
        mike set-default latest
        git push origin gh-pages""",
        inputs="version", dangers="git push",
    ),
    pattern(
        "release", "fastlane-release",
        "new beta {version} to testflight|ship {version} to the testers|ios beta please|upload {version} to apple|get {version} "
        "onto the testers' phones",
        """agvtool new-marketing-version {version}
        agvtool next-version -all
        bundle exec fastlane tests ¦ fastlane tests
        =gate publish
        bundle exec fastlane beta ¦ fastlane beta changelog:"{msg}"
        git tag ios-{version} ¦ git tag -a ios-{version} -m "{version}"
        git push origin ios-{version}""",
        inputs="version", dangers="fastlane beta, git push",
    ),
    pattern(
        "release", "lambda-release",
        "deploy {service} to {env}|push the {service} function live|bring {service} {version} to {env}|update the lambda for "
        "{service}|{service} should run the new code in {env}",
        """sam build {service} ¦ sam build --use-container {service}
        sam local invoke {service} -e events/{service}.json ¦ sam local invoke -e events/{service}.json {service}
        =gate deploy
        sam deploy --config-env {env} --no-confirm-changeset ¦ sam deploy --no-confirm-changeset --config-env {env}
        aws lambda publish-version --function-name {service}
        aws logs tail /aws/lambda/{service} --since 5m""",
        inputs="service", dangers="sam deploy",
    ),
    pattern(
        "smoke", "image-smoke",
        "does the pushed image start|pull {version} and try it|smoke test the container|check the registry's {service} image|"
        "run {version} once before we announce it",
        """docker pull ghcr.io/acme/{service}:{version}
        docker run -d --rm -p {port}:8080 --name smoke ghcr.io/acme/{service}:{version} ¦ docker run --rm -d --name smoke -p {port}:8080 ghcr.io/acme/{service}:{version}
        curl -fsS http://localhost:{port}/healthz ¦ curl -sfS http://127.0.0.1:{port}/healthz
        docker stop smoke""",
        inputs="version",
    ),
    pattern(
        "smoke", "brew-smoke",
        "does the formula install {version}|try homebrew with the new version|check the tap|install via brew and run it once|"
        "verify what mac users get",
        """brew update
        ~brew uninstall {name}
        brew install acme/tap/{name} ¦ brew install --formula acme/tap/{name}
        {name} --version
        brew test {name} ¦ brew test --verbose {name}""",
    ),
    pattern(
        "smoke", "cargo-install-smoke",
        "install the released binary and try it|does cargo install work for {version}|smoke test {version} of the cli|check the "
        "crate from crates.io|what happens on a clean install",
        """cargo install {name} --version {version} --locked --force ¦ cargo install {name} --locked --force --version {version}
        {name} --version
        {name} init /tmp/{slug}
        {name} check /tmp/{slug} ¦ {name} check --strict /tmp/{slug}""",
        inputs="version",
    ),
    pattern(
        "review", "gemini-loop",
        "the ai reviewer complains on {pr}|fix gemini's findings|make {pr} pass the automatic review|another round with the "
        "review bot|clear the bot findings of {pr}",
        """gh pr diff {pr} ¦ gh pr diff {pr} --color never
        review- gemini code assist: {high} high severity, {medium} medium
        edit {file}
        test go test ./... ¦ go test ./{name}/...
        git commit -am "{msg}"
        git push origin HEAD ¦ git push origin {branch}
        review+ gemini code assist: no issues""",
        dangers="git push",
    ),
    pattern(
        "review", "security-review-loop",
        "security team flagged {pr}|get the semgrep findings to zero|work off the security review|appsec wants changes in {pr}|"
        "clean the security report",
        """semgrep scan --config auto {path} ¦ semgrep scan {path} --config auto
        review- security review: {high} findings to fix
        edit {file}
        pytest tests/security ¦ pytest tests/security -q
        git commit -am 'sec: {msg}'
        semgrep scan --config auto {path} ¦ semgrep scan {path} --config auto
        review+ security review: passed""",
    ),
    pattern(
        "review", "design-review-loop",
        "{name} got feedback from design, apply it|design review of {pr} is in|adjust to the designer's notes|polish until "
        "design signs off|next round of visual feedback",
        """gh pr view {pr} --json reviews ¦ gh pr view --json reviews {pr}
        review- design review: {medium} changes requested
        edit src/{name}/styles.css
        npm run screenshots ¦ npm run screenshots -- {name}
        gh pr comment {pr} --body-file shots.md ¦ gh pr comment --body-file shots.md {pr}
        review+ design review: approved""",
    ),
    pattern(
        "failure", "bazel-stale-cache",
        "build //{name}|does bazel build {name} pass|build everything|compile the server",
        """!bazel build //{name}/... ¦ bazel build //{name}:all
        bazel shutdown
        bazel clean --expunge ¦ bazel clean --expunge --async
        bazel build //{name}/... ¦ bazel build //{name}:all""",
    ),
    pattern(
        "failure", "aws-sso-expired",
        "list what is in the {env} bucket|sync the reports from s3|copy yesterday's dump|look at the {env} queue",
        """!aws s3 sync s3://acme-{env}/{name} data/{name} ¦ aws s3 sync s3://acme-{env}/{name} ./data --profile {env}
        aws sso login --profile {env}
        aws s3 sync s3://acme-{env}/{name} data/{name} ¦ aws s3 sync s3://acme-{env}/{name} ./data --profile {env}""",
    ),
    pattern(
        "failure", "go-sum-missing",
        "build the {name} binary|compile it|does {name} still build|go build please",
        """!go build ./cmd/{name} ¦ go build -o bin/{name} ./cmd/{name}
        go mod tidy
        go mod download ¦ go mod download -x
        go build ./cmd/{name} ¦ go build -o bin/{name} ./cmd/{name}""",
    ),
    pattern(
        "failure", "testcontainers-docker-down",
        "run the repository tests|integration tests of {name}|are the db tests green|verify {name} against the database",
        """!./mvnw verify -pl {name} ¦ mvn verify -pl {name}
        colima start ¦ colima start --memory 8
        docker context use colima
        ./mvnw verify -pl {name} ¦ mvn verify -pl {name}""",
    ),
    pattern(
        "failure", "snapshot-mismatch",
        "run the ui tests|vitest please|are the component tests ok after the change to {name}|check {name} in the frontend",
        """!npx vitest run src/{name} ¦ npx vitest run
        npx vitest run -u src/{name} ¦ npx vitest run src/{name} -u
        git diff --stat -- '*.snap'
        npx vitest run src/{name} ¦ npx vitest run""",
    ),
    pattern(
        "correction", "use-uv",
        "add {pkg} to the service|we need {pkg} here|install {pkg}|put {pkg} into the dependencies",
        """=pip install {pkg} ¦ pip install -U {pkg}
        said no pip, use uv add ¦ use uv, not pip ¦ please use uv add instead of pip ¦ wrong tool: uv add, never pip install
        =uv add {pkg} ¦ uv add {pkg} --dev""",
    ),
    pattern(
        "correction", "rebase-not-merge",
        "update my branch with main|bring {branch} up to date|get the latest main in here|resolve the conflict with main",
        """=git merge origin/main ¦ git merge main
        said no, rebase instead of merging ¦ rebase please, no merge commits ¦ don't merge main into the branch, rebase it ¦ I asked for a rebase, not a merge
        =git rebase origin/main ¦ git rebase main""",
    ),
    pattern(
        "correction", "conventional-commits",
        "commit this|commit what you have|save this as a commit|commit, then go on with {name}",
        """=git commit -m "{msg}" ¦ git commit -am "{msg}"
        said use a conventional commit message ¦ no, the commit message must be conventional, like feat: or fix: ¦ commit messages in conventional commit style please ¦ wrong message style, conventional commits!
        =git commit --amend -m "fix: {msg}" ¦ git commit --amend -m 'feat: {msg}'""",
    ),
    pattern(
        "correction", "migrations-reversible",
        "write the migration for {name}|migration that drops the old {name} column|add a data migration|backfill {name}",
        """=edit migrations/{n4}_{slug}.py
        said no, every migration needs a reverse ¦ migrations have to be reversible, add the reverse function ¦ again without reverse! make the migration reversible ¦ don't forget the reverse of the migration
        =edit migrations/{n4}_{slug}.py""",
    ),
    pattern(
        "correction", "staging-first",
        "deploy {service}|bring {service} live|roll out {service} please|ship the {service} fix",
        """=./deploy.sh production {service} ¦ ./deploy.sh production {service} --fast
        said no, staging first ¦ always deploy to staging before production ¦ stop, first to staging ¦ not production yet, deploy to staging first
        =./deploy.sh staging {service} ¦ ./deploy.sh staging {service} --fast""",
    ),
    pattern(
        "advisor", "schema-drift-warning",
        "merge the {name} change|finish the {name} ticket|prepare {branch}",
        """advice- warning: schema.graphql differs from the resolvers ¦ graphql schema drift in {name} ¦ warning: schema drift found, {n} types differ
        npx graphql-inspector diff schema.graphql http://localhost:{port}/graphql ¦ npx graphql-inspector diff schema.graphql src/{name}/schema.graphql
        npm run codegen:graphql ¦ npm run codegen:graphql -- --watch=false
        npx graphql-inspector validate 'src/**/*.graphql' schema.graphql
        ?advice+ schema in step""",
    ),
    pattern(
        "advisor", "bundle-size-warning",
        "ship the {name} page|add the chart to {name}|make {name} nicer",
        """advice- warning: bundle grew by {n} kB ¦ bundle of {name} too large (+{n} kB) ¦ warning: main chunk above its budget by {n} kB
        npx vite-bundle-visualizer ¦ npx vite-bundle-visualizer -t treemap
        edit src/{name}/index.tsx
        npm run build:analyze ¦ npm run build:analyze -- --mode production
        npx bundlewatch
        ?advice+ bundle within its budget""",
    ),
    pattern(
        "advisor", "changelog-warning",
        "put {branch} up for review|is the {name} change complete|finish this off",
        """advice- warning: no changelog entry for this change ¦ changelog fragment missing for {branch} ¦ warning: user-visible change without changelog
        towncrier create {n}.feature.md -c "{msg}" ¦ towncrier create -c "{msg}" {n}.bugfix.md
        towncrier check ¦ towncrier check --compare-with origin/main
        git add changelog.d
        ?advice+ changelog entry present""",
    ),
    pattern(
        "checklist", "merge-checklist-python",
        "is {pr} mergeable, and if so do it|finish {pr}|everything green? then merge {pr}|the pre-merge routine for {pr}|"
        "bring {pr} home",
        """~ruff format --check . ¦ ruff format . --check
        ~mypy --strict src ¦ mypy src --strict
        ~pytest --cov --cov-fail-under=90 ¦ pytest --cov-fail-under=90 --cov
        pip-audit ¦ pip-audit -r requirements.txt
        =gate pr_merge
        gh pr merge {pr} --rebase ¦ gh pr merge --rebase {pr}""",
        inputs="pr", dangers="gh pr merge",
    ),
    pattern(
        "checklist", "release-checklist-mobile",
        "can we submit {version}|checks before the store submission|release checklist for the app, {version}|last checks, then "
        "tag {version}",
        """~./gradlew lintRelease ¦ ./gradlew :app:lintRelease
        ~./gradlew connectedAndroidTest
        ~bundletool validate --bundle app-release.aab ¦ bundletool validate --bundle=app-release.aab
        python scripts/check_store_texts.py {version}
        git tag android-{version} ¦ git tag -a android-{version} -m "{version}"
        git push origin android-{version}""",
        inputs="version", dangers="git push",
    ),
    pattern(
        "checklist", "merge-checklist-rust",
        "land {pr} if it is fine|verify {pr} completely and merge|usual gauntlet for {pr}|check and merge {pr}",
        """~cargo fmt --check ¦ cargo fmt --all --check
        ~cargo deny check ¦ cargo deny check licenses advisories
        ~cargo nextest run ¦ cargo nextest run --workspace
        ?cargo semver-checks
        =gate pr_merge
        gh pr merge {pr} --squash --auto ¦ gh pr merge --auto --squash {pr}""",
        inputs="pr", dangers="gh pr merge",
    ),
)  # fmt: skip
