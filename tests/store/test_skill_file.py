"""Reading a skill: what can be loaded is loaded, and every doubt is a diagnostic with its file and line."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.models.ids import is_skill_id
from wellworn.models.skill import Risk, Scope, Severity, Skill, Trust
from wellworn.store.skill_file import parse_skill_md, read_skill_directory

PLAIN = (
    "---\nname: ship-it\ndescription: Ships the café build.\nallowed-tools: Read, Bash(git:*)\n---\n\n# Ship\n\nGo.\n"
)


def skill(folder: Path, skill_md: str | bytes | None = None, manifest: str | bytes | None = None) -> Skill:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("SKILL.md", skill_md), ("manifest.yaml", manifest)):
        if content is not None:
            (folder / name).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return read_skill_directory(folder, scope=Scope.user, owner="ann")


def codes(found: Skill) -> dict[str, int | None]:
    return {diagnostic.code: diagnostic.line for diagnostic in found.diagnostics}


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.encode("utf-8-sig"),
        PLAIN.replace("\n", "\r\n").encode(),
        PLAIN.replace("\n", "\r").encode(),
        PLAIN.encode("utf-16"),
        b"\xfe\xff" + PLAIN.encode("utf-16-be"),
        PLAIN.encode("utf-16-le"),
        PLAIN.encode("utf-16-be"),
        PLAIN.replace("\n", "\r\n").encode("utf-16"),
        PLAIN.encode("utf-32"),
        ("\n\n" + PLAIN).encode(),
        ("<!-- licence\nheader -->\n" + PLAIN).encode(),
        PLAIN.replace("---\n", "---  \n").encode(),
    ],
    ids=[
        "bom",
        "crlf",
        "cr",
        "utf16",
        "utf16be",
        "utf16le-bare",
        "utf16be-bare",
        "utf16-crlf",
        "utf32",
        "blank",
        "comment",
        "spaces",
    ],
)
def test_every_encoding_and_line_end_reads_the_same(tmp_path: Path, data: bytes) -> None:
    plain = skill(tmp_path / "a" / "ship-it", PLAIN)
    other = skill(tmp_path / "b" / "ship-it", data)
    assert plain.diagnostics == ()
    assert other.diagnostics == ()
    assert (other.manifest, other.body, other.allowed_tools) == (plain.manifest, plain.body, plain.allowed_tools)
    assert plain.manifest.description == "Ships the café build."
    assert plain.body == "# Ship\n\nGo."
    assert plain.allowed_tools == ("Read", "Bash(git:*)")


def test_bytes_that_are_no_text_are_replaced_and_named_by_line(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", b"---\nname: a\ndescription: caf\xe9 au lait\n---\nBody\n")
    assert found.manifest.description == "caf\ufffd au lait"
    assert codes(found) == {"encoding": 3}


def test_an_unquoted_colon_is_read_as_text_with_its_line(tmp_path: Path) -> None:
    found = skill(
        tmp_path / "a", "---\nname: a\nlicense: MIT\ndescription: Two modes: fast, slow. Note: ask\n---\nBody\n"
    )
    assert found.manifest.description == "Two modes: fast, slow. Note: ask"
    assert found.invocable
    (diagnostic,) = found.diagnostics
    assert (diagnostic.severity, diagnostic.line) == (Severity.warning, 4)
    assert diagnostic.file == str(tmp_path / "a" / "SKILL.md")
    assert "quotes" in diagnostic.message


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('Triggers: say "go", "stop: now"', 'Triggers: say "go", "stop: now"'),
        ('"Says "hi: you" loudly"', 'Says "hi: you" loudly'),
        ('"Never: closed', "Never: closed"),
        ("It's so: it's", "It's so: it's"),
        ("One: two\n  three: four", "One: two three: four"),
        ("@mention: people", "@mention: people"),
        ("**NEW** - does it: well", "**NEW** - does it: well"),
        ("[beta] Does it", "[beta] Does it"),
    ],
)
def test_quotes_in_a_broken_value_stay_where_they_belong(tmp_path: Path, written: str, read: str) -> None:
    found = skill(tmp_path / "a", f"---\nname: a\ndescription: {written}\n---\n")
    assert found.manifest.description == read


def test_an_unquoted_colon_does_not_lose_allowed_tools(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", "---\nname: a\ndescription: One: two\nallowed-tools: Read, Grep\n---\nBody\n")
    assert found.allowed_tools == ("Read", "Grep")
    assert found.invocable


def test_a_colon_inside_a_tool_pattern_is_still_readable(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", "---\nname: a\ndescription: d\nallowed-tools: Read, Bash(git add: *)\n---\nBody\n")
    assert found.allowed_tools == ("Read", "Bash(git add: *)")
    assert found.invocable


def test_only_the_first_pair_of_fences_counts(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", "---\nname: a\ndescription: d\n---\nOne\n\n---\nname: b\n---\nTwo\n")
    assert found.name == "a"
    assert found.body == "One\n\n---\nname: b\n---\nTwo"


def test_a_fence_inside_a_block_text_does_not_end_the_front_matter(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", "---\nname: a\ndescription: |\n  one\n  ---\n  two\n---\nBody\n")
    assert found.manifest.description == "one --- two"
    assert found.body == "Body"


def test_a_missing_closing_fence_is_mended(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", "---\nname: a\ndescription: Does it\nallowed-tools: Read\n\n# Title\n\nText\n")
    assert found.manifest.description == "Does it"
    assert found.allowed_tools == ("Read",)
    assert found.body == "# Title\n\nText"
    assert codes(found) == {"no-closing-fence": 1}


def test_a_missing_opening_fence_is_mended(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", "name: a\ndescription: Does it\nallowed-tools: Read\n---\n# Title\n")
    assert found.manifest.description == "Does it"
    assert found.allowed_tools == ("Read",)
    assert found.body == "# Title"


def test_without_front_matter_the_folder_and_the_first_paragraph_serve(tmp_path: Path) -> None:
    found = skill(
        tmp_path / "make-tea", "# Tea\n\n- a list\n\n```\ncode\n```\n\nBrews **tea** with\n[care](x).\n\nMore.\n"
    )
    assert (found.id, found.name) == ("make-tea", "make-tea")
    assert found.manifest.description == "Brews tea with care."
    assert {"no-name", "no-description"} == set(codes(found))


def test_an_empty_file_is_a_skill_without_words(tmp_path: Path) -> None:
    found = skill(tmp_path / "empty", "")
    assert (found.id, found.manifest.description, found.body) == ("empty", "", "")


def test_the_folder_decides_the_id_and_the_other_name_becomes_an_alias(tmp_path: Path) -> None:
    found = skill(tmp_path / "pdf", "---\nname: PDF Processing\ndescription: d\n---\n")
    assert (found.id, found.name, found.manifest.aliases) == ("pdf", "PDF Processing", ["PDF Processing"])
    assert codes(found) == {"name-mismatch": 2}


@pytest.mark.parametrize(
    ("folder", "name", "expected"),
    [
        ("My Skill", "x", "my-skill"),
        ("Größe_ändern", "x", "grosse-andern"),
        ("修复评审", "fix-review", "fix-review"),
        ("修复", "修复评审", None),
        ("a--b", "x", "a-b"),
        ("x" * 80, "x", None),
        ("Ship The Release And Install It Locally Then Verify Every Single Package", "x", None),
    ],
)
def test_any_folder_name_gives_a_valid_id(tmp_path: Path, folder: str, name: str, expected: str | None) -> None:
    found = skill(tmp_path / folder, f"---\nname: {name}\ndescription: d\n---\n")
    assert is_skill_id(found.id)
    assert expected is None or found.id == expected
    assert name in found.manifest.aliases or name == found.id


def test_names_in_other_scripts_get_stable_and_different_ids(tmp_path: Path) -> None:
    first = skill(tmp_path / "修复", "---\nname: 修复评审\ndescription: d\n---\n")
    second = skill(tmp_path / "发布", "---\nname: 发布版本\ndescription: d\n---\n")
    assert first.id.startswith("skill-")
    assert first.id != second.id
    assert first.manifest.aliases == ["修复评审"]


def test_a_long_description_is_loaded_whole_with_a_warning(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", f"---\nname: a\ndescription: {'word ' * 300}\n---\n")
    assert len(found.manifest.description) == 1499
    assert codes(found) == {"description-too-long": 3}


def test_a_large_body_is_loaded_whole_with_a_warning(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", "---\nname: a\ndescription: d\n---\n" + "line of text\n" * 8000)
    assert len(found.body) > 100_000
    assert codes(found) == {"body-too-long": 5}


def test_a_huge_file_is_cut_with_a_warning(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", "---\nname: a\ndescription: d\nallowed-tools: Read\n---\n" + "x" * 3_000_000)
    assert found.allowed_tools == ("Read",)
    assert len(found.body) < 2_000_001
    assert "too-large" in codes(found)


def test_a_repeated_key_counts_last_with_a_warning(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", "---\nname: a\ndescription: one\ndescription: two\n---\n")
    assert found.manifest.description == "two"
    assert codes(found) == {"repeated-key": 4}


def test_scalars_that_look_like_other_types_stay_text(tmp_path: Path) -> None:
    found = skill(tmp_path / "a", "---\nname: 1.10\ndescription: on\n---\n")
    assert (found.name, found.manifest.description) == ("1.10", "on")


@pytest.mark.parametrize(
    "line",
    [
        "allowed-tools: 7",
        "allowed-tools: true",
        "allowed-tools:",
        "allowed-tools: {Read: yes}",
        "allowed-tools:\n  - Bash(git add: *)\n  - [Read]",
        "allowed-tools: [Read, Bash",
        'allowed-tools: "Bash(git:*"',
        "allowed-tools = Read",
        "allowed-tools: !!python/name:x [Read]",
        "allowed-tools: Read\nallowed-tools: Bash",
        "  allowed-tools: Read\n bad",
        "allowed_tools: [1, 2]",
        "risk: banana",
        "risk: [low]",
        "risk:",
        "requiresApproval: true",
        "requires-approval: {git_push: yes}",
        "requiresApproval: [[git_push]]",
        "metadata:\n  risk: unheard-of",
        "metadata:\n  requiresApproval: 3",
        "metadata: {risk: high",
    ],
)
def test_a_safety_field_that_cannot_be_understood_closes_the_skill(tmp_path: Path, line: str) -> None:
    found = skill(tmp_path / "a", f"---\nname: a\ndescription: Does it\n{line}\n---\nBody\n")
    assert not found.invocable
    assert found.id == "a"
    assert found.body == "Body"
    errors = [diagnostic for diagnostic in found.diagnostics if diagnostic.code == "safety-field"]
    assert errors
    assert all(error.severity is Severity.error and error.line and error.line >= 4 for error in errors)


@pytest.mark.parametrize(
    ("line", "tools"),
    [
        ("allowed-tools: Read Grep Bash(git add:*)", ("Read", "Grep", "Bash(git add:*)")),
        ("allowed-tools: [Read, 'Bash(npm run test:*)']", ("Read", "Bash(npm run test:*)")),
        ("allowed-tools:\n  - Read\n  - mcp__github__create_issue", ("Read", "mcp__github__create_issue")),
        ("allowedTools: Read,Write,Read", ("Read", "Write")),
        ("allowed-tools: []", ()),
        ('allowed-tools: ""', ()),
        ('"allowed-tools": "*"', ("*",)),
    ],
)
def test_allowed_tools_are_read_in_every_common_form(tmp_path: Path, line: str, tools: tuple[str, ...]) -> None:
    found = skill(tmp_path / "a", f"---\nname: a\ndescription: d\n{line}\n---\n")
    assert found.allowed_tools == tools
    assert found.invocable


def test_a_safety_word_in_prose_does_not_close_the_skill(tmp_path: Path) -> None:
    text = "---\nname: a\ndescription: |\n  risk: low is best\n  allowed-tools: none\nlicense: a: b\n---\nRisk: high\n"
    found = skill(tmp_path / "a", text)
    assert found.invocable


def test_safety_of_the_front_matter_reaches_the_manifest(tmp_path: Path) -> None:
    found = skill(
        tmp_path / "a", "---\nname: a\ndescription: d\nrisk: HIGH\nmetadata:\n  requiresApproval: git_push, tag\n---\n"
    )
    assert found.manifest.risk is Risk.high
    assert found.manifest.requires_approval == ["git_push", "tag"]


def test_a_skill_closed_to_models_is_disabled_until_its_manifest_says_otherwise(tmp_path: Path) -> None:
    text = "---\nname: a\ndescription: d\ndisable-model-invocation: true\n---\n"
    assert skill(tmp_path / "a", text).manifest.trust is Trust.disabled
    assert skill(tmp_path / "a", text, "trust: installed\n").manifest.trust is Trust.installed


def test_other_spellings_of_the_file_name_are_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "skill.MD").write_text("---\nname: a\ndescription: d\n---\n", encoding="utf-8")
    assert read_skill_directory(tmp_path / "a", scope=Scope.user, owner="u").manifest.description == "d"


def test_a_pipe_named_skill_md_does_not_block_and_closes_the_skill(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / "SKILL.md")
    found = read_skill_directory(tmp_path / "a", scope=Scope.user, owner="u")
    assert not found.invocable
    assert "not-a-file" in codes(found)


def test_a_folder_named_skill_md_closes_the_skill(tmp_path: Path) -> None:
    (tmp_path / "a" / "SKILL.md").mkdir(parents=True)
    found = read_skill_directory(tmp_path / "a", scope=Scope.user, owner="u")
    assert not found.invocable


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 12, b"\x7fELF\x02\x01\x01" + bytes(2000), b"\x89PNG\r\n\x1a\n" + bytes(range(128, 256)) * 10],
    ids=["every byte", "a program", "a picture"],
)
def test_a_file_that_is_no_text_is_listed_and_never_invoked(tmp_path: Path, data: bytes) -> None:
    found = skill(tmp_path / "picture", data)
    assert not found.invocable
    assert "not-text" in codes(found)
    assert (found.body, found.manifest.description) == ("", "")


def test_a_text_in_a_legacy_encoding_is_still_a_text(tmp_path: Path) -> None:
    found = skill(tmp_path / "ship-it", PLAIN.encode("latin-1"))
    assert found.invocable
    assert "encoding" in codes(found)


def test_a_link_out_of_the_library_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("---\nname: a\ndescription: secret\n---\n", encoding="utf-8")
    folder = tmp_path / "lib" / "a"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").symlink_to(tmp_path / "secret.md")
    found = read_skill_directory(folder, scope=Scope.user, owner="u", root=tmp_path / "lib")
    assert found.manifest.description == ""
    assert not found.invocable
    assert "outside" in codes(found)


def test_a_link_inside_the_library_is_followed(tmp_path: Path) -> None:
    (tmp_path / "shared.md").write_text("---\nname: a\ndescription: shared\n---\n", encoding="utf-8")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "SKILL.md").symlink_to(tmp_path / "shared.md")
    found = read_skill_directory(tmp_path / "a", scope=Scope.user, owner="u", root=tmp_path)
    assert found.manifest.description == "shared"


def test_an_alias_bomb_in_the_front_matter_does_not_hang(tmp_path: Path) -> None:
    bomb = "\n".join(["a0: &a0 x", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))])
    found = skill(tmp_path / "a", f"---\nname: a\ndescription: d\n{bomb}\n---\nBody\n")
    assert found.manifest.description == "d"
    assert found.body == "Body"


LINES = st.sampled_from(
    [
        *("---", "name: a", "description: x: y", "allowed-tools: [Read", "risk: low", "risk: ?", "- x", "\t- y", "'"),
        *(
            "# Steps",
            "1. do",
            "",
            "  more",
            "metadata:",
            "  risk: high",
            "&a *a",
            "{",
            "é",
            "\u2028",
            "...",
            "%YAML 1.1",
        ),
        *("~~~", "```"),
    ]
)


@settings(max_examples=300)
@given(st.one_of(st.binary(max_size=200), st.lists(LINES, max_size=14).map(lambda lines: "\n".join(lines).encode())))
def test_no_bytes_ever_raise(data: bytes) -> None:
    parsed = parse_skill_md(data, "SKILL.md")
    assert all(diagnostic.line is None or diagnostic.line >= 1 for diagnostic in parsed.diagnostics)


RESTRICTIONS = [
    "allowed-tools: Read",
    "allowed-tools: [Read",
    "risk: high",
    "requiresApproval: [git_push]",
    "risk = high",
]


@settings(max_examples=300)
@given(
    st.lists(LINES.filter(lambda line: line != "---" and "risk" not in line and "tools" not in line), max_size=6),
    st.sampled_from(RESTRICTIONS),
    st.lists(LINES.filter(lambda line: line != "---" and "risk" not in line and "tools" not in line), max_size=6),
)
def test_a_restriction_is_read_or_closes_the_skill_whatever_surrounds_it(
    before: list[str], restriction: str, after: list[str]
) -> None:
    parsed = parse_skill_md("\n".join(["---", *before, restriction, *after, "---", "Body"]).encode(), "SKILL.md")
    restricted = parsed.allowed_tools is not None or parsed.risk is not None or parsed.requires_approval is not None
    assert restricted or parsed.unsafe or restriction in str(dict(parsed.frontmatter))
