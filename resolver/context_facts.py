"""The context of a message as plain facts: sentences to compare with triggers, and predicates for `when`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from wellworn.models.resolution import Context, OpenPr
from wellworn.models.skill import When
from wellworn.models.trace import TraceEvent, TraceKind
from wellworn.resolver.context_words import branch_sentences, ci_sentences, path_sentences, review_sentences

_RECENT = 5
_FACT_CHARS = 300
_NO_STATE = "no PR"
"""Which no tool calls a state, so that only `*` matches it."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the context states.

    statements: short sentences in the words that authors use in triggers ("the current branch has an open PR").
    goal, traces, paths: free text to compare with the skill itself; empty when not stated.
    """

    statements: tuple[str, ...] = ()
    goal: str = ""
    traces: tuple[str, ...] = ()
    branch: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts that want a vector, in a fixed order: statements, then goal, then traces."""
        return (*self.statements, *((self.goal,) if self.goal else ()), *self.traces)


def read_facts(context: Context) -> Facts:
    """Turn a context into facts; what is not stated gives nothing."""
    statements = [*_pr_statements(context.open_pr), *_trace_statements(context.recent_traces)]
    statements += _path_statements(context.changed_paths)
    if context.active_goal:
        statements.append(f"the active goal is {context.active_goal[:_FACT_CHARS]}")
    if context.branch:
        statements += [f"the current branch is {context.branch}", *branch_sentences(context.branch)]
    return Facts(
        statements=tuple(dict.fromkeys(statements)),
        goal=(context.active_goal or "")[:_FACT_CHARS],
        traces=tuple(t.summary[:_FACT_CHARS] for t in context.recent_traces[-_RECENT:] if t.summary.strip()),
        branch=context.branch or "",
    )


def _pr_statements(open_pr: OpenPr | bool | None) -> Iterable[str]:
    if open_pr is None:
        return
    if not isinstance(open_pr, OpenPr):
        yield "the current branch has no open PR"
        yield "no pull request was opened for this work yet"
        return
    yield "the current branch has an open PR"
    if open_pr.review_state:
        yield f"the PR's review state is {_words(open_pr.review_state)}"
        yield from review_sentences(_words(open_pr.review_state))
    if open_pr.ci_state:
        yield f"CI is {_words(open_pr.ci_state)} on the PR"
        yield from ci_sentences(_words(open_pr.ci_state))
    if open_pr.labels:
        yield f"the PR is labelled {', '.join(open_pr.labels[:_RECENT])}"
    if open_pr.title:
        yield f"the PR is about {open_pr.title[:_FACT_CHARS]}"


_OUTCOME = {
    (TraceKind.test_result, True): ("tests just passed", "the test suite is green"),
    (TraceKind.test_result, False): ("tests just failed", "the test suite is broken"),
    (TraceKind.command_run, False): ("a command just failed", "a command ended with an error"),
    (TraceKind.review_result, True): ("a review just passed",),
    (TraceKind.review_result, False): ("a review just raised concerns", "a reviewer found problems"),
    (TraceKind.forge_step, False): ("a recipe's step just failed",),
}


def _trace_statements(traces: Sequence[TraceEvent]) -> Iterable[str]:
    """The last outcome of each kind: tests that passed after they had failed do not fail."""
    last = {event.kind: event.success for event in traces[-_RECENT:] if event.success is not None}
    for outcome in last.items():
        yield from _OUTCOME.get(outcome, ())


def _path_statements(paths: Sequence[str]) -> Iterable[str]:
    if not paths:
        return
    tops = dict.fromkeys(PurePosixPath(p).parts[0] for p in paths if PurePosixPath(p).parts)
    endings = dict.fromkeys(PurePosixPath(p).suffix for p in paths if PurePosixPath(p).suffix)
    yield f"changed files are in {', '.join([*tops][:_RECENT])}"
    if endings:
        yield f"changed files end in {', '.join([*endings][:_RECENT])}"
    yield from path_sentences(paths)


def _words(state: str) -> str:
    return state.replace("_", " ").replace("-", " ").lower()


class WhenResult(StrEnum):
    """Whether a skill's `when` holds in this context."""

    holds = "holds"
    fails = "fails"
    unknown = "unknown"


def judge_when(when: When | None, context: Context) -> tuple[WhenResult, str]:
    """Judge the predicates against the stated facts; the text names the first that decided.

    A stated fact that contradicts one predicate is `fails`, whatever else is unknown.
    """
    if when is None:
        return WhenResult.holds, ""
    verdicts = list(_predicates(when, context))
    for wanted in (WhenResult.fails, WhenResult.unknown):
        for result, name in verdicts:
            if result is wanted:
                return result, name
    return WhenResult.holds, ", ".join(name for _, name in verdicts)


def _predicates(when: When, context: Context) -> Iterable[tuple[WhenResult, str]]:
    pr = context.open_pr
    if when.open_pr is not None:
        stated = None if pr is None else isinstance(pr, OpenPr)
        yield _judge(None if stated is None else stated is when.open_pr), _pr_name(when.open_pr)
    for wanted, stated_text, name in (
        (when.review_state, _state_of(pr, "review_state"), "review state"),
        (when.ci_state, _state_of(pr, "ci_state"), "CI state"),
        (when.branch, context.branch, "branch"),
        (when.repo, context.repo, "repo"),
    ):
        if wanted:
            yield _judge(_any_glob(wanted, [stated_text]) if stated_text else None), f"{name} {' or '.join(wanted)}"
    if when.changed_paths:
        paths = context.changed_paths
        name = f"changed paths {' or '.join(when.changed_paths)}"
        yield _judge(_any_glob(when.changed_paths, paths) if paths else None), name
    if when.active_goal:
        goal = (context.active_goal or "").casefold()
        named = any(g.casefold() in goal for g in when.active_goal)
        yield _judge(named if goal else None), f"active goal {' or '.join(when.active_goal)}"


def _state_of(pr: OpenPr | bool | None, name: str) -> str | None:
    """The state of an open PR, None where it is not stated; where there is no PR, it is in no state that has a name."""
    return getattr(pr, name) if isinstance(pr, OpenPr) else _NO_STATE if pr is False else None


def _judge(holds: bool | None) -> WhenResult:
    if holds is None:
        return WhenResult.unknown
    return WhenResult.holds if holds else WhenResult.fails


def _pr_name(wanted: bool) -> str:
    return "an open PR" if wanted else "no open PR"


def _any_glob(patterns: Sequence[str], values: Sequence[str]) -> bool:
    return any(fnmatchcase(_fold(v), _fold(p)) for p in patterns for v in values)


def _fold(text: str) -> str:
    return text.casefold().replace("_", "-")
