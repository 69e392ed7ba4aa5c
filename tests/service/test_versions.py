"""The versions of a skill: seen, decided, edited by hand, deleted."""

from __future__ import annotations

import shutil

import pytest
from tests.service.curating import AGENT, REVIEWER
from tests.service.worlds import World

from wellworn.models.access import Caller, Role
from wellworn.models.curation import TrustRequest, UpdateRequest
from wellworn.models.errors import InvalidId, NotFound


def test_each_change_is_a_version_and_says_how_it_came(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        workspace.care.update("release-local", UpdateRequest(add_aliases=["off it goes"]), REVIEWER)
        workspace.care.change_trust("disable", "release-local", TrustRequest(reason="not now"), REVIEWER)
        file = world.library / "release-local/SKILL.md"
        file.write_bytes(file.read_bytes().replace(b"Look.", b"Look twice."))
        found = workspace.versions.log("release-local", AGENT).versions
        assert [(one.number, one.action, one.current) for one in found] == [
            (4, "edited by hand", True),
            (3, "disable", False),
            (2, "update", False),
            (1, "seen", False),
        ]
        assert (found[1].by, found[1].reason) == ("k-rev", "not now")
        last = workspace.versions.diff("release-local", AGENT)
        assert (last.older, last.newer) == (3, 4)
        assert "-1. Look.\n+1. Look twice." in last.diff
        assert "+  - off it goes" in workspace.versions.diff("release-local", AGENT, older=1, newer=2).diff
        assert workspace.versions.diff("release-local", AGENT, older=4).diff == ""


def test_a_skill_that_was_deleted_by_hand_keeps_its_versions(world: World) -> None:
    world.usual()
    with world.open():
        pass
    shutil.rmtree(world.library / "release-local")
    with world.open() as workspace:
        (only,) = workspace.versions.log("release-local", REVIEWER).versions
        assert (only.action, only.current) == ("seen", False)
        with pytest.raises(NotFound, match="not there any more"):
            workspace.versions.diff("release-local", REVIEWER, older=1)


@pytest.mark.parametrize("ref", ["../release-local", "release-local/..", "/etc/passwd", "", "A"])
def test_an_id_that_is_none_is_refused(world: World, ref: str) -> None:
    world.usual()
    with world.open() as workspace:
        for look in (workspace.versions.log, workspace.versions.diff):
            with pytest.raises(InvalidId):
                look(ref, REVIEWER)


def test_anothers_versions_are_not_there(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        stranger = Caller(role=Role.reviewer, user="eve", key_id="k-eve")
        with pytest.raises(NotFound):
            workspace.versions.log("release-local", stranger)
        with pytest.raises(NotFound, match="has no version 9"):
            workspace.versions.diff("release-local", REVIEWER, older=9)
