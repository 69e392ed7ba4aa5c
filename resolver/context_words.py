"""Words for what a context states in short: a branch's prefix, a state of CI or review, the endings of changed files.

Authors write triggers in sentences ("when the build is broken"); the names that tools give (`ERROR`, `rel/3.0.x`) are
near none of them. So each is said in a few sentences as well; what is not in a table is left as it is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

_WORDS_MAX = 6

Table = Mapping[str, tuple[str, ...]]


def _table(rows: Iterable[tuple[str, tuple[str, ...]]]) -> Table:
    return {name: sentences for names, sentences in rows for name in names.split(", ")}


_CI = _table([
    ("failing, failed, failure, fail, red, error, errored, broken, timed out, startup failure",
     ("CI is failing", "the build is broken", "the checks of the pipeline failed")),
    ("passing, passed, success, successful, succeeded, green, ok",
     ("CI is green", "the build succeeded", "all checks of the pipeline passed")),
    ("pending, running, in progress, queued, waiting, expected, started",
     ("CI is still running", "the build is in progress", "the checks of the pipeline have not finished")),
])  # fmt: skip

_REVIEW = _table([
    ("approved, accepted, lgtm", ("the reviewers approved the change", "the review is positive: approved")),
    ("changes requested, rejected, needs work, denied",
     ("the reviewers asked for changes", "there are review comments to address")),
    ("review required, pending, awaiting review, waiting, needs review, review requested, requested, none",
     ("the pull request is waiting for a review", "nobody has reviewed the change yet")),
    ("commented, dismissed", ("there are review comments",)),
    ("draft", ("the pull request is a draft", "the work is not ready for review")),
])  # fmt: skip

_BRANCH = _table([
    ("release, releases, rel", ("this is a release branch", "a new version is being released")),
    ("hotfix, hotfixes", ("this is a hotfix branch", "an urgent fix of production")),
    ("fix, bugfix, bug", ("this is a branch that fixes a bug",)),
    ("dependabot, renovate, deps, dependencies",
     ("dependencies are being updated", "a bot updates the versions of packages")),
    ("main, master, trunk, default, mainline", ("this is the default branch", "the main line of development")),
    ("develop, dev, development", ("this is the development branch",)),
    ("feature, feat, features", ("this is a feature branch", "a new feature is being developed")),
    ("docs, doc", ("this branch is about documentation",)),
    ("refactor, cleanup", ("the code is being refactored",)),
    ("experiment, spike, poc, prototype", ("this branch is an experiment",)),
    ("chore, maintenance", ("this is a branch for maintenance",)),
])  # fmt: skip

_PATHS = _table([
    (".tf, .tfvars, .hcl, .bicep", ("infrastructure as code was changed", "cloud infrastructure: terraform")),
    (".md, .mdx, .rst, .adoc, docs, doc, README", ("the documentation was changed",)),
    (".sql, migrations, schema, migration", ("the database schema was changed", "migrations were written in SQL")),
    (".css, .scss, .sass, .less", ("stylesheets were changed", "the look of the pages was edited")),
    ("workflows, .gitlab-ci, .circleci, Jenkinsfile",
     ("the CI pipeline's definition was changed", "workflow files of the build automation were edited")),
    ("Dockerfile, docker-compose, compose, Containerfile", ("container files were changed",)),
    ("tests, test, spec, specs, __tests__", ("tests were changed",)),
    ("package, package-lock, pnpm-lock, poetry, requirements, pyproject, Cargo, go, Gemfile, yarn, uv",
     ("the list of dependencies may have changed",)),
    (".ipynb", ("notebooks were changed",)),
    (".proto, .graphql, openapi, swagger", ("the definition of an API was changed",)),
    ("charts, k8s, kubernetes, helm, manifests", ("deployment manifests were changed",)),
    ("i18n, locales, .po, translations", ("translations were changed",)),
    (".html, .jsx, .tsx, .vue, .svelte", ("the user interface was changed",)),
])  # fmt: skip
_LISTS = frozenset({".json", ".toml", ".lock", ".txt", ".yaml", ".yml", ".mod", ".sum", ""})
"""Endings under which a file's name says what it is: `package.json`, but not `package.py`."""
_PREFIX = re.compile(r"[a-z]+")


def ci_sentences(state: str) -> tuple[str, ...]:
    """Return sentences for a state of CI, its words separated by blanks and in lower case."""
    return _CI.get(state, ())


def review_sentences(state: str) -> tuple[str, ...]:
    """Return sentences for a state of review, its words separated by blanks and in lower case."""
    return _REVIEW.get(state, ())


def branch_sentences(branch: str) -> tuple[str, ...]:
    """Return sentences for a branch whose first word is a customary one: `release/2.4`, `hotfix-login`, `main`."""
    first = _PREFIX.match(branch.casefold())
    return _BRANCH.get(first.group(), ()) if first else ()


def path_sentences(paths: Sequence[str]) -> tuple[str, ...]:
    """Return sentences for what kinds of file were changed, the most frequent first, at most six."""
    counts: dict[str, int] = {}
    for path in paths:
        for sentence in dict.fromkeys(sentence for mark in _marks(path) for sentence in _PATHS.get(mark, ())):
            counts[sentence] = counts.get(sentence, 0) + 1
    return tuple(sorted(counts, key=lambda sentence: -counts[sentence])[:_WORDS_MAX])


def _marks(path: str) -> list[str]:
    """The file's ending, its folders, and its name where the ending leaves it open."""
    pure = PurePosixPath(path)
    named = [pure.name.split(".")[0] or f".{pure.name.split('.')[1]}"] if pure.suffix in _LISTS and pure.name else []
    return [pure.suffix, *pure.parts[:-1], *named]
