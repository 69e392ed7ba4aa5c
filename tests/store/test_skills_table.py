"""Skills in the database: what is stored, which of several counts, and what other processes learn of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.store.makers import NOW, make_entry, make_source, make_table

from wellworn.models.errors import Conflict, InvalidId, InvalidInput, NotFound
from wellworn.models.skill import Diagnostic, Risk, Scope, Severity, SkillManifest, SkillStats, UtteranceField, When
from wellworn.store.changes import KEPT, ChangeKind
from wellworn.store.database import Database
from wellworn.store.feedback import FeedbackTable, TaughtRow
from wellworn.store.precedence import Contender, standings
from wellworn.store.skill_views import nearest
from wellworn.store.skills import SkillTable, path_text
from wellworn.store.sources import SourceTable
from wellworn.store.text_hash import text_hash

HOME = (Scope.user, "local")
REPO = (Scope.repo, "github.com/acme/shop")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "wellworn.db") as opened:
        yield opened


def ids(table: SkillTable, partition: tuple[Scope, str] = HOME) -> list[str]:
    return [card.id for card in table.cards(*partition)]


# -- what is stored ----------------------------------------------------------------------------------------------------


def test_a_card_holds_what_the_skill_said(db: Database) -> None:
    manifest = SkillManifest(
        id="ship-it",
        description="Ships.",
        risk=Risk.high,
        requires_approval=["push"],
        recipe_id="ship",
        when=When(open_pr=True),
    )
    entry = make_entry(manifest=manifest)
    table = make_table(db)
    key = table.put("home", replace(entry, skill=replace(entry.skill, steps=("one", "two"), invocable=False)), now=NOW)
    (card,) = table.cards(*HOME)
    assert (card.key, card.id, card.name, card.description) == (key, "ship-it", "ship it", "Ships.")
    assert (card.risk, card.requires_approval, card.recipe_id) == (Risk.high, ("push",), "ship")
    assert (card.when, card.steps, card.invocable, card.vouched) == (When(open_pr=True), ("one", "two"), False, True)
    assert card.stats == SkillStats()


def test_utterances_come_with_the_hash_of_their_text(db: Database) -> None:
    table = make_table(db)
    key = table.put("home", make_entry(texts=("ship  it", "send")), now=NOW)
    rows = table.utterances(*HOME)
    assert [(row.skill_key, row.field, row.text) for row in rows] == [
        (key, UtteranceField.alias, "ship  it"),
        (key, UtteranceField.alias, "send"),
    ]
    assert [row.hash for row in rows] == [text_hash("ship it"), text_hash("send")]
    assert table.lexicals(*HOME) == [(key, b"words of ship-it")]


def test_a_skill_that_is_read_again_keeps_its_key_and_replaces_its_texts(db: Database) -> None:
    table = make_table(db)
    first = table.put("home", make_entry(texts=("old",)), now=NOW)
    second = table.put("home", make_entry(texts=("new",), stamp="2", body="# New"), now=NOW)
    assert first == second
    assert [row.text for row in table.utterances(*HOME)] == ["new"]
    assert table.stamps("home") == {"/skills/home/ship-it": (first, "2")}
    assert table.get(*HOME, "ship-it").body == "# New"


def test_a_directory_whose_skill_got_another_id_holds_a_new_skill(db: Database) -> None:
    table = make_table(db)
    first = table.put("home", make_entry("ship-it", directory="x"), now=NOW)
    seq = table.last_seq()
    second = table.put("home", make_entry("send-it", directory="x"), now=NOW)
    assert first != second
    assert ids(table) == ["send-it"]
    assert {(one.skill_key, one.kind) for one in table.changes_since(seq) or ()} == {
        (first, ChangeKind.delete),
        (second, ChangeKind.upsert),
    }


def test_keys_are_never_given_twice(db: Database) -> None:
    table = make_table(db)
    first = table.put("home", make_entry(), now=NOW)
    table.remove([first], now=NOW)
    assert table.put("home", make_entry(), now=NOW) > first


def test_only_the_keys_asked_for_are_returned(db: Database) -> None:
    table = make_table(db)
    a, b, _ = table.put_many("home", [make_entry("a"), make_entry("b"), make_entry("c")], now=NOW)
    assert [card.id for card in table.cards(*HOME, [b, a, 99])] == ["a", "b"]
    assert {row.skill_key for row in table.utterances(*HOME, [b])} == {b}
    assert table.lexicals(*HOME, [a]) == [(a, b"words of a")]


def test_a_view_shows_unknown_manifest_fields_diagnostics_and_tools(db: Database) -> None:
    entry = make_entry(manifest=SkillManifest.model_validate({"id": "ship-it", "colour": {"deep": [1, "x"]}}))
    warning = Diagnostic(severity=Severity.warning, code="x", message="odd", file="SKILL.md", line=3)
    skill = replace(entry.skill, diagnostics=(warning,), allowed_tools=("Bash",))
    table = make_table(db)
    table.put("home", replace(entry, skill=skill), now=NOW)
    view = table.find("ship-it", [HOME])
    assert view.manifest.model_extra == {"colour": {"deep": [1, "x"]}}
    assert (view.diagnostics, view.allowed_tools, view.location) == ([warning], ["Bash"], "/skills/home/ship-it")
    assert view.utterances == [{"field": "alias", "text": "ship it"}, {"field": "alias", "text": "send it out"}]


def test_texts_that_are_no_valid_unicode_do_not_stop_the_others(db: Database) -> None:
    table = make_table(db)
    table.put_many(
        "home", [make_entry("a", directory="a\udcff", texts=("\ud800x",), body="b\ud800"), make_entry("b")], now=NOW
    )
    assert ids(table) == ["a", "b"]
    assert path_text(Path("/skills/home/a\udcff")) in table.stamps("home")


def test_a_batch_with_one_foreign_skill_stores_nothing(db: Database) -> None:
    table = make_table(db)
    foreign = make_entry("b", source=make_source(owner="someone"))
    with pytest.raises(Conflict, match="someone"):
        table.put_many("home", [make_entry("a"), foreign], now=NOW)
    assert table.partitions() == []
    assert table.last_seq() == 0


def test_a_skill_of_an_unregistered_source_is_refused(db: Database) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        make_table(db).put("nowhere", make_entry(), now=NOW)


def test_partitions_never_mix(db: Database) -> None:
    repo = make_source("repo", scope=REPO[0], owner=REPO[1])
    table = make_table(db, make_source(), repo)
    table.put("home", make_entry("mine"), now=NOW)
    table.put("repo", make_entry("ours", source=repo), now=NOW)
    assert (ids(table, HOME), ids(table, REPO)) == (["mine"], ["ours"])
    assert ids(table, (Scope.repo, "local")) == []
    assert table.partitions() == [REPO, HOME]


def test_uses_are_counted_and_survive_a_moved_file(db: Database) -> None:
    table = make_table(db)
    key = table.put("home", make_entry(directory="old"), now=NOW)
    table.record_usage([key, key, 99], NOW)
    table.record_usage([key], NOW - timedelta(days=1))
    table.remove([key], now=NOW)
    table.put("home", make_entry(directory="new"), now=NOW)
    (card,) = table.cards(*HOME)
    assert (card.stats.usage_count, card.stats.last_used_at) == (3, NOW)


# -- which one counts --------------------------------------------------------------------------------------------------


def test_the_lower_source_rank_wins_and_the_loser_names_it(db: Database) -> None:
    first, second = make_source("first", rank=1), make_source("second", rank=2)
    table = make_table(db, first, second)
    low = table.put("second", make_entry(source=second), now=NOW)
    high = table.put("first", make_entry(source=first), now=NOW)
    assert [card.key for card in table.cards(*HOME)] == [high]
    assert [(one.location, one.shadowed_by) for one in table.list([HOME]).skills] == [
        ("/skills/first/ship-it", None),
        ("/skills/second/ship-it", "/skills/first/ship-it"),
    ]
    table.remove([high], now=NOW)
    assert [card.key for card in table.cards(*HOME)] == [low]


def test_a_shadowed_skill_is_neither_searched_nor_lexically_matched(db: Database) -> None:
    table = make_table(db)
    winner, _ = table.put_many("home", [make_entry(directory="a"), make_entry(directory="b")], now=NOW)
    assert {row.skill_key for row in table.utterances(*HOME)} == {winner}
    assert [key for key, _ in table.lexicals(*HOME)] == [winner]


def test_a_source_that_changes_its_rank_turns_the_winner(db: Database) -> None:
    first, second = make_source("first", rank=1), make_source("second", rank=2)
    table = make_table(db, first, second)
    a = table.put("first", make_entry(source=first), now=NOW)
    b = table.put("second", make_entry(source=second), now=NOW)
    seq = table.last_seq()
    SourceTable(db).put(replace(first, rank=3), kind="home", now=NOW)
    assert [card.key for card in table.cards(*HOME)] == [b]
    assert {(one.skill_key, one.kind) for one in table.changes_since(seq) or ()} == {
        (a, ChangeKind.delete),
        (b, ChangeKind.upsert),
    }


def test_a_source_registered_again_unchanged_writes_nothing(db: Database) -> None:
    table = make_table(db)
    table.put("home", make_entry(), now=NOW)
    seq, version = table.last_seq(), db.row("PRAGMA data_version")
    SourceTable(db).put(make_source(), kind="home", now=NOW + timedelta(days=1))
    assert (table.last_seq(), db.row("PRAGMA data_version")) == (seq, version)
    assert SourceTable(db).get("home") == make_source()


def test_vouching_for_a_source_is_announced_for_its_skills(db: Database) -> None:
    source = make_source(vouched=False)
    table = make_table(db, source)
    key = table.put("home", make_entry(), now=NOW)
    assert not table.cards(*HOME)[0].vouched
    seq = table.last_seq()
    SourceTable(db).put(replace(source, vouched=True), kind="home", now=NOW)
    assert table.cards(*HOME)[0].vouched
    assert [(one.skill_key, one.kind) for one in table.changes_since(seq) or ()] == [(key, ChangeKind.upsert)]


def test_a_removed_source_takes_its_skills_along_and_lets_others_win(db: Database) -> None:
    first, second = make_source("first", rank=1), make_source("second", rank=2)
    table = make_table(db, first, second)
    table.put("first", make_entry(source=first), now=NOW)
    survivor = table.put("second", make_entry(source=second), now=NOW)
    SourceTable(db).remove("first", now=NOW)
    assert [card.key for card in table.cards(*HOME)] == [survivor]
    assert [one.id for one in SourceTable(db).list()] == ["second"]
    with pytest.raises(NotFound):
        SourceTable(db).remove("first", now=NOW)


def test_a_source_that_moved_must_be_read_again(db: Database) -> None:
    table = make_table(db)
    table.put("home", make_entry(), now=NOW)
    SourceTable(db).put(replace(make_source(), path=Path("/elsewhere")), kind="home", now=NOW)
    assert table.stamps("home") == {}
    assert ids(table) == []


def test_a_narrower_scope_shadows_and_the_ref_with_scope_reaches_the_loser(db: Database) -> None:
    repo = make_source("repo", scope=REPO[0], owner=REPO[1])
    table = make_table(db, make_source(), repo)
    table.put("home", make_entry("release"), now=NOW)
    table.put("repo", make_entry("release", source=repo), now=NOW)
    owners = [REPO, HOME]
    assert [(one.scope, one.shadowed_by) for one in table.list(owners).skills] == [
        (Scope.repo, None),
        (Scope.user, "release@repo"),
    ]
    assert table.find("release", owners).scope == Scope.repo
    assert table.find("release@user", owners).scope == Scope.user
    assert table.find("release@user", owners).shadowed_by == "release@repo"
    assert table.find("release", [HOME]).shadowed_by is None


def test_a_skill_of_an_owner_who_is_not_visible_does_not_exist(db: Database) -> None:
    repo = make_source("repo", scope=REPO[0], owner=REPO[1])
    table = make_table(db, make_source(), repo)
    table.put("repo", make_entry("release", source=repo), now=NOW)
    for owners in ([HOME], [(Scope.repo, "other"), HOME], []):
        with pytest.raises(NotFound) as caught:
            table.find("releas", owners)
        assert "Did you mean" not in str(caught.value)
        assert table.list(owners).total == 0


def test_an_unknown_id_names_the_nearest_ones(db: Database) -> None:
    table = make_table(db)
    table.put_many("home", [make_entry("release-notes"), make_entry("deploy")], now=NOW)
    with pytest.raises(NotFound, match="Did you mean release-notes"):
        table.find("relese-notes", [HOME])
    with pytest.raises(NotFound):
        table.find("deploy@repo", [HOME])


def test_the_nearest_of_very_many_ids_is_still_found() -> None:
    ids = [f"make-thing-{number}" for number in range(5000)] + ["release-notes"]
    assert nearest("relaese-notes", ids) == ["release-notes"]
    assert nearest("qqq", ids) == []
    assert nearest("x", []) == []


def test_refs_of_the_wrong_shape_are_refused(db: Database) -> None:
    table = make_table(db)
    for ref in ("../etc", "Deploy", "", "@user"):
        with pytest.raises(InvalidId):
            table.find(ref, [HOME])
    with pytest.raises(InvalidInput, match="not a scope"):
        table.find("deploy@team", [HOME])


def test_pages_follow_each_other_without_gap_or_overlap(db: Database) -> None:
    table = make_table(db)
    names = [f"skill-{number}" for number in range(7)]
    table.put_many("home", [make_entry(name) for name in reversed(names)], now=NOW)
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = table.list([HOME], offset=offset, limit=3)
        assert page.total == 7
        seen += [one.id for one in page.skills]
        offset = page.next_offset
    assert seen == names
    with pytest.raises(InvalidInput):
        table.list([HOME], offset=-1)


# -- what others learn -------------------------------------------------------------------------------------------------


def test_a_second_process_sees_each_change_once(tmp_path: Path) -> None:
    with Database(tmp_path / "wellworn.db") as mine, Database(tmp_path / "wellworn.db") as theirs:
        table, reader = make_table(mine), SkillTable(theirs)
        key = table.put("home", make_entry(), now=NOW)
        seen = reader.changes_since(0)
        assert [(one.scope, one.owner, one.skill_key, one.kind) for one in seen or ()] == [
            (*HOME, key, ChangeKind.upsert)
        ]
        seq = reader.last_seq()
        assert reader.changes_since(seq) == []
        table.record_usage([key], NOW)
        table.remove([key], now=NOW)
        assert [one.kind for one in reader.changes_since(seq) or ()] == [ChangeKind.stats, ChangeKind.delete]


def test_a_write_that_is_undone_announces_nothing(db: Database) -> None:
    table = make_table(db)

    def put_both() -> None:
        with db.write():
            table.put("home", make_entry("a"), now=NOW)
            table.put("home", make_entry("b", source=make_source(owner="someone")), now=NOW)

    with pytest.raises(Conflict):
        put_both()
    assert table.changes_since(0) == []
    assert ids(table) == []


def test_a_reader_that_slept_too_long_is_told_to_load_everything(db: Database) -> None:
    table = make_table(db)
    table.put_many("home", [make_entry(f"skill-{number}") for number in range(8)], now=NOW)
    with db.write() as connection:  # as if many changes had been made since
        connection.execute("INSERT INTO changes VALUES (?, 'user', 'local', 1, 'stats', '2030')", (KEPT + 4,))
    table.put("home", make_entry("one-more"), now=NOW)
    assert table.last_seq() == KEPT + 5
    assert table.changes_since(4) is None
    assert [one.seq for one in table.changes_since(5) or ()] == [6, 7, 8, KEPT + 4, KEPT + 5]
    assert table.changes_since(KEPT + 6) is None


def teach(db: Database, text: str, kind: UtteranceField = UtteranceField.learned) -> TaughtRow:
    row = TaughtRow(f"t-{text}", *HOME, "ship-it", kind, text, NOW)
    FeedbackTable(db).teach([row], now=NOW)
    return row


def test_taught_utterances_survive_every_edit_of_the_files(db: Database) -> None:
    table = make_table(db)
    key = table.put("home", make_entry(directory="old"), now=NOW)
    seq = table.last_seq()
    teach(db, "off it goes")
    teach(db, "keep it", UtteranceField.negative)
    assert [(one.skill_key, one.kind) for one in table.changes_since(seq) or ()] == [(key, ChangeKind.upsert)] * 2
    table.remove([key], now=NOW)
    table.put("home", make_entry(directory="new", texts=("ship",)), now=NOW)
    assert [(row.field, row.text) for row in table.utterances(*HOME)] == [
        (UtteranceField.alias, "ship"),
        (UtteranceField.learned, "off it goes"),
        (UtteranceField.negative, "keep it"),
    ]


# -- properties --------------------------------------------------------------------------------------------------------

contenders = st.lists(
    st.builds(
        Contender,
        skill_id=st.sampled_from(["a", "b"]),
        rank=st.integers(0, 2),
        path=st.sampled_from(["/x", "/y"]),
        key=st.integers(1, 10**6),
        effective=st.booleans(),
        shadowed_by=st.none(),
    ),
    unique_by=lambda one: one.key,
)


@given(contenders)
def test_exactly_one_of_each_id_counts_and_no_other_precedes_it(items: list[Contender]) -> None:
    by_key = {one.key: one for one in items}
    winners = {by_key[one.key].skill_id: by_key[one.key] for one in standings(items) if one.effective}
    assert len(standings(items)) == len(items)
    assert winners.keys() == {one.skill_id for one in items}
    assert sum(one.effective for one in standings(items)) == len(winners)
    for one in items:
        assert (winners[one.skill_id].rank, winners[one.skill_id].path) <= (one.rank, one.path)


SOURCES = {name: make_source(name, rank=rank) for name, rank in (("p", 1), ("q", 2), ("r", 2))}
source_names = st.sampled_from(sorted(SOURCES))
directories = st.sampled_from(["d1", "d2", "d3"])
skill_ids = st.sampled_from(["alpha", "beta"])


class Catalogue(RuleBasedStateMachine):
    """The table against a plain dictionary of (source, path) -> id, and a reader that only follows the changes."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.db = Database(Path(self.folder.name) / "wellworn.db")
        self.table = make_table(self.db, *SOURCES.values())
        self.ranks = {name: source.rank for name, source in SOURCES.items()}
        self.model: dict[tuple[str, str], tuple[int, str]] = {}
        self.seq = 0
        self.followed: dict[int, str] = {}

    @rule(name=source_names, puts=st.lists(st.tuples(directories, skill_ids), min_size=1, max_size=4))
    def put(self, name: str, puts: list[tuple[str, str]]) -> None:
        entries = [make_entry(skill_id, source=SOURCES[name], directory=place) for place, skill_id in puts]
        keys = self.table.put_many(name, entries, now=NOW)
        for key, (place, skill_id) in zip(keys, puts, strict=True):
            self.model[name, f"/skills/{name}/{place}"] = (key, skill_id)

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        places = data.draw(st.lists(st.sampled_from(sorted(self.model)), unique=True, min_size=1, max_size=3))
        self.table.remove([self.model.pop(place)[0] for place in places], now=NOW)

    @rule(name=source_names, rank=st.integers(0, 3))
    def change_rank(self, name: str, rank: int) -> None:
        self.ranks[name] = rank
        SourceTable(self.db).put(replace(SOURCES[name], rank=rank), kind="home", now=NOW)

    @rule(name=source_names)
    def remove_source(self, name: str) -> None:
        SourceTable(self.db).remove(name, now=NOW)
        self.model = {place: value for place, value in self.model.items() if place[0] != name}
        SourceTable(self.db).put(replace(SOURCES[name], rank=self.ranks[name]), kind="home", now=NOW)

    @invariant()
    def the_effective_skills_are_those_of_the_model(self) -> None:
        best: dict[str, tuple[int, str, int]] = {}
        for (name, path), (key, skill_id) in self.model.items():
            best[skill_id] = min(best.get(skill_id, (10**9, "", 0)), (self.ranks[name], path, key))
        expected = {skill_id: key for skill_id, (_, _, key) in best.items()}
        assert {card.id: card.key for card in self.table.cards(*HOME)} == expected
        shown = {one.location: one.shadowed_by for one in self.table.list([HOME]).skills}
        winners = {skill_id: path for skill_id, (_, path, _) in best.items()}
        assert shown == {
            path: None if winners[skill_id] == path else winners[skill_id]
            for (_, path), (_, skill_id) in self.model.items()
        }

    @invariant()
    def a_reader_that_follows_the_changes_knows_the_same(self) -> None:
        for change in self.table.changes_since(self.seq) or ():
            self.seq = change.seq
            self.followed.pop(change.skill_key, None)
            if change.kind is ChangeKind.upsert:
                self.followed.update((card.key, card.id) for card in self.table.cards(*HOME, [change.skill_key]))
        assert self.followed == {card.key: card.id for card in self.table.cards(*HOME)}

    def teardown(self) -> None:
        self.db.close()
        self.folder.cleanup()


TestCatalogue = Catalogue.TestCase
TestCatalogue.settings = settings(
    max_examples=25, stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
