"""Writing a skill: whole or not at all, and nothing but what changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.models.errors import Conflict, InvalidId, InvalidInput, NotFound, StoreError
from wellworn.models.skill import Risk, Scope, Skill, SkillManifest, When
from wellworn.store.skill_file import read_skill_directory, remove_skill, write_skill

MANIFEST = SkillManifest(
    id="ship-it",
    description='Ships: "all" of it # now. Use when shipping a build.',
    aliases=["ship: it", "on", "1.10", "发布", "it's"],
    requires_approval=["git_push"],
    risk=Risk.high,
    when=When(open_pr=True, branch=["main"]),
    owners={"team": ["core"]},  # type: ignore[call-arg]
)


def read(folder: Path) -> Skill:
    return read_skill_directory(folder, scope=Scope.user, owner="u")


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, MANIFEST, "\n# Ship\n\n---\n\n- x  \n\n", allowed_tools=("Read", "Bash(git add:*)"))
    found = read(folder)
    assert folder == tmp_path.resolve() / "ship-it"
    assert found.manifest == MANIFEST.model_copy(update={"triggers": ["shipping a build"]})
    assert found.body == "# Ship\n\n---\n\n- x"
    assert found.allowed_tools == ("Read", "Bash(git add:*)")
    assert found.diagnostics == ()


def test_the_skill_file_holds_only_keys_of_the_format(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, MANIFEST, "Body")
    head = (folder / "SKILL.md").read_text(encoding="utf-8").split("---")[1]
    assert [line.split(":")[0] for line in head.strip().splitlines()] == ["name", "description"]


def test_another_name_becomes_an_alias(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, SkillManifest(id="ship-it", description="d"), None, name="发布 it")
    assert read(folder).manifest.aliases == ["发布 it"]


WILD = (
    "---\r\nname: Ship It\r\nlicense:   MIT # ours\r\ndescription: >-\r\n  Ships,\r\n  all of it.\r\n"
    "metadata: {b: 1,   a: 2}\r\n---\r\n\r\n\r\nBody  \r\n\r\n---\r\nend"
)
SIDECAR = (
    "# top\nid: ship-it\n\naliases:   # names\n    - 'one'  # first\n    - \"two\"\n\n"
    "# how risky\nrisk: low   # for now\nzebra: [3,  1]\nantelope: yes\n"
)


def wild(root: Path, skill_md: bytes = WILD.encode(), sidecar: bytes = SIDECAR.encode()) -> Path:
    folder = root / "ship-it"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_bytes(skill_md)
    (folder / "manifest.yaml").write_bytes(sidecar)
    return folder


@pytest.mark.parametrize(
    ("skill_md", "sidecar"),
    [
        (WILD.encode(), SIDECAR.encode()),
        (WILD.encode("utf-16"), SIDECAR.encode("utf-8-sig")),
        (b"no front matter", b""),
        (b"---\nname: a\ndescription: a: b\nx: caf\xe9\n---\nB", b"aliases: [a,  b]"),
    ],
)
def test_load_and_save_changes_no_byte_and_no_time(tmp_path: Path, skill_md: bytes, sidecar: bytes) -> None:
    folder = wild(tmp_path, skill_md, sidecar)
    before = content(folder), [path.stat().st_mtime_ns for path in sorted(folder.iterdir())]
    found = read(folder)
    write_skill(tmp_path, found.manifest, found.body, name=found.name, allowed_tools=found.allowed_tools)
    assert (content(folder), [path.stat().st_mtime_ns for path in sorted(folder.iterdir())]) == before


def test_only_the_changed_lines_change(tmp_path: Path) -> None:
    folder = wild(tmp_path)
    manifest = read(folder).manifest
    changed = manifest.model_copy(update={"aliases": ["one", "two", "three"], "risk": Risk.high})
    write_skill(tmp_path, changed, None)
    assert (folder / "manifest.yaml").read_text(encoding="utf-8") == SIDECAR.replace(
        '    - "two"\n', '    - "two"\n    - three\n'
    ).replace("risk: low ", "risk: high")
    assert (folder / "SKILL.md").read_bytes() == WILD.encode()


def test_a_new_description_and_body_keep_the_rest_of_the_file_and_its_line_ends(tmp_path: Path) -> None:
    folder = wild(tmp_path)
    changed = read(folder).manifest.model_copy(update={"description": "Ships: less"})
    write_skill(tmp_path, changed, "New\n\nbody")
    text = (folder / "SKILL.md").read_bytes().decode()
    assert text == (
        "---\r\nname: Ship It\r\nlicense:   MIT # ours\r\ndescription: 'Ships: less'\r\n"
        "metadata: {b: 1,   a: 2}\r\n---\r\n\r\n\r\nNew\r\n\r\nbody\r\n"
    )
    assert (folder / "manifest.yaml").read_bytes() == SIDECAR.encode()


def test_utf_16_stays_utf_16(tmp_path: Path) -> None:
    folder = wild(tmp_path, WILD.encode("utf-16"))
    write_skill(tmp_path, read(folder).manifest, "Neu")
    data = (folder / "SKILL.md").read_bytes()
    assert data[:2] == b"\xff\xfe"
    assert data.decode("utf-16").endswith("Neu\r\n")
    assert read(folder).body == "Neu"


def test_a_skill_without_sidecar_gets_one_only_when_it_must(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: a\ndescription: d\n---\nBody\n", encoding="utf-8")
    found = read(folder)
    write_skill(tmp_path, found.manifest, "Other")
    assert not (folder / "manifest.yaml").exists()
    write_skill(tmp_path, found.manifest.model_copy(update={"risk": Risk.high}), None)
    assert (folder / "manifest.yaml").read_text(encoding="utf-8") == "id: a\nrisk: high\n"


def test_a_folder_with_another_name_is_edited_in_place(tmp_path: Path) -> None:
    folder = tmp_path / "My Skill"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: My Skill\ndescription: d\n---\nBody\n", encoding="utf-8")
    found = read(folder)
    written = write_skill(tmp_path, found.manifest, "Other", name=found.name, directory=folder)
    assert written == folder.resolve()
    assert read(folder).body == "Other"


def test_front_matter_is_added_where_there_was_none(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "SKILL.md").write_text("# Title\n\nProse.\n", encoding="utf-8")
    write_skill(tmp_path, read(folder).manifest.model_copy(update={"description": "Given"}), None)
    found = read(folder)
    assert (found.manifest.description, found.body) == ("Given", "# Title\n\nProse.")


def test_files_that_cannot_be_changed_safely_are_left_alone(tmp_path: Path) -> None:
    folder = wild(tmp_path, sidecar=b"{risk: low, aliases: [a]}\n")
    before = content(folder)
    with pytest.raises(Conflict, match="by hand"):
        write_skill(tmp_path, read(folder).manifest.model_copy(update={"risk": Risk.high}), None)
    assert content(folder) == before


def test_a_file_that_is_no_text_is_not_rewritten(tmp_path: Path) -> None:
    folder = wild(tmp_path, WILD.encode("utf-16") + b"\x00")
    with pytest.raises(Conflict, match="not valid text"):
        write_skill(tmp_path, read(folder).manifest, "New")


@pytest.mark.parametrize("skill_id", ["../x", "/etc/x", "A", "a--b", "", "a/b", "x" * 65, "a\n"])
def test_an_id_that_is_none_is_refused_and_nothing_is_written(tmp_path: Path, skill_id: str) -> None:
    manifest = MANIFEST.model_copy(update={"id": skill_id})
    with pytest.raises(InvalidId):
        write_skill(tmp_path / "lib", manifest, "x")
    with pytest.raises(InvalidId):
        remove_skill(tmp_path / "lib", skill_id)
    assert list(tmp_path.iterdir()) == []


def test_a_link_out_of_the_library_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "ship-it").symlink_to(tmp_path / "other")
    with pytest.raises(InvalidInput, match="outside"):
        write_skill(tmp_path / "lib", MANIFEST, "x")
    with pytest.raises(InvalidInput, match="outside"):
        remove_skill(tmp_path / "lib", "ship-it")
    assert list((tmp_path / "other").iterdir()) == []


def test_a_skill_file_that_links_out_of_the_library_is_not_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("---\nname: ship-it\ndescription: d\n---\n", encoding="utf-8")
    folder = tmp_path / "lib" / "ship-it"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").symlink_to(outside)
    with pytest.raises(Conflict):
        write_skill(tmp_path / "lib", MANIFEST, "changed")
    assert "changed" not in outside.read_text(encoding="utf-8")


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no text"):
        write_skill(tmp_path, MANIFEST, "\ud800")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_library_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "lib").write_text("", encoding="utf-8")
    with pytest.raises(StoreError):
        write_skill(tmp_path / "lib", MANIFEST, "x")


def test_what_a_killed_writer_left_is_cleaned_by_the_next(tmp_path: Path) -> None:
    script = "from wellworn.store.files import temporary_name; print(temporary_name('ship-it'))"
    dead = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    (tmp_path / dead).mkdir()
    (tmp_path / dead / "SKILL.md").write_text("half", encoding="utf-8")
    write_skill(tmp_path, MANIFEST, "x")
    assert [path.name for path in tmp_path.iterdir()] == ["ship-it"]


def test_removing_takes_the_whole_folder(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, MANIFEST, "x")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "a.sh").write_text("true", encoding="utf-8")
    remove_skill(tmp_path, "ship-it")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(NotFound):
        remove_skill(tmp_path, "ship-it")


def test_a_folder_that_is_no_skill_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(NotFound):
        remove_skill(tmp_path, "photos")
    assert (tmp_path / "photos").is_dir()


TEXT = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=40)
PHRASE = TEXT.map(lambda text: " ".join(text.split())).filter(bool)


@settings(max_examples=60)
@given(
    description=PHRASE,
    aliases=st.lists(PHRASE, max_size=4, unique=True),
    gates=st.lists(st.sampled_from(["git_push", "tag", "publish"]), unique=True),
    risk=st.sampled_from(Risk),
)
def test_any_text_survives_writing_editing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, description: str, aliases: list[str], gates: list[str], risk: Risk
) -> None:
    root = tmp_path_factory.mktemp("lib")
    wanted = SkillManifest(id="a", description=description, aliases=aliases, requires_approval=gates, risk=risk)
    fresh = read(write_skill(root, wanted, None, sync=False)).manifest
    (root / "b").mkdir()
    (root / "b" / "SKILL.md").write_bytes(WILD.encode())
    (root / "b" / "manifest.yaml").write_bytes(SIDECAR.replace("ship-it", "b").encode())
    edited = read(write_skill(root, wanted.model_copy(update={"id": "b"}), None, sync=False)).manifest
    for found in (fresh, edited):
        assert (found.description, found.aliases) == (description, aliases)
        assert (found.requires_approval, found.risk) == (gates, risk)


def test_two_processes_writing_one_skill_leave_it_whole(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from wellworn.models.skill import SkillManifest;"
        "from wellworn.models.errors import WellwornError;"
        "from wellworn.store.skill_file import write_skill\n"
        "for n in range(40):\n"
        "    text = sys.argv[2] * (n + 1)\n"
        "    try: write_skill(Path(sys.argv[1]), SkillManifest(id='a', description=text), text, sync=False)\n"
        "    except WellwornError: pass\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), word]) for word in ("x", "y")]
    assert [process.wait(timeout=60) for process in running] == [0, 0]
    found = read(tmp_path / "a")
    assert set(found.body) in ({"x"}, {"y"})
    assert sorted(os.listdir(tmp_path / "a")) == ["SKILL.md", "manifest.yaml"]  # noqa: PTH208
