"""From traces to proposals through the workspace: what is read, found, kept, remembered and hidden."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests.service.worlds import ME, World

from wellworn.models.access import Caller, Role
from wellworn.models.errors import NotAllowed
from wellworn.models.proposal import (
    AcceptRequest,
    Proposal,
    ProposalStatus,
    RejectRequest,
    SuggestAnswer,
    SuggestRequest,
)
from wellworn.models.trace import TraceEvent, TraceKind
from wellworn.service.lifetime import utc_now
from wellworn.service.workspace import Workspace

SHOP = "github.com/acme/shop"
ASKED = ("ship the release", "release it and try it here", "cut a release", "new release please", "get a release out")
EVERYTHING = SuggestRequest()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def workspace(world: World) -> Iterator[Workspace]:
    with Workspace.open(world.settings()) as opened:
        yield opened


def release(number: int) -> list[str]:
    return [
        f"user: {ASKED[number % len(ASKED)]}",
        "npm test",
        f"npm version 1.{number}.0",
        "npm publish",
        f"npm install -g shop@1.{number}.0",
    ]


def observe(
    workspace: Workspace,
    sessions: Sequence[Sequence[str]],
    *,
    caller: Caller = ME,
    repo: str | None = SHOP,
    name: str = "s",
    days_ago: int = 30,
) -> list[str]:
    """Send one session a day; return the ids of its events."""
    events: list[TraceEvent] = []
    for number, lines in enumerate(sessions):
        for minute, line in enumerate(lines):
            said = line.startswith("user: ")
            events.append(
                TraceEvent(
                    id=f"{name}{number}-{minute}",
                    ts=utc_now() - timedelta(days=days_ago - number) + timedelta(minutes=minute),
                    session_id=f"{name}{number}",
                    repo=repo,
                    kind=TraceKind.user_intent if said else TraceKind.command_run,
                    summary=line.removeprefix("user: "),
                    success=None if said else True,
                )
            )
    workspace.traces.ingest(events, caller)
    return [str(one.id) for one in events]


def suggest(workspace: Workspace, request: SuggestRequest = EVERYTHING, caller: Caller = ME) -> SuggestAnswer:
    return workspace.suggest(request, caller)


def the_proposal(workspace: Workspace) -> Proposal:
    [proposal] = suggest(workspace).proposals
    return proposal


def test_repeated_work_is_proposed_and_nothing_is_installed(workspace: Workspace) -> None:
    observe(workspace, [release(n) for n in range(4)])
    proposal = the_proposal(workspace)
    assert proposal.status is ProposalStatus.suggested
    assert proposal.recipe is not None
    assert workspace.skills(ME).total == 0


def test_every_event_of_the_evidence_can_be_opened(workspace: Workspace) -> None:
    sent = observe(workspace, [release(n) for n in range(4)])
    evidence = the_proposal(workspace).candidate.evidence_event_ids
    assert set(evidence) <= set(sent)
    assert all(workspace.traces.get(one, ME).id == one for one in evidence)


def test_one_session_alone_is_never_proposed(workspace: Workspace) -> None:
    observe(workspace, [[line for n in range(6) for line in release(n)]])
    assert suggest(workspace).proposals == []


def test_events_are_read_once(workspace: Workspace) -> None:
    observe(workspace, [release(n) for n in range(4)])
    assert suggest(workspace).new_events == 20
    observe(workspace, [release(5)], name="later", days_ago=2)
    again = suggest(workspace)
    assert again.new_events == 5
    assert again.proposals[0].candidate.occurrences == 5


def test_asking_again_keeps_the_proposal_and_its_id(workspace: Workspace) -> None:
    observe(workspace, [release(n) for n in range(4)])
    first, second = the_proposal(workspace), the_proposal(workspace)
    assert (first.id, first.created_at) == (second.id, second.created_at)


def test_what_is_known_survives_a_restart(world: World) -> None:
    with Workspace.open(world.settings()) as workspace:
        observe(workspace, [release(n) for n in range(4)])
        first = the_proposal(workspace)
    with Workspace.open(world.settings()) as workspace:
        assert suggest(workspace).new_events == 0
        assert the_proposal(workspace).id == first.id


def test_a_rejected_pattern_stays_quiet_until_its_evidence_has_doubled(workspace: Workspace) -> None:
    observe(workspace, [release(n) for n in range(4)])
    rejected = the_proposal(workspace)
    workspace.curation.reject(rejected.id, RejectRequest(reason="not worth it"), ME)
    quiet = suggest(workspace)
    assert quiet.proposals == []
    assert rejected.id in quiet.ignored[0].reason
    observe(workspace, [release(n) for n in range(3)], name="more", days_ago=20)
    assert suggest(workspace).proposals == []
    observe(workspace, [release(n) for n in range(1)], name="most", days_ago=10)
    assert the_proposal(workspace).id != rejected.id


def test_what_was_accepted_is_not_proposed_again(workspace: Workspace) -> None:
    observe(workspace, [release(n) for n in range(4)], repo=None)
    workspace.curation.accept(the_proposal(workspace).id, AcceptRequest(), ME)
    assert all(one.updates for one in suggest(workspace).proposals)


def test_another_users_traces_are_neither_seen_nor_counted(workspace: Workspace) -> None:
    other = Caller(role=Role.agent, user="ann", key_id="k1")
    observe(workspace, [release(n) for n in range(4)])
    answer = suggest(workspace, caller=other)
    assert (answer.events, answer.sessions, answer.proposals, answer.ignored) == (0, 0, [], [])


def test_only_an_admin_may_look_at_another_users_traces(workspace: Workspace) -> None:
    agent = Caller(role=Role.agent, user="ann", key_id="k1")
    with pytest.raises(NotAllowed, match="nobody else"):
        suggest(workspace, SuggestRequest(user="local"), agent)
    observe(workspace, [release(n) for n in range(4)], caller=agent)
    assert len(suggest(workspace, SuggestRequest(user="ann")).proposals) == 1


def test_a_key_for_one_repository_learns_nothing_of_another(workspace: Workspace) -> None:
    observe(workspace, [release(n) for n in range(4)])
    bound = Caller(role=Role.agent, user=ME.user, key_id="k1", repos=("github.com/acme/other",))
    answer = suggest(workspace, caller=bound)
    assert (answer.events, answer.sessions, answer.proposals, answer.ignored) == (0, 0, [], [])


def test_filters_narrow_what_is_looked_at(workspace: Workspace) -> None:
    observe(workspace, [release(n) for n in range(4)])
    since = SuggestRequest(since=utc_now() - timedelta(days=28))
    assert suggest(workspace, since).proposals == []
    assert suggest(workspace, SuggestRequest(repo="https://github.com/acme/other.git")).proposals == []
    assert len(suggest(workspace, SuggestRequest(repo="https://github.com/acme/shop.git")).proposals) == 1


def test_of_a_session_only_what_was_done_in_it_is_told(workspace: Workspace) -> None:
    observe(workspace, [release(n) for n in range(4)])
    observe(workspace, [["npm test", "make docs"]], name="other")
    assert len(suggest(workspace, SuggestRequest(session_id="s1")).proposals) == 1
    assert suggest(workspace, SuggestRequest(session_id="other0")).proposals == []


def test_events_that_arrive_out_of_order_give_the_same_patterns(workspace: Workspace) -> None:
    observe(workspace, [release(n) for n in range(2)], name="b", days_ago=5)
    suggest(workspace)
    observe(workspace, [release(n) for n in range(2)], name="a", days_ago=20)
    assert the_proposal(workspace).candidate.occurrences == 4


def test_nothing_observed_gives_an_empty_answer(workspace: Workspace) -> None:
    answer = suggest(workspace)
    assert (answer.events, answer.new_events, answer.proposals) == (0, 0, [])


def test_what_a_proposal_rests_on_is_not_pruned(workspace: Workspace) -> None:
    observe(workspace, [release(n) for n in range(4)])
    evidence = the_proposal(workspace).candidate.evidence_event_ids
    workspace.traces.prune(older_than=timedelta(0), keep=0, user=ME.user)
    assert all(workspace.traces.get(one, ME).id == one for one in evidence)


def test_a_rejected_correction_stays_quiet_in_other_words_too(workspace: Workspace) -> None:
    said = ["no, use pnpm not npm", "please use pnpm, not npm", "use pnpm instead of npm"]
    observe(workspace, [["user: install it", "npm install", f"user: {text}"] for text in said])
    workspace.curation.reject(the_proposal(workspace).id, RejectRequest(), ME)
    observe(workspace, [["user: add it", "npm install", "user: never npm, it is pnpm here"]], name="b", days_ago=5)
    assert suggest(workspace).proposals == []
