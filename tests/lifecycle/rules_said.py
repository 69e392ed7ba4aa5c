"""Rules, each said in several ways: what is to be known as one, and no two groups as the same."""

GROUPS = [
    [
        "no, use pnpm not npm",
        "please use pnpm instead of npm",
        "pnpm, not npm!",
        "don't use npm, we use pnpm here",
        "not npm, pnpm",
    ],
    ["use yarn instead of npm", "no, yarn not npm", "stop using npm, use yarn", "we use yarn here, not npm"],
    ["use uv not pip", "no, use uv instead of pip", "don't use pip, use uv", "why did you use pip? we use uv"],
    ["use poetry rather than pip", "no, poetry, not pip", "I told you to use poetry instead of pip"],
    ["use ripgrep instead of grep", "please use ripgrep, not grep", "ripgrep not grep"],
    ["use vitest, not jest", "we don't use jest, we use vitest", "it's vitest, not jest", "no, vitest instead of jest"],
    ["use the v2 endpoint instead of v1", "no, the v2 endpoint, not v1", "don't use v1, use the v2 endpoint"],
    ["use tabs not spaces", "tabs, not spaces please", "I want tabs, not spaces", "please use tabs instead of spaces"],
    [
        "use staging, not production",
        "I meant staging, not production",
        "not production, staging",
        "no, staging instead of prod",
    ],
    ["use develop not main", "no, develop, not main", "not main, use develop"],
    ["use https instead of http", "https, not http", "it must be https, not http"],
    ["use kebab-case instead of camelCase", "kebab-case, not camelCase", "no, use kebab-case rather than camelCase"],
    ["use podman instead of docker", "don't use docker, use podman", "we use podman here, not docker"],
    ["use postgres, not sqlite", "no, postgres instead of sqlite", "please use postgresql rather than sqlite"],
    ["use make check instead of make test", "it should be make check, not make test", "make check, not make test"],
    [
        "never push to main",
        "don't push to main",
        "stop pushing to main",
        "do not ever push directly to main",
        "again: never push to the main branch",
    ],
    [
        "never commit to main",
        "don't commit directly to main",
        "please stop committing to main",
        "I told you to never commit to main",
    ],
    ["never force push", "don't force-push", "no force pushing", "stop force pushing", "as I said, no force pushes"],
    [
        "stop adding comments",
        "don't add comments",
        "no comments please",
        "please don't write comments",
        "why do you add comments",
    ],
    [
        "don't touch the lock file",
        "never edit the lock file",
        "do not modify the lock file",
        "you must not change the lock file",
    ],
    ["don't use sudo", "never use sudo", "stop using sudo", "why are you using sudo again?"],
    [
        "don't use emojis in commit messages",
        "no emojis in commit messages please",
        "stop putting emojis in commit messages",
    ],
    ["don't rebase shared branches", "we never rebase shared branches", "stop rebasing shared branches"],
    ["don't delete the snapshots", "never delete snapshots", "stop deleting the snapshots"],
    ["never commit .env files", "don't commit .env", "do not commit the .env file"],
    ["don't skip the tests", "never skip tests", "stop skipping the tests"],
    ["don't mock the database", "never mock the db", "stop mocking the database"],
    ["don't squash the commits", "never squash commits", "no squashing commits"],
    ["don't deploy on friday", "never deploy on fridays", "stop deploying on Friday"],
    [
        "always run the linter before you commit",
        "run the linter before committing",
        "you forgot to run the linter before the commit",
        "remember to lint before you commit",
    ],
    [
        "always run the tests before pushing",
        "run the tests before you push",
        "don't forget to run the tests before you push",
        "you should run the tests before pushing",
    ],
    [
        "you forgot to update the changelog",
        "always update the changelog",
        "don't forget the changelog",
        "remember to update the changelog",
    ],
    [
        "always bump the version first",
        "you need to bump the version first",
        "bump the version first",
        "you forgot to bump the version",
    ],
    [
        "you forgot to run the formatter",
        "always run the formatter",
        "make sure to run the formatter",
        "next time run the formatter first",
    ],
    ["always pull before you push", "pull before pushing", "you should pull before you push"],
    [
        "run the migrations before the deploy",
        "always run migrations before deploying",
        "you forgot to run the migration before the deploy",
    ],
    ["you should have updated the docs", "don't forget to update the docs", "always update the documentation"],
    ["always write the tests first", "you should write the tests first", "write tests first"],
    ["always ask before deleting files", "ask before you delete files", "you need to ask before deleting a file"],
    ["the API lives in packages/api", "no, the api is in packages/api", "actually the API is in packages/api"],
    ["staging db is on port 5433", "the staging database is on port 5433", "no, the staging db listens on port 5433"],
    [
        "the docs are in the wiki folder",
        "no, docs live in the wiki directory",
        "actually, the docs are in the wiki folder",
    ],
    ["use node 20", "please use node 20", "no, use node 20", "we use node 20 here"],
    ["use the makefile", "no, use the makefile", "please use the Makefile"],
    ["always squash before merging", "squash before you merge", "you forgot to squash before the merge"],
]

NO_RULE = [
    "not that one",
    "wrong branch",
    "that's wrong",
    "no",
    "that is not what I asked for",
    "undo that",
    "nope",
    "",
]

FACTS = """
the API lives in packages/api
staging db is on port 5433
no, the tests are in tests/unit
actually the config is in deploy/values.yaml
it's called orders_v2
the main branch is called trunk
our CI runs on gitlab
the database password is in vault
the user service has its own repository
""".strip().splitlines()

NOT_FACTS = """
use pnpm
never push to main
always run the linter first
you forgot to update the changelog
that's wrong
it is broken
not that one
we use pnpm here
the tests should be in tests/unit, please move them
the config is in deploy/, use that one
stop it
""".strip().splitlines()

LATER_GROUPS = [
    ["use bun instead of node", "bun, not node please", "we use bun here, not node"],
    ["no, helm instead of kubectl", "please use helm, not kubectl", "don't run kubectl, use helm"],
    ["use single quotes not double quotes", "single quotes, not double quotes", "no double quotes, use single quotes"],
    ["never amend pushed commits", "please don't amend commits that were pushed", "stop amending pushed commits"],
    ["don't print secrets", "never print secrets to the log", "no printing of secrets"],
    ["don't edit generated files", "never change generated files", "generated files must not be edited"],
    ["always rebase before you open a PR", "rebase before opening a pr", "you forgot to rebase before opening the PR"],
    [
        "check the types before you push",
        "you should check types before pushing",
        "always check the types before a push",
    ],
    ["run make fmt before you commit", "always run make fmt before committing", "again: make fmt before commit"],
    [
        "the feature flags are in launchdarkly",
        "no, feature flags live in launchdarkly",
        "our feature flags are in launchdarkly",
    ],
    ["never run migrations on production", "don't run the migration on prod", "stop running migrations in production"],
    [
        "ask me before you install anything",
        "always ask before installing anything",
        "you must ask before you install anything",
    ],
]
