"""The steps of a SKILL.md are replaced in its bytes, and nothing else is."""

from __future__ import annotations

import codecs
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.models.errors import Conflict, InvalidInput
from wellworn.models.skill import Scope
from wellworn.store.markdown import read_back
from wellworn.store.skill_read import SkillBytes, skill_from_bytes
from wellworn.store.steps_section import _read, read_section, wanted_steps, with_steps

HEAD = "---\nname: x\ndescription: About x.  # kept\n---\n\n# X\n\nWords.\n\n"
TAIL = "\n## Notes\n\n1. Not a step.\n\n<!-- kept -->\n"


def steps_of(data: bytes) -> tuple[str, ...]:
    """As the loader reads them."""
    files = SkillBytes(Path("x/SKILL.md"), None, data, None)
    return skill_from_bytes(Path("x"), files, scope=Scope.user, owner="me").steps


def changed(section: str, steps: list[str], head: str = HEAD, tail: str = TAIL) -> str:
    """Replace the steps of a document; give back its section, the rest being the same."""
    new = with_steps(f"{head}{section}{tail}".encode(), steps).decode()
    assert new.startswith(head)
    assert new.endswith(tail)
    assert steps_of(new.encode()) == read_back(wanted_steps(steps))
    return new.removeprefix(head).removesuffix(tail)


def test_a_changed_step_keeps_the_lines_of_the_others() -> None:
    section = "## Steps\n\nFirst of all:\n\n1. Look.\n   - at this\n   - at that\n2. Push.\n3. Rest.\n"
    assert changed(section, ["Look.\n- at this\n- at that", "Push the tag.", "Rest."]) == section.replace(
        "2. Push.", "2. Push the tag."
    )


def test_added_steps_are_numbered_and_the_later_ones_count_on() -> None:
    assert changed("## Steps\n1. Look.\n2. Push.\n", ["Fetch.", "Look.", "Test.", "Push.", "Rest."]) == (
        "## Steps\n1. Fetch.\n2. Look.\n3. Test.\n4. Push.\n5. Rest.\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## Steps\n- Look.\n- Push.\n", "## Steps\n- Look.\n- Test.\n- Push.\n"),
        ("## Steps\n  * Look.\n  * Push.\n", "## Steps\n  * Look.\n  * Test.\n  * Push.\n"),
        ("## Steps\n1) Look.\n2) Push.\n", "## Steps\n1) Look.\n2) Test.\n3) Push.\n"),
        ("## Steps\n1. Look.\n1. Push.\n", "## Steps\n1. Look.\n1. Test.\n1. Push.\n"),
        ("## Steps\n0. Look.\n1. Push.\n", "## Steps\n0. Look.\n1. Test.\n2. Push.\n"),
        ("## Steps\n\n1. Look.\n\n2. Push.\n", "## Steps\n\n1. Look.\n\n2. Test.\n\n3. Push.\n"),
        ("## Steps\n- [x] Look.\n- [x] Push.\n", "## Steps\n- [x] Look.\n- [ ] Test.\n- [x] Push.\n"),
        ("## How\n\n## Workflow\n1. Look.\n2. Push.\n", "## How\n\n## Workflow\n1. Look.\n2. Test.\n3. Push.\n"),
        (
            "## Steps\n\n### Step 1: Look.\n\nAt it.\n\n### Step 2: Push.\n\nNow.\n",
            "## Steps\n\n### Step 1: Look.\n\nAt it.\n\n### Step 2: Test.\n\n### Step 3: Push.\n\nNow.\n",
        ),
    ],
)
def test_a_list_keeps_its_manner(before: str, after: str) -> None:
    old = list(read_section(f"{HEAD}{before}{TAIL}".encode()).steps)
    assert changed(before, [old[0], "Test.", *old[1:]]) == after
    assert changed(after, old) == before


def test_what_stands_between_steps_stays() -> None:
    section = "## Steps\n\n### Build\n\n1. Look.\n2. Make.\n\n<!-- why -->\n### Ship\n\n1. Push.\n2. Tell.\n"
    assert changed(section, ["Look.", "Make.", "Test.", "Push it.", "Tell."]) == (
        "## Steps\n\n### Build\n\n1. Look.\n2. Make.\n3. Test.\n\n<!-- why -->\n### Ship\n\n1. Push it.\n2. Tell.\n"
    )


