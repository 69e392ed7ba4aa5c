"""Words of the context benchmark: what a skill's author writes as a trigger, and what an agent states as a fact.

A `Value` is one thing that can be the case. Its triggers and its facts are written independently of each other, and of
the sentences that `resolver.context_facts` makes: a trigger that repeated those would be found by any method. Every
second phrase and fact (see `half`) may be looked at while sentences and weights are tuned; the others are reported on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Wire = Mapping[str, Any]
T = TypeVar("T")
HALVES = ("reported", "tuning")


@dataclass(frozen=True, slots=True)
class Value:
    """triggers: phrases of authors. facts: parts of a request's context, in the names of the API, that state it."""

    name: str
    triggers: Sequence[str]
    facts: Sequence[Wire]


def half(items: Sequence[T], which: str) -> list[T]:
    """Return every second item: those that may be looked at ("tuning"), or the others ("reported")."""
    return list(items[HALVES.index(which) :: 2])


def _pr(*states: Wire | bool) -> list[Wire]:
    return [{"openPr": state} for state in states]


def _traces(kind: str, success: bool, *summaries: str) -> list[Wire]:
    return [{"recentTraces": [{"kind": kind, "summary": text, "success": success}]} for text in summaries]


def _branches(*names: str) -> list[Wire]:
    return [{"branch": name} for name in names]


def _paths(*sets: Sequence[str]) -> list[Wire]:
    return [{"changedPaths": list(paths)} for paths in sets]


CI = (
    Value(
        "failing",
        ("when the pipeline is broken", "once a build has gone red",
         "if the checks do not pass", "when continuous integration reports errors"),
        _pr({"ciState": "failing"}, {"ciState": "failure"}, {"ciState": "red"}, {"ciState": "error"}),
    ),
    Value(
        "passing",
        ("once every check is green", "when the automation had nothing to complain about",
         "after the pipeline went through cleanly", "when the build is fine"),
        _pr({"ciState": "passing"}, {"ciState": "success"}, {"ciState": "green"}, {"ciState": "passed"}),
    ),
    Value(
        "running",
        ("while the pipeline has not finished", "when checks are still in progress",
         "as long as the build is queued", "while waiting for the automation to report"),
        _pr({"ciState": "pending"}, {"ciState": "running"}, {"ciState": "in_progress"}, {"ciState": "queued"}),
    ),
)  # fmt: skip

PR = (
    Value(
        "none",
        ("before a pull request exists", "when the work has not been put up for review yet",
         "if no merge request was opened", "for work that nobody has proposed to merge"),
        _pr(False, False, False, False),
    ),
    Value(
        "approved",
        ("after the reviewers have signed off", "when the change was accepted by its reviewers",
         "once the review is positive", "when the maintainers gave their okay"),
        _pr({"reviewState": "approved"}, {"reviewState": "APPROVED"},
            {"reviewState": "approved", "labels": ["ready"]}, {"reviewState": "accepted", "number": 12}),
    ),
    Value(
        "changes requested",
        ("when a reviewer wants something altered", "after review comments came back",
         "if the reviewers are not happy yet", "when there is feedback to address"),
        _pr({"reviewState": "changes_requested"}, {"reviewState": "CHANGES_REQUESTED"},
            {"reviewState": "changes-requested", "labels": ["needs work"]}, {"reviewState": "rejected", "number": 4}),
    ),
    Value(
        "waiting",
        ("while nobody has looked at the pull request", "as long as a reviewer is missing",
         "when the change still waits to be read", "while the approval is outstanding"),
        _pr({"reviewState": "review_required"}, {"reviewState": "REVIEW_REQUIRED"},
            {"reviewState": "pending", "labels": ["waiting"]}, {"reviewState": "awaiting_review", "number": 8}),
    ),
)  # fmt: skip

