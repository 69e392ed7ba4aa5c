"""Guards of the package itself: links, wheel contents, layers, documentation that must not drift."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from wellworn.service.cli.app import cli
from wellworn.service.settings import ENV_PREFIX, Settings

ROOT = Path(__file__).parent.parent
LINKED = ("models", "store", "index", "resolver", "lifecycle", "service")


def tracked(*folders: str) -> list[str]:
    """Files that git knows, or the tree's own where there is no git (an unpacked sdist)."""
    try:
        listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [line for line in listed.stdout.splitlines() if (ROOT / line).exists()]


@pytest.mark.parametrize("name", LINKED)
def test_each_top_level_folder_is_linked_into_the_package_by_a_relative_link(name: str) -> None:
    assert str((ROOT / "src" / "wellworn" / name).readlink()) == f"../../{name}"


def test_the_wheel_holds_exactly_the_code_and_data_that_git_holds(tmp_path: Path) -> None:
    copy = tmp_path / "tree"
    for name in tracked():
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        source = ROOT / name
        if source.is_symlink():
            target.symlink_to(source.readlink())
        else:
            target.write_bytes(source.read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", "out", "."]
    subprocess.run(command, cwd=copy, check=True, capture_output=True)
    (wheel,) = (copy / "out").glob("*.whl")
    packed = {n.removeprefix("wellworn/") for n in zipfile.ZipFile(wheel).namelist() if n.startswith("wellworn/")}
    wanted = {name for name in tracked(*LINKED) if not name.endswith(".md")}
    wanted |= {name.removeprefix("src/wellworn/") for name in tracked("src") if not (ROOT / name).is_symlink()}
    assert packed == wanted


def test_layers_import_one_way() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_setting_is_documented_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    missing = [name for name in Settings.model_fields if not re.search(rf"`(?:{ENV_PREFIX})?{name.upper()}`", readme)]
    assert not missing


def test_every_setting_says_what_it_is_for() -> None:
    assert not [name for name, field in Settings.model_fields.items() if not field.description]


def test_the_readme_names_only_commands_that_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    used = set(re.findall(r"\bwellworn (?:--[\w-]+ \S+ )*([a-z]+)\b", "\n".join(re.findall(r"^\$ .*$", readme, re.M))))
    assert used
    assert used <= set(cli.commands) | set(cli.list_commands(None))  # type: ignore[arg-type]
