"""Feedback teaches at once, can be taken back, outlives edits; answers are recorded redacted, uses are counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from tests.service.worlds import ME, SHIP, World, ask, best

from wellworn.lifecycle.feedback import BOUNDS
from wellworn.models.access import Caller, Role
from wellworn.models.errors import InvalidInput, NotFound
from wellworn.models.resolution import (
    Decision,
    FeedbackAnswer,
    FeedbackRequest,
    IntentResolution,
    Invocation,
    Verdict,
)
from wellworn.models.skill import Scope
from wellworn.service.workspace import Workspace
from wellworn.store.database import Database
from wellworn.store.keys import KeyTable

MISS = "kindly hydrate our leafy friends"


def say(
    workspace: Workspace, resolution_id: str, verdict: Verdict, skill_id: str | None = None, note: str | None = None
) -> FeedbackAnswer:
    fields = {"resolution_id": resolution_id, "verdict": verdict, "note": note}
    meant = {"skill_id": skill_id} if verdict is Verdict.should_be else {}
    return workspace.feedback(FeedbackRequest.model_validate(fields | meant), ME)


def test_a_miss_that_is_corrected_is_answered_at_once(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        before = ask(workspace, MISS)
        assert before.skill_id != "water-plants"
        taught = say(workspace, before.resolution_id, Verdict.should_be, "water-plants").taught
        after = ask(workspace, MISS)
    assert [(one.skill_id, one.field, one.text) for one in taught] == [("water-plants", "learned", MISS)]
    assert best(after) == "water-plants"
    assert after.confidence > before.confidence


def test_a_wrong_answer_weighs_against_that_skill_from_then_on(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        before = ask(workspace, SHIP + " please", explain=True)
        assert before.skill_id == "release-local"
        taught = say(workspace, before.resolution_id, Verdict.wrong).taught
        after = ask(workspace, SHIP + " please")
    assert [(one.skill_id, one.field) for one in taught] == [("release-local", "negative")]
    assert best(after) != "release-local" or after.confidence < before.confidence


def test_should_have_been_another_teaches_both(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        answer = ask(workspace, SHIP + " please")
        taught = say(workspace, answer.resolution_id, Verdict.should_be, "tune-piano").taught
    assert {(one.skill_id, one.field) for one in taught} == {("release-local", "negative"), ("tune-piano", "learned")}


def test_should_have_been_none_teaches_only_the_negative(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        answer = ask(workspace, SHIP + " please")
        taught = say(workspace, answer.resolution_id, Verdict.should_be, None).taught
    assert [(one.skill_id, one.field) for one in taught] == [("release-local", "negative")]


def test_what_was_taught_is_listed_and_can_be_taken_back(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        before = ask(workspace, MISS)
        taught = say(workspace, before.resolution_id, Verdict.should_be, "water-plants").taught[0]
        assert workspace.taught("water-plants", ME) == [taught]
        shown = workspace.skill("water-plants", ME).utterances or []
        assert {"id": taught.id, "field": "learned", "text": MISS} in shown
        assert workspace.forget(taught.id, ME) == taught
        assert workspace.taught("water-plants", ME) == []
        after = ask(workspace, MISS)
    assert after.confidence == pytest.approx(before.confidence)
    assert best(after) == best(before)


def test_lessons_outlive_an_edit_and_a_move_of_the_files(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        say(workspace, ask(workspace, MISS).resolution_id, Verdict.should_be, "water-plants")
    folder = world.skill("water-plants", "Something else entirely now.")
    with world.open() as workspace:
        assert best(ask(workspace, MISS)) == "water-plants"
    folder.rename(world.library.parent / "elsewhere")
    (world.home / ".claude/skills").mkdir(parents=True)
    (world.library.parent / "elsewhere").rename(world.home / ".claude/skills/water-plants")
    with world.open() as workspace:
        assert best(ask(workspace, MISS)) == "water-plants"


def test_another_workspace_on_the_same_data_learns_it_too(world: World) -> None:
    world.usual()
    with world.open() as first, world.open() as second:
        answer = ask(first, MISS)
        ask(second, "warm up")
        first._recorder.flush()
        say(second, answer.resolution_id, Verdict.should_be, "water-plants")
        first._follow()
        assert best(ask(first, MISS)) == "water-plants"


def test_the_same_verdict_twice_counts_once(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        answer = ask(workspace, SHIP)
        first, again = (say(workspace, answer.resolution_id, Verdict.right) for _ in range(2))
        assert (again.feedback_id, again.taught) == (first.feedback_id, first.taught)
        assert workspace.skill("release-local", ME).stats.usage_count == 1


def test_nobody_can_flood_a_skill_with_lessons(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        for number in range(BOUNDS.person + 1):
            answer = ask(workspace, f"zq{number} xv{number}")
            known = answer.skill_id == "water-plants"
            verdict = Verdict.right if known else Verdict.should_be
            last = say(workspace, answer.resolution_id, verdict, "water-plants")
        assert len(workspace.taught("water-plants", ME)) == BOUNDS.person
    assert last.taught == []
    assert "teaches nothing more" in last.notes[0]


def test_right_on_a_choice_must_say_which(world: World) -> None:
    world.skill("delete-branches", "Deletes branches.", aliases=["delete the merged branches"])
    world.skill("write-changelog", "Writes the change log.", aliases=["write the change log"])
    with world.open() as workspace:
        answer = ask(workspace, "delete the merged branches and then write the change log")
        assert answer.decision is Decision.choose
        with pytest.raises(InvalidInput, match="choice between several"):
            say(workspace, answer.resolution_id, Verdict.right)


def test_wrong_on_a_miss_says_how_to_teach(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        given = say(workspace, ask(workspace, "qwertz uiopu").resolution_id, Verdict.wrong)
    assert given.taught == []
    assert "should_be" in given.notes[0]


def test_feedback_that_names_an_unknown_skill_or_answer_changes_nothing(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        answer = ask(workspace, MISS)
        with pytest.raises(NotFound, match="water-plants"):
            say(workspace, answer.resolution_id, Verdict.should_be, "water-plant")
        with pytest.raises(NotFound):
            say(workspace, "01J00000000000000000000000", Verdict.right)
        with pytest.raises(NotFound):
            workspace.forget("01J00000000000000000000000", ME)
        assert workspace.taught("water-plants", ME) == []


def test_a_record_keeps_the_message_without_its_secrets(world: World) -> None:
    world.usual()
    secret = "sk-" + "a1B2c3D4" * 4
    with world.open() as workspace:
        context = {"activeGoal": f"use token={secret}", "branch": "main"}
        answer = ask(workspace, f"{SHIP} with api_key={secret}", context=context)
        at_once = workspace.resolution(answer.resolution_id, ME)
        workspace._recorder.flush()
        assert workspace.resolution(answer.resolution_id, ME) == at_once
    assert secret not in at_once.model_dump_json()
    assert "redacted" in at_once.message
    assert at_once.resolution == answer
    for file in world.data.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes()


def test_what_feedback_teaches_is_redacted_as_well(world: World) -> None:
    world.usual()
    secret = "ghp_" + "a1B2c3D4" * 4
    with world.open() as workspace:
        answer = ask(workspace, f"{MISS} using {secret}")
        taught = say(workspace, answer.resolution_id, Verdict.should_be, "water-plants", note=f"my {secret}").taught
    assert secret not in taught[0].text
    for file in world.data.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes()


def test_without_recording_nothing_of_a_message_is_kept_but_uses_are_counted(world: World) -> None:
    world.usual()
    with world.open(record=False) as workspace:
        answer = ask(workspace, SHIP, invocation=Invocation.explicit)
        assert answer.decision is Decision.proceed
        workspace._recorder.flush()
        with pytest.raises(NotFound, match="recording is switched off"):
            workspace.resolution(answer.resolution_id, ME)
        assert workspace.skill("release-local", ME).stats.usage_count == 1
    for file in world.data.rglob("*.db*"):
        assert answer.resolution_id.encode() not in file.read_bytes()


def test_a_use_is_counted_when_a_skill_proceeds_and_not_when_it_waits(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        ask(workspace, "give the ferns a drink")
        ask(workspace, SHIP, invocation=Invocation.explicit)
        ask(workspace, SHIP, invocation=Invocation.explicit)
        workspace._recorder.flush()
        stats = {one: workspace.skill(one, ME).stats for one in ("release-local", "water-plants")}
    assert {one: found.usage_count for one, found in stats.items()} == {"release-local": 2, "water-plants": 0}
    assert stats["release-local"].last_used_at is not None


def test_old_records_are_removed_while_serving(world: World) -> None:
    world.usual()
    long_ago = datetime.now(UTC) - timedelta(days=100)
    with Workspace.open(world.settings(), clock=lambda: long_ago) as workspace:
        old = ask(workspace, SHIP).resolution_id
    with world.open(background=True) as workspace:
        for thread in workspace._threads:
            if thread.name == "wellworn-prune":
                thread.join(0.5)
        with pytest.raises(NotFound):
            workspace.resolution(old, ME)


def test_the_last_verdict_on_an_answer_takes_back_what_earlier_ones_taught(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        answer = ask(workspace, SHIP + " please")
        fields = []
        for verdict in (Verdict.wrong, Verdict.right, Verdict.wrong):
            workspace.feedback(FeedbackRequest(resolution_id=answer.resolution_id, verdict=verdict), ME)
            fields.append([one.field for one in workspace.taught("release-local", ME)])
        assert fields[0] == fields[2] == ["negative"]
        assert "negative" not in fields[1]


def test_what_was_sure_already_is_confirmed_but_not_learned(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        given = say(workspace, ask(workspace, SHIP).resolution_id, Verdict.right)
        assert workspace.skill("release-local", ME).stats.usage_count == 1
    assert given.taught == []
    assert "sure already" in given.notes[0]


def strange(seed: str) -> str:
    """Words that no other text has."""
    return " ".join(sha256(f"{seed} {place}".encode()).hexdigest()[:8] for place in range(3))


def keys_of(world: World, *roles: Role) -> list[Caller]:
    """Make real keys; return whom they speak for."""
    with Database(world.settings().database_path) as database:
        table = KeyTable(database)
        made = [table.verify(table.create(role, "local", now=datetime.now(UTC))[1]) for role in roles]
    return [caller for caller in made if caller is not None]


def teach(workspace: Workspace, message: str, skill_id: str | None, caller: Caller) -> FeedbackAnswer:
    """Ask, and say that a skill was meant, whatever was answered."""
    answer = ask(workspace, message, caller=caller)
    right = answer.skill_id is not None and answer.skill_id == skill_id
    fields = {"verdict": "right"} if right else {"verdict": "should_be", "skill_id": skill_id}
    request = FeedbackRequest.model_validate({"resolution_id": answer.resolution_id, **fields})
    return workspace.feedback(request, caller)


def test_the_words_of_an_author_are_neither_given_away_nor_held_against_the_skill(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        given = teach(workspace, SHIP, "tune-piano", ME)
        answer = ask(workspace, SHIP)
    assert given.taught == []
    assert all("edit its files" in note for note in given.notes)
    assert answer.skill_id == "release-local"


def test_several_agents_together_teach_a_skill_no_more_than_their_bound_and_a_person_still_can(world: World) -> None:
    world.usual()
    bots = keys_of(world, Role.agent, Role.agent, Role.agent)
    with world.open() as workspace:
        for place, bot in enumerate(bots):
            for number in range(BOUNDS.agent + 2):
                teach(workspace, strange(f"{place} {number}"), "water-plants", bot)
        taught = workspace.taught("water-plants", ME)
        more = teach(workspace, strange("mine"), "water-plants", ME)
    assert [len([one for one in taught if one.key_id == bot.key_id]) for bot in bots] == [BOUNDS.agent, BOUNDS.agent, 0]
    assert len(taught) == BOUNDS.agents
    assert [one.skill_id for one in more.taught] == ["water-plants"]


def test_a_flood_for_one_skill_does_not_go_on_against_the_others(world: World) -> None:
    world.usual()
    (bot,) = keys_of(world, Role.agent)
    with world.open() as workspace:
        for number in range(3 * BOUNDS.agent):
            teach(workspace, f"{SHIP} {strange(str(number))}", "water-plants", bot)
        taught = workspace.taught_by_key(bot.key_id, ME)
    fields = [(one.skill_id, one.field) for one in taught]
    assert fields.count(("water-plants", "learned")) == BOUNDS.agent
    assert fields.count(("release-local", "negative")) <= BOUNDS.agent_negatives
    assert len(fields) <= BOUNDS.agent + 2 * BOUNDS.agent_negatives


def test_the_same_message_asked_and_judged_again_is_one_lesson(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        for _ in range(4):
            teach(workspace, MISS, "water-plants", ME)
        assert [one.text for one in workspace.taught("water-plants", ME)] == [MISS]


def test_an_agent_does_not_overrule_a_person_but_a_person_an_agent(world: World) -> None:
    world.usual()
    bot, reviewer = keys_of(world, Role.agent, Role.reviewer)
    with world.open() as workspace:
        teach(workspace, MISS, "tune-piano", bot)
        teach(workspace, MISS, "water-plants", reviewer)
        refused = teach(workspace, MISS, "tune-piano", bot)
        left = {name: [one.field for one in workspace.taught(name, ME)] for name in ("water-plants", "tune-piano")}
    assert left["water-plants"] == ["learned"]
    assert "learned" not in left["tune-piano"]
    assert any("stands until it is forgotten" in note for note in refused.notes)


def test_all_that_one_key_taught_is_seen_with_its_key_and_taken_back_at_once(world: World) -> None:
    world.usual()
    (bot,) = keys_of(world, Role.agent)
    questions = [SHIP, SHIP + " now", MISS, "make the keys sing loudly", *(f"zq{number} xv" for number in range(5))]
    with world.open() as workspace:
        mine = teach(workspace, "hydrate the ferns", "water-plants", ME).taught
        before = asked_when_trained(workspace, questions)
        for message in questions[1:]:
            for skill_id in ("tune-piano", "water-plants"):
                answer = ask(workspace, message, caller=bot)
                if answer.skill_id != skill_id:
                    verdict = FeedbackRequest(
                        resolution_id=answer.resolution_id, verdict=Verdict.should_be, skill_id=skill_id
                    )
                    workspace.feedback(verdict, bot)
        during = asked_when_trained(workspace, questions)
        listed = workspace.taught_by_key(bot.key_id, ME)
        assert listed
        assert {one.key_id for one in listed} == {bot.key_id}
        assert workspace.forget_key(bot.key_id, ME) == listed
        after = asked_when_trained(workspace, questions)
        assert workspace.taught_by_key(bot.key_id, ME) == []
        assert workspace.taught_by_key(None, ME) == mine
    assert [said(one) for one in during] != [said(one) for one in before]
    assert [said(one) for one in after] == [said(one) for one in before]
    for one, other in zip(after, before, strict=True):
        assert confidences(one) == pytest.approx(confidences(other), abs=1e-6)  # of a head that was fitted anew


def asked_when_trained(workspace: Workspace, messages: list[str]) -> list[IntentResolution]:
    """The head follows in the background; here it is waited for."""
    engine = workspace._ready()
    engine.resolver.fit_head(engine.index.snapshot, ((Scope.user, "local"),))
    return [ask(workspace, message) for message in messages]


def said(answer: IntentResolution) -> tuple[object, ...]:
    others = [(one.skill_id, one.reason) for one in answer.alternatives]
    return answer.skill_id, answer.decision, answer.reason, answer.notes, others


def confidences(answer: IntentResolution) -> list[float]:
    return [answer.confidence, *(one.confidence for one in answer.alternatives)]


def test_nobody_sees_or_takes_back_what_a_key_taught_a_skill_of_someone_else(world: World) -> None:
    world.usual()
    (bot,) = keys_of(world, Role.agent)
    stranger = Caller(role=Role.reviewer, user="mallory", key_id="k-mallory")
    with world.open() as workspace:
        teach(workspace, MISS, "water-plants", bot)
        assert workspace.taught_by_key(bot.key_id, stranger) == []
        assert workspace.forget_key(bot.key_id, stranger) == []
        assert len(workspace.taught_by_key(bot.key_id, ME)) == 1


@pytest.mark.parametrize("message", ["polish the brass", "finish this", "mach das Übliche"])
def test_what_a_person_taught_is_known_in_the_same_words(world: World, message: str) -> None:
    world.usual()
    with world.open() as workspace:
        teach(workspace, message, "water-plants", ME)
        answer = ask(workspace, message)
    assert (answer.skill_id, answer.confidence >= 0.85) == ("water-plants", True)
    assert "taught" in answer.reason