BRANCH = (
    Value(
        "release",
        ("while preparing a release", "on the line that is about to ship",
         "for version branches", "when a new version is being stabilised"),
        _branches("release/2.4", "release-2026.1", "rel/3.0.x", "releases/v5"),
    ),
    Value(
        "hotfix",
        ("for urgent repairs in production", "in an emergency",
         "when something live must be patched quickly", "for a fix that cannot wait"),
        _branches("hotfix/login-crash", "hotfix-1.9.3", "fix/prod-outage", "hotfix/null-pointer"),
    ),
    Value(
        "dependencies",
        ("for automatic updates of libraries", "when a bot raised the versions of packages",
         "for dependency upgrades", "if only third-party versions move"),
        _branches("dependabot/npm/lodash-4.17", "renovate/pytest-8.x", "deps/bump-axios", "dependabot/pip/requests-2"),
    ),
    Value(
        "trunk",
        ("directly on the trunk", "when working on the default branch",
         "without a branch of one's own", "when committing straight to the mainline"),
        _branches("main", "master", "trunk", "main"),
    ),
)  # fmt: skip

OUTCOME = (
    Value(
        "tests failed",
        ("right after the test suite breaks", "when a unit test does not pass",
         "once assertions stop holding", "when the specs turn red"),
        _traces("test_result", False, "pytest: 3 failed, 120 passed", "jest: 2 suites with errors",
                "go test ./... FAIL", "1 example, 1 failure"),
    ),
    Value(
        "tests passed",
        ("as soon as the test suite is clean", "when all specs are fine",
         "after the unit tests came through", "once testing ended without errors"),
        _traces("test_result", True, "pytest: 123 passed", "jest: 40 suites, no errors",
                "go test ./... ok", "61 examples, 0 failures"),
    ),
    Value(
        "command failed",
        ("when a shell call errors out", "after a script exits with an error",
         "if something in the terminal went wrong", "when a program stops with a bad exit code"),
        _traces("command_run", False, "make build: exit 2", "npm run compile: exit 1",
                "docker compose up: error", "./setup.sh: exit status 127"),
    ),
    Value(
        "review concerns",
        ("when the reviewer is worried", "after a critical look by a second pair of eyes",
         "once objections were found", "if the audit of the change came out badly"),
        _traces("review_result", False, "two blocking remarks", "one high, one medium finding",
                "three comments about error handling", "not good enough: races"),
    ),
)  # fmt: skip

PATHS = (
    Value(
        "infrastructure",
        ("for infrastructure as code", "when cloud resources are described",
         "when terraform modules were edited", "after touching the provisioning files"),
        _paths(["infra/main.tf", "infra/variables.tf"], ["terraform/network.tf"], ["deploy/aws/vpc.tf"],
               ["modules/dns/outputs.tf", "modules/dns/main.tf"]),
    ),
    Value(
        "documentation",
        ("when the documentation was touched", "for edits of the manual",
         "after the guides were rewritten", "for changes of explanatory pages"),
        _paths(["docs/install.md", "docs/usage.md"], ["docs/api/index.rst"], ["README.md", "docs/faq.md"],
               ["guide/chapter-2.adoc"]),
    ),
    Value(
        "schema",
        ("when the database schema moves", "for new migrations",
         "after tables were altered", "if SQL was written"),
        _paths(["db/migrations/0007_users.sql"], ["migrations/20260103_orders.sql"], ["schema/tables.sql"],
               ["sql/views/report.sql", "sql/tables/item.sql"]),
    ),
    Value(
        "styles",
        ("when the look of the pages changed", "for stylesheets",
         "after visual tweaks", "for edits of colours and layout"),
        _paths(["web/styles/app.css"], ["src/theme/dark.scss"], ["assets/css/print.css", "assets/css/main.css"],
               ["styles/button.less"]),
    ),
    Value(
        "automation",
        ("for changes of the pipeline's definition", "when the build automation was edited",
         "after the continuous integration setup changed", "for workflow files"),
        _paths([".github/workflows/ci.yml"], [".gitlab-ci.yml", "ci/jobs/build.yml"], [".circleci/config.yml"],
               [".github/workflows/release.yaml"]),
    ),
)  # fmt: skip

STATED: Mapping[str, Sequence[Value]] = {"branch": BRANCH, "PR": PR, "CI": CI, "outcome": OUTCOME, "paths": PATHS}
"""Kinds of fact that a trigger names. The others are made from the skills themselves (see `context_cases`)."""

