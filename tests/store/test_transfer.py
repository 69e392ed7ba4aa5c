"""Libraries as one file, in and out."""

import contextlib
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.models.errors import Conflict, InvalidInput
from wellworn.models.skill import Risk, Scope, Skill, SkillManifest, Trust
from wellworn.store.discovery import Source, walk_skills
from wellworn.store.skill_file import read_skill_directory
from wellworn.store.transfer import (
    LibraryLine,
    export_skill_directories,
    import_library,
    read_library,
    write_library,
)


def library(folder: Path, *lines: object, name: str = "lib.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def one(folder: Path, **fields: Any) -> LibraryLine:
    return read_library(library(folder, {"id": "a", "description": "d", **fields})).lines[0]


def skills(path: Path) -> list[Skill]:
    return [
        line.to_skill(scope=Scope.user, owner="u", directory=Path("/none") / line.manifest.id)
        for line in read_library(path)
    ]


def test_a_line_is_a_manifest_with_name_body_tools_and_group(tmp_path: Path) -> None:
    line = one(
        tmp_path,
        name="Größe",
        body="## Steps\n1. Go",
        allowedTools=["Read"],
        group="g",
        risk="high",
        requiresApproval=["tag"],
        source="x/y",
    )
    assert (line.name, line.body, line.allowed_tools, line.group) == ("Größe", "## Steps\n1. Go", ("Read",), "g")
    assert (line.manifest.risk, line.manifest.requires_approval) == (Risk.high, ["tag"])
    assert line.manifest.aliases == ["Größe"]
    assert line.manifest.model_extra == {"source": "x/y"}
    assert line.to_skill(scope=Scope.repo, owner="r", directory=tmp_path).steps == ("Go",)


def test_unknown_fields_are_named_once(tmp_path: Path) -> None:
    found = read_library(library(tmp_path, {"id": "a", "x": 1, "y": 2}, {"id": "b", "x": 1}))
    assert found.ignored == {"x", "y"}
    assert len(found.warnings) == 1


def test_descriptions_yield_triggers_unless_the_line_states_its_own(tmp_path: Path) -> None:
    text = "Use when shipping a build. Not for hot fixes."
    assert one(tmp_path, description=text).manifest.triggers == ["shipping a build"]
    assert one(tmp_path, description=text).manifest.negatives == ["hot fixes"]
    assert one(tmp_path, description=text, triggers=[]).manifest.triggers == []


def test_a_body_that_is_a_whole_skill_file_is_taken_apart(tmp_path: Path) -> None:
    line = one(tmp_path, description="", body="---\nname: a\ndescription: Inner\nallowed-tools: Read\n---\n# Title\n")
    assert (line.manifest.description, line.allowed_tools, line.body) == ("Inner", ("Read",), "# Title")


def test_gzip_blank_lines_and_a_byte_order_mark_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "lib.jsonl.gz"
    path.write_bytes(gzip.compress(b'\xef\xbb\xbf\n{"id": "a"}\r\n\n  \n{"id": "b"}'))
    assert [(line.line_number, line.manifest.id) for line in read_library(path)] == [(2, "a"), (5, "b")]


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"description": "no id"}, "id"),
        ({"id": "Not Valid"}, "id"),
        ({"id": "../x"}, "id"),
        ({"id": 3}, "id"),
        ({"id": "b", "aliases": "x"}, "aliases"),
        ({"id": "b", "aliases": [1]}, "aliases.0"),
        ({"id": "b", "risk": "huge"}, "risk"),
        ({"id": "b", "requiresApproval": True}, "requiresApproval"),
        ({"id": "b", "allowedTools": 3}, "allowedTools"),
        ({"id": "b", "allowedTools": "Bash(x"}, "allowedTools"),
        ({"id": "b", "body": 3}, "body"),
        ({"id": "b", "name": ["x"]}, "name"),
        ({"id": "b", "group": 1}, "group"),
        ({"id": "b", "when": {"openPr": "maybe"}}, "when.openPr"),
        ({"id": "b", "body": "x" * 2_000_000}, "body"),
        ({"id": "b", "description": "x" * 100_001}, "description"),
        ({"id": "b", "body": "---\nname: b\nallowed-tools: [x\n---\n"}, "body"),
        ("{not json", None),
        ("[1]", None),
        ("[" * 100_000, None),
        ('{"id": "b", "description": "\\ud800"}', None),
    ],
)
def test_a_bad_line_is_named_with_file_line_and_field(tmp_path: Path, bad: object, field: str | None) -> None:
    path = library(tmp_path, {"id": "a"}, "", bad)
    with pytest.raises(InvalidInput) as caught:
        read_library(path)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jsonl", b"", "holds no skills"),
        ("a.jsonl", b'{"id": "a"}\n\xff\xfe', "not UTF-8"),
        ("a.jsonl.gz", b"not gzip", "gzip"),
        ("a.jsonl.gz", gzip.compress(b'{"id": "a"}')[:-9], "gzip"),
    ],
)
def test_a_file_that_is_no_library_says_why(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidInput, match=message):
        read_library(tmp_path / name)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="does not exist"):
        read_library(tmp_path / "none.jsonl")
    with pytest.raises(InvalidInput, match="not a regular file"):
        read_library(tmp_path)


