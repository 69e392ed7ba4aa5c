"""A context becomes plain facts; `when` is judged on what is stated and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.models.resolution import Context, OpenPr
from wellworn.models.skill import When
from wellworn.models.trace import TraceEvent, TraceKind
from wellworn.resolver.context_facts import Facts, WhenResult, judge_when, read_facts


def test_an_empty_context_states_nothing() -> None:
    assert read_facts(Context()) == Facts()


def test_an_open_pr_is_stated_with_its_review_and_ci_state() -> None:
    facts = read_facts(Context(open_pr=OpenPr(number=7, review_state="CHANGES_REQUESTED", ci_state="failing")))
    assert "the current branch has an open PR" in facts.statements
    assert "the PR's review state is changes requested" in facts.statements
    assert "CI is failing on the PR" in facts.statements


def test_that_there_is_no_open_pr_can_be_stated_too() -> None:
    assert read_facts(Context(open_pr=False)).statements[0] == "the current branch has no open PR"


def test_failed_tests_among_the_recent_traces_are_stated() -> None:
    event = TraceEvent(kind=TraceKind.test_result, summary="pytest: 3 failed", success=False)
    facts = read_facts(Context(recent_traces=[event]))
    assert "tests just failed" in facts.statements
    assert facts.traces == ("pytest: 3 failed",)


def test_changed_paths_are_summed_up_by_folder_and_ending() -> None:
    facts = read_facts(Context(changed_paths=["docs/a.md", "docs/b.md", "src/x.py"]))
    assert facts.statements[:2] == ("changed files are in docs, src", "changed files end in .md, .py")
    assert "the documentation was changed" in facts.statements


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        (Context(open_pr=OpenPr(ci_state="FAILURE")), "the build is broken"),
        (Context(open_pr=OpenPr(ci_state="in_progress")), "CI is still running"),
        (Context(open_pr=OpenPr(review_state="CHANGES_REQUESTED")), "the reviewers asked for changes"),
        (Context(branch="rel/3.0.x"), "this is a release branch"),
        (Context(branch="hotfix-login"), "this is a hotfix branch"),
        (Context(branch="main"), "this is the default branch"),
        (Context(changed_paths=["a/b.tf"]), "infrastructure as code was changed"),
        (Context(changed_paths=[".github/workflows/ci.yml"]), "the CI pipeline's definition was changed"),
        (Context(changed_paths=["web/package.json"]), "the list of dependencies may have changed"),
    ],
)
def test_short_names_of_tools_are_said_in_sentences_as_well(context: Context, sentence: str) -> None:
    assert sentence in read_facts(context).statements


@pytest.mark.parametrize("branch", ["mainframe", "relic", "documents"])
def test_a_branch_that_only_begins_like_a_customary_one_gets_no_sentence(branch: str) -> None:
    assert read_facts(Context(branch=branch)).statements == (f"the current branch is {branch}",)


def test_a_code_file_called_like_a_list_of_packages_is_none() -> None:
    statements = read_facts(Context(changed_paths=["src/package.py"])).statements
    assert "the list of dependencies may have changed" not in statements


def test_tests_that_passed_after_they_had_failed_are_stated_as_passed_only() -> None:
    events = [TraceEvent(kind=TraceKind.test_result, summary="pytest", success=ok) for ok in (False, True)]
    statements = read_facts(Context(recent_traces=events)).statements
    assert "tests just passed" in statements
    assert "tests just failed" not in statements


PR = Context(
    open_pr=OpenPr(review_state="changes_requested", ci_state="failing"), branch="release/1.2", repo="host/a/b"
)


@pytest.mark.parametrize(
    ("when", "context", "result"),
    [
        (None, Context(), WhenResult.holds),
        (When(), Context(), WhenResult.holds),
        (When(open_pr=True), PR, WhenResult.holds),
        (When(open_pr=True), Context(open_pr=False), WhenResult.fails),
        (When(open_pr=True), Context(), WhenResult.unknown),
        (When(open_pr=False), PR, WhenResult.fails),
        (When(open_pr=False), Context(open_pr=False), WhenResult.holds),
        (When(branch=["release/*"]), PR, WhenResult.holds),
        (When(branch=["main", "release/*"]), PR, WhenResult.holds),
        (When(branch=["main"]), PR, WhenResult.fails),
        (When(branch=["main"]), Context(), WhenResult.unknown),
        (When(review_state=["changes-requested"]), PR, WhenResult.holds),
        (When(ci_state=["passing"]), PR, WhenResult.fails),
        (When(review_state=["approved"]), Context(open_pr=False), WhenResult.fails),
        (When(ci_state=["passing"]), Context(open_pr=False), WhenResult.fails),
        (When(ci_state=["passing"]), Context(open_pr=OpenPr()), WhenResult.unknown),
        (When(repo=["host/a/*"]), PR, WhenResult.holds),
        (When(changed_paths=["docs/*"]), Context(changed_paths=["src/x", "docs/y"]), WhenResult.holds),
        (When(changed_paths=["docs/*"]), Context(changed_paths=["src/x"]), WhenResult.fails),
        (When(changed_paths=["docs/*"]), Context(), WhenResult.unknown),
        (When(active_goal=["Release"]), Context(active_goal="finish the release"), WhenResult.holds),
        (When(active_goal=["release"]), Context(active_goal="write docs"), WhenResult.fails),
        (When(branch=["main"], open_pr=True), Context(branch="dev"), WhenResult.fails),
    ],
)
def test_when_is_judged_on_the_stated_facts(when: When | None, context: Context, result: WhenResult) -> None:
    assert judge_when(when, context)[0] is result


def test_the_condition_that_decided_is_named() -> None:
    assert judge_when(When(branch=["main"], open_pr=True), PR)[1] == "branch main"


@given(st.text(max_size=60), st.lists(st.text(max_size=40), max_size=5), st.text(max_size=200))
def test_any_text_in_a_context_can_be_read(branch: str, paths: list[str], goal: str) -> None:
    facts = read_facts(Context(branch=branch or "x", changed_paths=paths, active_goal=goal))
    assert all(text for text in facts.texts)