WHEN: Sequence[Sequence[tuple[Wire, Sequence[Wire]]]] = (
    (
        ({"branch": ["release/*", "rel/*"]}, _branches("release/2.4", "rel/7")),
        ({"branch": ["hotfix/*"]}, _branches("hotfix/crash", "hotfix/1.9.3")),
        ({"branch": ["main", "master"]}, _branches("main", "master")),
    ),
    (
        ({"ci_state": ["failing", "failure"]}, _pr({"ciState": "failing"}, {"ciState": "FAILURE"})),
        ({"ci_state": ["success", "passing"]}, _pr({"ciState": "success"}, {"ciState": "passing"})),
        ({"ci_state": ["pending", "in-progress"]}, _pr({"ciState": "pending"}, {"ciState": "IN_PROGRESS"})),
    ),
    (
        ({"changed_paths": ["docs/*", "*.md"]}, _paths(["docs/a.md"], ["README.md"])),
        ({"changed_paths": ["*.tf"]}, _paths(["infra/main.tf"], ["a.tf", "b.tf"])),
        ({"changed_paths": ["*.sql"]}, _paths(["db/1.sql"], ["x/y/z.sql"])),
    ),
    (
        ({"review_state": ["approved"]}, _pr({"reviewState": "approved"}, {"reviewState": "APPROVED"})),
        ({"review_state": ["changes_requested"]}, _pr({"reviewState": "changes_requested"})),
        ({"open_pr": False}, _pr(False)),
    ),
    (
        ({"repo": ["*/web-*"]}, [{"repo": "github.com/acme/web-shop"}, {"repo": "github.com/acme/web-admin"}]),
        ({"repo": ["*/api-*"]}, [{"repo": "github.com/acme/api-users"}]),
        ({"repo": ["*/infra"]}, [{"repo": "github.com/acme/infra"}]),
    ),
)
"""Families of `when` predicates: (predicates of a manifest, facts with which they hold); no two hold together."""

VAGUE = (
    "finish this", "carry on", "get this over the line", "can you sort this out", "clean this up please",
    "do what is needed here", "take it from here", "ok, next step", "please fix it", "handle this for me",
    "wrap it up", "you know what to do", "get this merged", "go ahead with it", "make this right",
)  # fmt: skip
TOPICAL = (
    "take care of the {topic} part", "let's get the {topic} stuff done", "can you deal with {topic} now",
    "the {topic} thing, please", "help me with {topic}", "I need the {topic} bit handled", "{topic}: go ahead",
    "do the {topic} work for this", "please finish the {topic} side of it", "carry on with {topic}",
)  # fmt: skip
BRANCH_NAMES = ("feature/{name}", "wip/{name}-2", "anna/{name}", "{name}-draft", "task/417-{name}")

NEUTRAL_BRANCHES = ("anna/wip", "spike-3", "feature/new-idea", "tmp/monday", "ticket-4711")
NEUTRAL_PRS = ("Rename a helper", "Small things", "First cut", "Part two of three", "Follow-up to Monday")
NEUTRAL_GOALS = (
    "get ready for the offsite", "tidy the desk before the holidays", "answer the letters of last week",
    "be done before lunch", "hand over to the other team", "make the client happy",
)  # fmt: skip
NEUTRAL_PATHS = ("src/app/util.py", "lib/helpers.js", "pkg/server/handler.go", "src/Main.java", "app/models/user.rb")
NEUTRAL_TRACES = (
    ("command_run", "git status"), ("command_run", "ls -la src"), ("file_diff", "src/app/util.py: +3 -1"),
    ("command_run", "cat notes.txt"), ("file_diff", "lib/helpers.js: +12 -4"), ("command_run", "git diff --stat"),
    ("user_intent", "thanks, that helps"), ("command_run", "grep -rn handler pkg"), ("user_intent", "one moment"),
    ("file_diff", "app/models/user.rb: +1 -1"), ("command_run", "cd ../server"), ("command_run", "python --version"),
)  # fmt: skip