def test_a_repeated_id_counts_once_and_both_lines_are_named(tmp_path: Path) -> None:
    path = library(tmp_path, {"id": "a", "description": "one"}, {"id": "a", "description": "two"})
    found = read_library(path)
    assert [line.manifest.description for line in found] == ["one"]
    assert "lib.jsonl:2" in found.warnings[0]
    assert "line 1" in found.warnings[0]
    with pytest.raises(InvalidInput, match="line 1"):
        read_library(path, unique=True)


def test_the_same_id_in_two_groups_is_two_skills(tmp_path: Path) -> None:
    assert len(read_library(library(tmp_path, {"id": "a", "group": "x"}, {"id": "a", "group": "y"}), unique=True)) == 2


def test_what_is_exported_is_imported_again_unchanged(tmp_path: Path) -> None:
    first = library(
        tmp_path,
        {"id": "a", "name": "Ä b", "description": "Use when x y. Not for z w.", "body": "B\n---\n", "allowedTools": []},
        {"id": "b", "description": "Use when x y.", "triggers": [], "trust": "automatic", "extra": {"k": [1, None]}},
    )
    write_library(skills(first), tmp_path / "again.jsonl.gz")
    again = read_library(tmp_path / "again.jsonl.gz")
    assert [(x.manifest, x.name, x.body, x.allowed_tools) for x in again] == [
        (x.manifest, x.name, x.body, x.allowed_tools) for x in read_library(first)
    ]


def test_export_to_a_stream_prints_lines() -> None:
    out = io.StringIO()
    skill = Skill(SkillManifest(id="a", description="d"), "a", "", "u", Path("/none/a"))
    assert write_library([skill], out).written == 1
    assert json.loads(out.getvalue()) == {"id": "a", "kind": "prompt_skill", "scope": "user", "description": "d"}


def test_a_skill_whose_restriction_is_unreadable_is_not_exported(tmp_path: Path) -> None:
    skill = Skill(SkillManifest(id="a", description="d"), "a", "", "u", tmp_path, invocable=False)
    done = write_library([skill], tmp_path / "out.jsonl")
    assert done.written == 0
    assert done.skipped[0][0] == "a"


