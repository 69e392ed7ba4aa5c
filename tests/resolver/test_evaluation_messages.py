"""Reading labelled messages: every mistake is named by file, line and field."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.models.errors import InvalidInput
from wellworn.models.skill import SkillManifest
from wellworn.resolver.evaluation.messages import Groups, Message, MessageFile, groups_of, read_messages

GROUPS: Groups = {None: frozenset({"ship-it", "tidy-up"}), "team": frozenset({"ship-it"})}


def read(tmp_path: Path, *lines: object, groups: Groups = GROUPS) -> MessageFile:
    path = tmp_path / "messages.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return read_messages(path, groups)


def only(tmp_path: Path, line: object) -> Message:
    (message,) = read(tmp_path, line).messages
    return message


def test_one_expected_skill_may_stand_without_a_list(tmp_path: Path) -> None:
    message = only(tmp_path, {"message": "ship it", "expected": "ship-it"})
    assert (message.expected, message.in_scope, message.out_of_scope) == (("ship-it",), True, False)


def test_a_list_asks_for_any_of_its_skills(tmp_path: Path) -> None:
    message = only(tmp_path, {"message": "ship it", "expected": ["ship-it", "tidy-up"]})
    assert message.expected == ("ship-it", "tidy-up")


def test_null_says_that_no_skill_is_meant(tmp_path: Path) -> None:
    message = only(tmp_path, {"message": "good morning", "expected": None})
    assert (message.in_scope, message.out_of_scope) == (False, True)


def test_a_near_miss_leaves_open_what_is_meant(tmp_path: Path) -> None:
    message = only(tmp_path, {"message": "why did it ship?", "expected": None, "notSkill": "ship-it"})
    assert (message.in_scope, message.out_of_scope, message.not_skill) == (False, False, "ship-it")


def test_context_and_group_are_read(tmp_path: Path) -> None:
    context = {"branch": "main", "openPr": {"number": 3, "ciState": "failing"}}
    message = only(tmp_path, {"message": "go", "expected": "ship-it", "context": context, "group": "team"})
    assert message.group == "team"
    assert message.context.open_pr is not None
    assert message.context.open_pr is not False
    assert message.context.open_pr.ci_state == "failing"


def test_other_fields_are_ignored_with_one_warning(tmp_path: Path) -> None:
    line = {"message": "go", "expected": None, "kind": "explicit", "source": 3}
    answer = read(tmp_path, line, line)
    assert len(answer.messages) == 2
    (warning,) = answer.warnings
    assert "kind (first on line 1), source (first on line 1)" in warning


def test_blank_lines_and_a_byte_order_mark_do_not_matter_but_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"message": "a", "expected": null}\r\n\r\n{"message": "b", "expected": null}\r\n')
    assert [(m.text, m.line) for m in read_messages(path, GROUPS).messages] == [("a", 1), ("b", 3)]


def test_line_separators_inside_a_message_do_not_end_its_line(tmp_path: Path) -> None:
    assert only(tmp_path, '{"message": "a\u2028b\u0085c", "expected": null}').text == "a\u2028b\u0085c"


@pytest.mark.parametrize(
    ("line", "field", "words"),
    [
        ({"expected": None}, "message", "required"),
        ({"message": "go"}, "expected", "required"),
        ({"message": 3, "expected": None}, "message", "string"),
        ({"message": "go", "expected": []}, "expected", "empty list"),
        ({"message": "go", "expected": "Ship It"}, "expected.0", "lower-case"),
        ({"message": "go", "expected": 7}, "expected", "a list of skill ids, or null"),
        ({"message": "go", "expected": None, "context": {"brunch": "main"}}, "context.brunch", "not permitted"),
        (
            {"message": "go", "expected": None, "context": {"openPr": {"number": 0}}},
            "context.openPr.number",
            "greater than",
        ),
        ({"message": "go", "expected": "nobody"}, "expected", "'nobody', which is not in the library"),
        ({"message": "go", "expected": ["ship-it", "nobody"]}, "expected", "'nobody'"),
        ({"message": "go", "expected": None, "notSkill": "nobody"}, "notSkill", "'nobody'"),
        ({"message": "go", "expected": "tidy-up", "group": "team"}, "expected", "group 'team' of the library"),
        ({"message": "go", "expected": None, "group": "gone"}, "group", "no group 'gone'"),
    ],
)
def test_a_wrong_line_is_named_with_its_field(tmp_path: Path, line: object, field: str, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(tmp_path, {"message": "fine", "expected": None}, line)
    assert "messages.jsonl:2" in str(caught.value)
    assert words in str(caught.value)
    assert caught.value.field == field


@pytest.mark.parametrize("line", ["{", "[1]", '"words"', "NaN"])
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidInput, match=r"messages\.jsonl:1 is not a JSON object"):
        read(tmp_path, line)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_messages(tmp_path / "gone.jsonl", GROUPS)


def test_a_folder_is_not_a_file_of_messages(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_messages(tmp_path, GROUPS)


def test_a_file_in_another_encoding_is_named_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_bytes(b'{"message": "a", "expected": null}\n{"message": "\xe9", "expected": null}\n')
    with pytest.raises(InvalidInput, match=r"m\.jsonl:2 is not UTF-8"):
        read_messages(path, GROUPS)


def test_a_file_without_messages_is_an_error_and_not_a_perfect_score(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no messages"):
        read(tmp_path, "", "  ")


@given(st.text(max_size=200))
def test_any_line_is_read_or_refused_with_its_place(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "m.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InvalidInput, match=r"m\.jsonl"):
        read_messages(path, GROUPS)


@dataclass(frozen=True)
class Line:
    manifest: SkillManifest
    group: str | None


def test_groups_hold_their_own_skills_and_none_holds_all() -> None:
    library = [Line(SkillManifest(id="a"), "x"), Line(SkillManifest(id="b"), "y"), Line(SkillManifest(id="c"), None)]
    assert groups_of(library) == {None: {"a", "b", "c"}, "x": {"a"}, "y": {"b"}}