def test_code_that_holds_a_heading_or_a_list_is_part_of_its_step() -> None:
    section = "## Steps\n1. Write:\n   ```md\n   ## Steps\n   1. no\n   ```\n2. Run:\n```sh\n\nmake\n```\n3. Rest.\n"
    old = list(read_section(f"{HEAD}{section}{TAIL}".encode()).steps)
    assert len(old) == 3
    assert changed(section, [old[0], "Run `make`.", old[2]]) == section.replace(
        "2. Run:\n```sh\n\nmake\n```\n", "2. Run `make`.\n"
    )


def test_steps_of_several_lines_are_written_below_their_number() -> None:
    assert changed("## Steps\n9. Look.\n", ["Look.", "Run:\n```sh\nmake\n\nmake test\n```"]) == (
        "## Steps\n9. Look.\n10. Run:\n    ```sh\n    make\n\n    make test\n    ```\n"
    )


def test_fewer_steps_leave_no_gap() -> None:
    assert changed("## Steps\n\n1. A.\n\n2. B.\n\n3. C.\n\nThe end.\n", ["C."]) == "## Steps\n\n1. C.\n\nThe end.\n"
    assert changed("## Steps\n\n1. A.\n\n2. B.\n\nThe end.\n", ["A."]) == "## Steps\n\n1. A.\n\nThe end.\n"


def test_a_file_that_ends_without_a_line_end_still_does() -> None:
    assert changed("## Steps\n1. A.\n2. B.", ["A.", "B.", "C."], tail="") == "## Steps\n1. A.\n2. B.\n3. C."
    assert changed("## Steps\n1. A.\n2. B.", ["A."], tail="") == "## Steps\n1. A."


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("codec", "bom"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
    ],
)
def test_encoding_and_line_ends_stay(end: str, codec: str, bom: bytes) -> None:
    def encoded(section: str) -> bytes:
        return bom + f"{HEAD}é\n{section}{TAIL}".replace("\n", end).encode(codec)

    new = with_steps(encoded("## Steps\n1. Look.\n2. Push.\n"), ["Look.", "Prüfen.", "Push."])
    assert new == encoded("## Steps\n1. Look.\n2. Prüfen.\n3. Push.\n")


def test_mixed_line_ends_stay_as_they_are() -> None:
    data = b"---\r\nname: x\n---\r## Steps\r\n1. Look.\r\n2. Push.\r\n\n## Notes\r"
    assert with_steps(data, ["Look.", "Test.", "Push."]) == data.replace(b"2. Push.", b"2. Test.\r\n3. Push.")


def test_bytes_that_are_no_text_stay() -> None:
    data = b"---\nname: x\n---\nB\xffd.\n## Steps\n1. Look.\n2. B\xffd.\n"
    old = read_section(data).steps
    assert with_steps(data, [*old, "Push."]) == data + b"3. Push.\n"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("Only words.\n", "no section with steps"),
        ("```\n## Steps\n1. no\n```\n", "no section with steps"),
        ("### Step 1: A\n### Step 2: B\n", "no section with steps"),
        ("## Steps\nOnly words.\n", "holds no list"),
        ("<!--\n## Steps\n1. no\n-->\n", "in a comment"),
        ("## Steps\n<!--\n1. no\n-->\n", "in a comment"),
    ],
)
def test_a_file_without_steps_is_refused_with_what_to_do(body: str, told: str) -> None:
    with pytest.raises(Conflict, match=told) as refused:
        with_steps(f"---\nname: x\n---\n{body}".encode(), ["Look."])
    assert refused.value.hint


def test_the_error_says_what_to_add() -> None:
    with pytest.raises(Conflict, match="Add a heading `## Steps` with a numbered list"):
        read_section(b"---\nname: x\n---\nWords.\n")


