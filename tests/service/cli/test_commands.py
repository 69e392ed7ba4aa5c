"""What each command prints, for people and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.service.cli.commands import Commands
from tests.service.worlds import SHIP, World

MISS = "kindly hydrate our leafy friends"


@pytest.fixture(autouse=True)
def _library(world: World) -> None:
    world.usual()


def resolved(cli: Commands, message: str, *more: str) -> dict[str, Any]:
    found: dict[str, Any] = cli.ok("resolve", "--json", *more, message).json
    return found


class TestResolve:
    """`wellworn resolve`."""

    def test_a_person_reads_decision_reason_steps_and_how_to_correct_it(self, cli: Commands) -> None:
        lines = cli.ok("resolve", SHIP).out.splitlines()
        assert lines[0].startswith("Confirm: user skill release-local (confidence ")
        assert lines[1].startswith("release-local: ")
        at = lines.index("Safe steps:")
        assert lines[at + 1] == "  1. Look"
        assert lines[-1].startswith("Was it right? wellworn feedback ")

    def test_words_need_no_quotes(self, cli: Commands) -> None:
        assert cli.ok("resolve", "--json", *SHIP.split()).json["skillId"] == "release-local"

    def test_a_miss_is_told_with_the_nearest(self, cli: Commands) -> None:
        out = cli.ok("resolve", "qwertz uiopu").out
        assert out.startswith("No skill is meant (best confidence 0.")
        assert "Others: " in out

    def test_json_is_the_wire_answer(self, cli: Commands) -> None:
        answer = resolved(cli, SHIP)
        assert answer["matched"] is True
        assert (answer["skillId"], answer["decision"], answer["contributions"]) == ("release-local", "confirm", None)
        assert {"resolutionId", "approvalGates", "safeSteps", "alternatives", "notes", "generation"} <= answer.keys()

    def test_the_message_may_come_from_standard_input(self, cli: Commands) -> None:
        assert cli.ok("resolve", "--json", stdin=f"{SHIP}\n").json["skillId"] == "release-local"
        assert cli.ok("resolve", "--json", "-", stdin=SHIP).json["skillId"] == "release-local"
        assert cli.ok("resolve", "--json", stdin=b"\xff\xfe broken \xc3").json["decision"] == "none"

    def test_explicit_top_and_explain_are_passed_on(self, cli: Commands) -> None:
        answer = resolved(cli, SHIP, "--explicit", "--top", "1", "--explain")
        assert (answer["decision"], answer["alternatives"]) == ("proceed", [])
        assert answer["contributions"]["candidates"][0]["skillId"] == "release-local"

    def test_an_explanation_is_a_table_of_candidates_and_what_weighed(self, cli: Commands) -> None:
        out = cli.ok("resolve", "--explain", SHIP, "--context", _context({"branch": "main", "openPr": False})).out
        assert "Read as: request; matched on" in out
        assert "Context: the current branch has no open PR" in out
        assert "(none of them)" in out
        assert "release-local@user: score +" in out
        assert "exact" in out

    def test_context_counts(self, cli: Commands, world: World) -> None:
        world.skill("work-review", aliases=["work the review"], when={"openPr": True})
        with_pr = _context({"openPr": {"number": 3}})
        assert resolved(cli, "work the review", "--context", with_pr)["skillId"] == "work-review"
        assert resolved(cli, "work the review", "--context", _context({"openPr": False}))["skillId"] is None

    def test_a_whole_request_may_be_given_as_the_context_file(self, cli: Commands) -> None:
        assert resolved(cli, SHIP, "--context", _context({"context": {"branch": "x"}}))["skillId"] == "release-local"

    def test_the_repository_of_the_current_folder_counts(
        self, cli: Commands, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = world.repo("app")
        world.skill("feed-cat", "Feeds the cat.", at=root / ".claude/skills", aliases=["fill the bowl of the cat"])
        assert resolved(cli, "fill the bowl of the cat")["skillId"] is None
        assert resolved(cli, "fill the bowl of the cat", "--repo", "app")["scope"] == "repo"
        monkeypatch.chdir(root)
        assert resolved(cli, "fill the bowl of the cat")["scope"] == "repo"
        assert cli.ok("skills", "list", "--json").json["skills"][0]["id"] == "feed-cat"
        assert "feed-cat@repo" in cli.ok("skills", "show", "feed-cat").out


class TestSkills:
    """`wellworn skills`."""

    def test_a_list_is_a_table_with_a_count(self, cli: Commands) -> None:
        lines = cli.ok("skills", "list").out.splitlines()
        assert lines[0].split() == ["id", "scope", "trust", "reliability", "used", "description"]
        assert [line.split()[0] for line in lines[1:4]] == ["release-local", "tune-piano", "water-plants"]
        assert lines[-1] == "3 of 3"

    def test_pages_and_search(self, cli: Commands) -> None:
        assert cli.ok("skills", "list", "--limit", "2").out.splitlines()[-1] == "2 of 3; more with --offset 2"
        page = cli.ok("skills", "list", "--limit", "2", "--offset", "2", "--json").json
        assert ([one["id"] for one in page["skills"]], page["total"]) == (["water-plants"], 3)
        assert cli.ok("skills", "list", "--search", "piano", "--json").json["total"] == 1
        assert "No skill has 'zzz'" in cli.ok("skills", "list", "--search", "zzz").out

    def test_a_broken_skill_is_shown_with_what_is_wrong_and_where(self, cli: Commands, world: World) -> None:
        folder = world.skill("broken")
        broken = "---\nname: broken\ndescription: Use when: it breaks\nallowed-tools: {a: [\n---\n"
        (folder / "SKILL.md").write_text(broken, encoding="utf-8")
        shown = cli.ok("skills", "show", "broken").out
        assert "no: a safety field could not be read" in shown
        assert "risk unreadable" in shown
        assert f"{folder / 'SKILL.md'}:" in shown
        assert "unreadable" in cli.ok("skills", "list").out
        diagnostics = cli.ok("skills", "show", "broken", "--json").json["diagnostics"]
        assert {"severity", "code", "message", "file", "line"} <= diagnostics[0].keys()

    def test_a_body_is_printed_when_asked_for(self, cli: Commands) -> None:
        assert "## Steps" in cli.ok("skills", "show", "release-local", "--body").out
        assert "## Steps" not in cli.ok("skills", "show", "release-local").out

    def test_explain_tells_what_stands_for_a_skill_or_what_a_message_means(self, cli: Commands) -> None:
        assert SHIP in cli.ok("skills", "explain", "release-local").out
        assert cli.ok("skills", "explain", SHIP).out.startswith("Confirm: user skill release-local")
        assert cli.ok("skills", "explain", "release-local", "--json").json["id"] == "release-local"

    def test_an_id_without_a_hyphen_is_explained_as_a_skill_and_a_word_that_is_none_as_a_message(
        self, cli: Commands, world: World
    ) -> None:
        world.skill("deploy", aliases=["put it out there"])
        assert cli.ok("skills", "explain", "deploy").out.startswith("deploy@user is found by:")
        assert "confidence" in cli.ok("skills", "explain", "plants").out

    def test_a_page_behind_the_last_skill_says_so(self, cli: Commands) -> None:
        out = cli.ok("skills", "list", "--offset", "999").out
        assert out == "Nothing is left to show: there are only 3; give a smaller --offset.\n"

    def test_steps_are_numbered_one_a_line(self, cli: Commands) -> None:
        lines = cli.ok("skills", "show", "release-local").out.splitlines()
        at = lines.index("Steps:")
        assert lines[at + 1 : at + 3] == ["  1. Look", "  2. Push the tag"]

    def test_names_in_wide_letters_keep_the_columns(self, cli: Commands, world: World) -> None:
        world.skill("umlaut-cjk", "发布版本并在本地安装")
        assert "发布版本并在本地安装" in cli.ok("skills", "list").out


class TestFeedback:
    """`wellworn feedback`."""

    def test_each_verdict_is_recorded_and_tells_what_was_learned(self, cli: Commands) -> None:
        right = cli.ok("feedback", resolved(cli, SHIP)["resolutionId"], "right").out
        assert "Recorded as" in right
        assert "nothing to learn" in right
        wrong = cli.ok(
            "feedback", resolved(cli, SHIP + " please")["resolutionId"], "wrong", "--note", "no", "--json"
        ).json
        assert [(one["skillId"], one["field"]) for one in wrong["taught"]] == [("release-local", "negative")]
        meant = cli.ok("feedback", resolved(cli, MISS)["resolutionId"], "should-be", "water-plants").out
        assert "water-plants" in meant
        assert "learned" in meant
        none = cli.ok("feedback", resolved(cli, SHIP + " now")["resolutionId"], "should-be", "none", "--json").json
        assert {one["field"] for one in none["taught"]} <= {"negative"}

    def test_lessons_are_listed_and_forgotten(self, cli: Commands) -> None:
        cli.ok("feedback", resolved(cli, MISS)["resolutionId"], "should-be", "water-plants")
        taught = cli.ok("feedback", "--list", "water-plants", "--json").json[0]
        assert (taught["text"], taught["field"]) == (MISS, "learned")
        assert cli.ok("feedback", "--forget", taught["id"]).out.startswith("Forgotten:")
        assert "was taught nothing" in cli.ok("feedback", "--list", "water-plants").out

    def test_all_that_one_key_taught_is_listed_and_forgotten(self, cli: Commands) -> None:
        for message in (MISS, "qwertz uiopu"):
            cli.ok("feedback", resolved(cli, message)["resolutionId"], "should-be", "water-plants")
        listed = cli.ok("feedback", "--list-key", "local")
        assert (MISS in listed.out, "local" in listed.out) == (True, True)
        assert cli.ok("feedback", "--list-key", "01J0").out.startswith("The key 01J0 taught nothing")
        texts = [one["text"] for one in cli.ok("feedback", "--forget-key", "local", "--json").json]
        assert texts[0] == MISS
        assert "taught nothing" in cli.ok("feedback", "--forget-key", "local").out
        assert "was taught nothing" in cli.ok("feedback", "--list", "water-plants").out


class TestKeysAndSources:
    """`wellworn keys`, `wellworn sources`."""

    def test_a_key_is_shown_once_listed_without_its_secret_and_revoked(self, cli: Commands) -> None:
        made = cli("keys", "create", "--role", "agent", "--user", "ann", "--repo", "host.org/a/b", "--label", "mine")
        assert (made.code, "cannot be shown again" in made.err) == (0, True)
        secret = made.out.strip()
        assert secret.startswith("ww_a")
        listed = cli.ok("keys", "list").out
        assert secret not in listed
        assert "ann" in listed
        key = cli.ok("keys", "list", "--json").json[0]
        assert (key["role"], key["user"], key["repos"], key["label"]) == ("agent", "ann", ["host.org/a/b"], "mine")
        cli.ok("keys", "revoke", key["id"])
        assert "revoked" in cli.ok("keys", "list").out

    def test_a_key_speaks_for_the_local_person_unless_told(self, cli: Commands) -> None:
        assert cli.ok("keys", "create", "--role", "admin", "--json", USER="zoe").json["key"]["user"] == "zoe"

    def test_sources_are_added_listed_vouched_for_and_removed(self, cli: Commands, world: World) -> None:
        root = world.repo("app")
        world.skill("feed-cat", at=root / ".claude/skills")
        world.skill("sing", at=world.root / "team")
        added = cli.ok("sources", "add", "team").out
        assert "1 skill from" in added
        repo = cli.ok("sources", "add", "--repo", "app", "--json").json[0]
        assert (repo["scope"], repo["skills"], repo["vouched"]) == ("repo", 1, True)
        assert "no longer vouched for" in cli.ok("sources", "vouch", repo["id"], "--withdraw").out
        listed = cli.ok("sources", "list", "--json").json
        assert {(one["kind"], one["vouched"]) for one in listed} == {("home", True), ("added", True), ("repo", False)}
        cli.ok("sources", "remove", repo["id"])
        assert repo["id"] not in cli.ok("sources", "list").out


class TestLibraries:
    """`wellworn import`, `export`, `reindex`."""

    def test_import_export_and_reindex_report_what_they_did(self, cli: Commands, world: World) -> None:
        line = {"id": "feed-cat", "description": "Feeds the cat.", "aliases": ["fill the bowl of the cat"]}
        Path("lib.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
        assert cli.ok("import", "lib.jsonl").out.startswith("1 added, 0 replaced, 0 unchanged in ")
        assert cli.ok("import", "lib.jsonl", "--json").json["unchanged"] == 1
        assert resolved(cli, "fill the bowl of the cat")["skillId"] == "feed-cat"
        assert cli.ok("export", "out.jsonl").out.strip() == "4 skills written to out.jsonl."
        assert len(Path("out.jsonl").read_text(encoding="utf-8").splitlines()) == 4
        assert cli.ok("export", "out", "--format", "skills", "--json").json["exported"] == 4
        assert (Path("out") / "feed-cat" / "SKILL.md").is_file()
        assert cli.ok("reindex").out.startswith("4 skills, ")
        report = cli.ok("reindex", "--json").json
        assert (report["skills"], report["embedded"]) == (4, 0)


def _context(stated: object) -> str:
    path = Path("context.json")
    path.write_text(json.dumps(stated), encoding="utf-8")
    return str(path)


def test_the_version_is_printed(cli: Commands) -> None:
    assert cli.ok("--version").out.startswith("wellworn ")


def test_a_risk_that_was_read_is_shown_though_another_restriction_closed_the_skill(cli: Commands, world: World) -> None:
    world.skill("by-branch", "Tidies up.", risk="high", when={"brunch": ["main"]})
    world.skill("no-risk", "Tidies up.", risk="sky-high")
    assert "risk high" in cli.ok("skills", "show", "by-branch").out
    assert "risk unreadable" in cli.ok("skills", "show", "no-risk").out
