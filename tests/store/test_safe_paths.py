from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.models.errors import InvalidInput
from wellworn.store.safe_paths import inside, is_inside


def test_a_path_below_the_root_is_resolved(tmp_path: Path) -> None:
    assert inside(tmp_path, "a", "b.md") == tmp_path.resolve() / "a" / "b.md"


@pytest.mark.parametrize("part", ["..", "../x", "/etc/passwd", "a/../../x", "a\0b"])
def test_a_path_that_leaves_the_root_is_refused(tmp_path: Path, part: str) -> None:
    with pytest.raises(InvalidInput):
        inside(tmp_path, part)


def test_a_link_out_of_the_root_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").mkdir()
    (root / "skill").symlink_to(tmp_path / "secret")
    with pytest.raises(InvalidInput, match="leads outside"):
        inside(root, "skill", "SKILL.md")
    assert not is_inside(root, root / "skill")


def test_a_link_within_the_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert inside(tmp_path, "link", "x") == tmp_path.resolve() / "real" / "x"


def test_a_loop_of_links_is_not_inside(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert not is_inside(tmp_path, tmp_path / "loop")


@given(st.lists(st.text(max_size=12), min_size=1, max_size=4))
def test_whatever_the_parts_the_result_lies_in_the_root(parts: list[str]) -> None:
    root = Path("/nonexistent/root")
    try:
        result = inside(root, *parts)
    except InvalidInput:
        return
    assert result.is_relative_to(root)