@pytest.mark.parametrize("steps", [[], [""], ["A.", "  \n "], ["\ud800"], ["[ ] "]])
def test_steps_that_are_none_are_refused(steps: list[str]) -> None:
    with pytest.raises(InvalidInput):
        with_steps(f"{HEAD}## Steps\n1. A.\n".encode(), steps)


@pytest.mark.parametrize("step", ["A.\n```\nnever closed", "A.\x00", "**", "A.\n\n\n-->\n<!--\n1. x"])
def test_steps_that_would_be_read_otherwise_are_refused_or_exact(step: str) -> None:
    data = f"{HEAD}## Steps\n1. A.\n2. B.\n{TAIL}".encode()
    wanted = ["A.", step, "B."]
    new = data
    with suppress(Conflict):
        new = with_steps(data, wanted)
    assert new == data or read_section(new).steps == wanted_steps(wanted)


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1, max_size=40)
PLAIN = st.text(st.sampled_from("abc XYZ.`-é*"), min_size=1, max_size=30).map(lambda text: f"w{text}".strip())
PIECES = st.sampled_from(
    [
        "Words.",
        "",
        "- a",
        "1. b",
        "2. c",
        "10) d",
        "  - e",
        "   1. f",
        "## Steps",
        "### Step 1: g",
        "### Step 2: h",
        "```",
        "~~~~",
        "<!-- i -->",
        "<!--",
        "-->",
        "   j",
        "\tk",
        "> l",
        "# Process",
        "## Other",
        "---",
        "- [x] m",
        "\x0c",
        "* n",
    ]
)
DOCUMENTS = st.lists(st.one_of(PIECES, WORDS), max_size=30)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def outside(data: bytes) -> tuple[bytes, bytes]:
    """What stands before and after the lines of the section, by where the section's heading and last step are."""
    read = _read(data)
    encode = read.encoding.encode
    tail = encode("".join(read.raw[read.end :])).removeprefix(read.encoding.bom)
    return encode("".join(read.raw[: read.items[0].at])), tail


@given(DOCUMENTS, st.lists(st.one_of(PLAIN, WORDS, PIECES), min_size=1, max_size=6), ENDS, st.booleans(), st.data())
def test_for_any_document_all_else_is_the_same_and_the_steps_are_those(
    document: list[str], steps: list[str], end: str, sixteen: bool, data: st.DataObject
) -> None:
    text = "\n".join(["---", "name: x", "---", *document]).replace("\n", end)
    before = codecs.BOM_UTF16_LE + text.encode("utf-16-le") if sixteen else text.encode()
    try:
        old = list(read_section(before).steps)
        wanted = data.draw(st.permutations([*data.draw(st.lists(st.sampled_from(old), unique=True)), *steps]))
        after = with_steps(before, wanted)
    except (Conflict, InvalidInput):
        return
    assert read_section(after).steps == wanted_steps(wanted)
    assert steps_of(after) == read_back(wanted_steps(wanted))
    head, tail = outside(before)
    assert after.startswith(head)
    assert after.endswith(tail)


@given(
    st.lists(PLAIN, min_size=1, max_size=12, unique=True),
    st.lists(PLAIN, min_size=1, max_size=12),
    st.sampled_from(["{}. ", "{}) ", "- ", "* ", "  {}. ", "- [ ] "]),
    ENDS,
    st.booleans(),
)
def test_an_ordinary_list_can_always_be_changed(
    old: list[str], new: list[str], mark: str, end: str, loose: bool
) -> None:
    gap = "\n\n" if loose else "\n"
    section = gap.join(mark.format(number) + one for number, one in enumerate(old, 1))
    before = f"{HEAD}## Steps\n\n{section}\n{TAIL}".replace("\n", end).encode()
    try:
        wanted = wanted_steps(new)
    except InvalidInput:
        return
    after = with_steps(before, new)
    assert read_section(after).steps == wanted
    assert after.startswith(f"{HEAD}## Steps\n\n".replace("\n", end).encode())
    assert after.endswith(f"\n{TAIL}".replace("\n", end).encode())
    if len(new) > 1 or not loose:  # one step does not tell whether blank lines stand between them
        assert with_steps(after, list(read_section(before).steps)) == before