def test_what_an_export_does_not_hold_is_noted(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    for name in ("scripts/a.sh", "deeper/b/SKILL.md", ".hidden"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    (folder / "SKILL.md").write_text("---\nname: a\ndescription: d\n---\n" + "x" * 2_000_000, encoding="utf-8")
    skill = read_skill_directory(folder, scope=Scope.user, owner="u")
    notes = write_library([skill], tmp_path / "out.jsonl").notes
    assert len(notes) == 2
    assert "larger than what is read" in notes[0]
    assert notes[1] == "scripts/a.sh of a is not part of the export."


@pytest.mark.parametrize(("description", "why"), [("x" * 1025, "1,025"), ("", "no description")])
def test_the_strict_format_refuses_with_the_reason_and_writes_nothing(
    tmp_path: Path, description: str, why: str
) -> None:
    skill = Skill(SkillManifest(id="a", description=description), "a", "", "u", Path("/none/a"))
    with pytest.raises(InvalidInput, match=why):
        export_skill_directories([skill], tmp_path / "out")
    with pytest.raises(InvalidInput, match=why):
        write_library([skill], tmp_path / "out.jsonl", strict=True)
    assert list(tmp_path.iterdir()) == []


def test_strict_export_writes_folders_that_read_back(tmp_path: Path) -> None:
    path = library(
        tmp_path, {"id": "a", "name": "Ä", "description": "d: e", "body": "B", "allowedTools": ["Read", "Grep"]}
    )
    assert export_skill_directories(skills(path), tmp_path / "out").written == 1
    found = read_skill_directory(tmp_path / "out" / "a", scope=Scope.user, owner="u")
    assert (found.name, found.manifest.aliases, found.body, found.allowed_tools) == ("a", ["Ä"], "B", ("Read", "Grep"))
    assert found.diagnostics == ()
    with pytest.raises(Conflict, match="exists already"):
        export_skill_directories(skills(path), tmp_path / "out")


def test_import_writes_folders_and_running_it_again_changes_nothing(tmp_path: Path) -> None:
    lines = read_library(library(tmp_path, {"id": "a", "description": "d", "body": "B"}, {"id": "b", "extra": 1}))
    done = import_library(lines, tmp_path / "root", scope=Scope.user)
    assert (done.written, done.unchanged) == (2, 0)
    again = import_library(lines, tmp_path / "root", scope=Scope.user)
    assert (again.written, again.unchanged) == (0, 2)


def test_an_import_that_would_overwrite_another_skill_changes_nothing(tmp_path: Path) -> None:
    root = tmp_path / "root"
    import_library(read_library(library(tmp_path, {"id": "b", "description": "mine"})), root, scope=Scope.user)
    theirs = read_library(library(tmp_path, {"id": "a"}, {"id": "b", "description": "theirs"}))
    with pytest.raises(Conflict):
        import_library(theirs, root, scope=Scope.user)
    assert [path.name for path in root.iterdir()] == ["b"]
    import_library(theirs, root, scope=Scope.user, replace=True)
    assert read_skill_directory(root / "b", scope=Scope.user, owner="u").manifest.description == "theirs"


def test_nobody_is_imported_above_installed(tmp_path: Path) -> None:
    lines = read_library(library(tmp_path, {"id": "a", "trust": "automatic"}, {"id": "b", "trust": "disabled"}))
    import_library(lines, tmp_path / "root", scope=Scope.user)
    trusts = [read_skill_directory(tmp_path / "root" / i, scope=Scope.user, owner="u").manifest.trust for i in "ab"]
    assert trusts == [Trust.installed, Trust.disabled]


def test_an_import_with_one_id_in_two_groups_is_refused(tmp_path: Path) -> None:
    lines = read_library(library(tmp_path, {"id": "a", "group": "x"}, {"id": "a", "group": "y"}))
    with pytest.raises(InvalidInput, match="two groups"):
        import_library(lines, tmp_path / "root", scope=Scope.user)


def test_an_import_killed_at_any_moment_leaves_whole_skills_and_is_finished_by_the_next(tmp_path: Path) -> None:
    path = library(tmp_path, *({"id": f"s-{n}", "description": f"Does {n}", "body": "text " * 200} for n in range(300)))
    root = tmp_path / "root"
    script = (
        "import sys; from pathlib import Path; from wellworn.models.skill import Scope\n"
        "from wellworn.store.transfer import import_library, read_library\n"
        "lines = read_library(Path(sys.argv[1])); print('go', flush=True)\n"
        "import_library(lines, Path(sys.argv[2]), scope=Scope.user)\n"
    )
    for delay in (0.01, 0.05, 0.1, 0.15):
        with subprocess.Popen([sys.executable, "-c", script, str(path), str(root)], stdout=subprocess.PIPE) as running:
            assert running.stdout is not None
            running.stdout.readline()
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(timeout=delay)
            running.kill()
        for folder in walk_skills(Source("s", root, Scope.user, "u", 0, vouched=True, capped=False)):
            found = read_skill_directory(folder, scope=Scope.user, owner="u")
            assert (found.diagnostics, len(found.body)) == ((), 999)
    done = import_library(read_library(path), root, scope=Scope.user)
    assert done.written + done.unchanged == 300
    assert len(list(root.iterdir())) == 300


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@settings(max_examples=150)
@given(
    fields=st.dictionaries(
        st.sampled_from(["id", "name", "body", "risk", "aliases", "when", "x", "group", "scope"]), JSON
    )
)
def test_any_json_object_is_a_line_or_invalid_input(
    tmp_path_factory: pytest.TempPathFactory, fields: dict[str, Any]
) -> None:
    path = library(tmp_path_factory.mktemp("lib"), {"id": "a", **fields})
    try:
        read_library(path)
    except InvalidInput:
        return
