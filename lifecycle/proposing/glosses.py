"""Plain words for well-known commands, so that a drafted skill can be found by what it does, not by how it is typed."""

from __future__ import annotations

import re

_TABLE = r"""
npm version|pnpm version|yarn version|poetry version|cargo version|hatch version|uv version|bump = bump the version
npm publish|pnpm publish|yarn (npm )?publish|bun publish = publish the package to npm
twine upload|poetry publish|uv publish|flit publish|hatch publish = upload the package to PyPI
cargo publish = publish the crate
gem push = publish the gem
gh release create|goreleaser|glab release = make the release
git tag = tag the version
git push --tags = push the tags
git push = push to the remote
git pull = get the latest changes
git fetch = fetch from the remote
git rebase = rebase the branch
git merge = merge the branch
git commit = commit
git add = stage the changes
git checkout|git switch = switch branches
git stash = put local changes aside
git cherry-pick = pick a commit onto the branch
git bisect = find the commit that broke it
gh pr create|glab mr create = open a pull request
gh pr merge|glab mr merge = merge the pull request
gh pr checks|gh run watch = wait for CI
gh pr review|codex review|coderabbit review = have the changes reviewed
gh workflow run = start the workflow
npm ci|npm install|pnpm install|yarn install|yarn|bun install|pip install|uv sync = install the dependencies
poetry install|bundle install|go mod download|composer install|pipenv install = install the dependencies
mix deps.get = install the dependencies
npm install -g|npm link|pipx install|uv tool install|cargo install|go install = install it locally
brew install|pip install -e|pip install -U = install it locally
npm view|pip index versions = check the published version
(npm|pnpm|yarn|bun) run build|tsc|vite build|next build|cargo build|go build|make build|mvn package = build
gradle build|dotnet build|python -m build|poetry build|uv build|hatch build|webpack = build
(npm|pnpm|yarn|bun)( run)? test|pytest|jest|vitest|go test|cargo test|mvn test|gradle test = run the tests
make test|tox|nox|rspec|phpunit|dotnet test|mix test|ctest|python -m pytest|cargo nextest = run the tests
(npm|pnpm|yarn) run lint|eslint|ruff|flake8|pylint|golangci-lint|cargo clippy|rubocop|make lint = lint
shellcheck|stylelint = lint
prettier|black|ruff format|cargo fmt|gofmt|make format|isort = format the code
tsc --noEmit|mypy|pyright|(npm|pnpm|yarn) run (type-?check|types) = check the types
docker build|docker buildx|podman build|docker compose build = build the image
docker push|podman push = push the image
docker tag = tag the image
docker run|docker compose up|docker-compose up = start the containers
docker compose down|docker-compose down = stop the containers
docker compose restart|docker restart|systemctl restart = restart the service
kubectl apply = apply the manifests to the cluster
kubectl rollout|kubectl wait = watch the rollout
kubectl set image = set the new image
kubectl delete = delete from the cluster
helm upgrade|helm install = deploy the chart
helm lint|helm template = check the chart
terraform init = prepare terraform
terraform plan = plan the infrastructure change
terraform apply = apply the infrastructure change
terraform fmt|terraform validate = check the terraform files
ansible-playbook = run the playbook
alembic revision|.*makemigrations|rails generate migration|prisma migrate dev = make a database migration
.*migrate create = make a database migration
alembic upgrade|.*manage\.py migrate|rails db:migrate|prisma migrate deploy = migrate the database
flyway migrate|.*migrate up = migrate the database
pg_dump|mysqldump|mongodump = dump the database
pg_restore|psql|mysql = restore or query the database
dbt run|dbt build = build the data models
dbt test = test the data models
aws s3 (sync|cp) = copy files to the bucket
rsync|scp = copy files to the server
ssh = work on the server
mkdocs (build|gh-deploy)|sphinx-build|make (docs|html)|docusaurus build|hugo = build the documentation
fastlane = run the mobile lane
pre-commit run = run the pre-commit hooks
rm = delete files
mkdir = make folders
mv = move files
cp = copy files
curl|wget|http = call the address
"""


def _rows() -> list[tuple[re.Pattern[str], str]]:
    rows = [line.rpartition(" = ") for line in _TABLE.strip().splitlines()]
    return [(re.compile(rf"(?:{pattern})(?![\w-])"), words) for pattern, _, words in rows]


_ROWS = _rows()
_RUN = re.compile(r"^(?:(?:npm|pnpm|yarn|bun) run|make|just|task|rake|poe|nox -s|invoke|inv)\s+(?P<name>[\w:.-]+)")
_SCRIPT = re.compile(r"(?:^|[\s/])(?P<name>[\w-]+)\.(?:sh|py|js|ts|rb|mjs)\b")


def gloss(key: str) -> str:
    """Return what a step does in plain words; for one that is not known, what its name says."""
    known = [(found.end(), words) for pattern, words in _ROWS if (found := pattern.match(key))]
    if known:
        return max(known)[1]  # the longest match says most
    named = _RUN.match(key) or _SCRIPT.search(key)
    if named is not None:
        return "run " + re.sub(r"[-_:.]+", " ", named["name"]).strip()
    return f"run {key}"
