"""manifest.yaml beside a SKILL.md, or alone: field by field, with file and line."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.models.skill import Risk, Scope, Skill, SkillKind, Trust, When
from wellworn.store.skill_file import read_skill_directory
from wellworn.store.skill_read import parse_manifest
from wellworn.store.text_file import Notes

SKILL_MD = "---\nname: ship\ndescription: Ships. Use when shipping a build.\n---\n## Steps\n1. Build\n2. Ship\n"


def ship(folder: Path, manifest: str | bytes, skill_md: str | None = SKILL_MD) -> Skill:
    folder = folder / "ship"
    folder.mkdir(exist_ok=True)
    if skill_md is not None:
        (folder / "SKILL.md").write_text(skill_md, encoding="utf-8")
    (folder / "manifest.yaml").write_bytes(manifest.encode() if isinstance(manifest, str) else manifest)
    return read_skill_directory(folder, scope=Scope.repo, owner="github.com/a/b")


def places(found: Skill) -> list[tuple[str, int | None]]:
    return [(diagnostic.code, diagnostic.line) for diagnostic in found.diagnostics]


def test_its_fields_lie_over_what_the_skill_file_says(tmp_path: Path) -> None:
    found = ship(
        tmp_path,
        "id: ship\nkind: forge_recipe\nscope: repo\naliases: [ship it, release]\ntriggers:\n  - tests are green\n"
        "when: {openPr: true, branch: main}\nrisk: medium\ntrust: trusted\nrequiresApproval:\n  - git_push\n"
        "recipeId: ship\nstaleAfterDays: 45\n",
    )
    manifest = found.manifest
    assert found.diagnostics == ()
    assert manifest.description == "Ships. Use when shipping a build."
    assert (manifest.kind, manifest.risk, manifest.trust) == (SkillKind.forge_recipe, Risk.medium, Trust.trusted)
    assert (manifest.aliases, manifest.triggers) == (["ship it", "release"], ["tests are green"])
    assert manifest.when == When(open_pr=True, branch=["main"])
    assert (manifest.requires_approval, manifest.recipe_id, manifest.stale_after_days) == (["git_push"], "ship", 45)
    assert found.steps == ("Build", "Ship")


def test_unknown_fields_are_kept(tmp_path: Path) -> None:
    found = ship(tmp_path, "usageCount: 0\nteam: {name: core, size: 3}\nversion: 1.10\n")
    assert found.manifest.model_extra == {"usageCount": 0, "team": {"name": "core", "size": 3}, "version": 1.1}


def test_alone_it_is_a_skill(tmp_path: Path) -> None:
    found = ship(tmp_path, "id: ship\ndescription: Ships: the build\naliases: ship it\n", skill_md=None)
    assert (found.id, found.manifest.description, found.manifest.aliases) == ("ship", "Ships: the build", ["ship it"])
    assert found.invocable


def test_words_that_yaml_1_1_took_for_booleans_are_words(tmp_path: Path) -> None:
    found = ship(tmp_path, "aliases: [on, no, yes, 1.10, 007]\n")
    assert found.manifest.aliases == ["on", "no", "yes", "1.10", "007"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("aliases: {a: b}\n", 1),
        ("description:\n  - a\n", 1),
        ("# c\nkind: robot\n", 2),
        ("staleAfterDays: soon\n", 1),
        ("staleAfterDays: 0\n", 1),
        ("recipeId: Not An Id\n", 1),
        ("examples:\n  - [nested]\n", 1),
        ("provenance: alien\n", 1),
    ],
)
def test_a_bad_field_costs_itself_and_names_its_line(tmp_path: Path, text: str, line: int) -> None:
    found = ship(tmp_path, text + "negatives: [kept]\n")
    assert places(found) == [("invalid-field", line)]
    assert found.diagnostics[0].file.endswith("manifest.yaml")
    assert found.invocable
    assert found.manifest.negatives == ["kept"]
    assert found.manifest.triggers == ["shipping a build"]


def test_a_trust_that_is_none_holds_the_skill_back(tmp_path: Path) -> None:
    found = ship(tmp_path, "trust: disbled\n")
    assert found.manifest.trust is Trust.disabled
    assert places(found) == [("invalid-field", 1)]


def test_the_folder_wins_over_the_id_and_the_source_over_the_scope(tmp_path: Path) -> None:
    found = ship(tmp_path, "id: other\nscope: user\n")
    assert (found.id, found.scope) == ("ship", Scope.repo)
    assert places(found) == [("id-mismatch", 1), ("scope-mismatch", 2)]


@pytest.mark.parametrize(
    "when",
    ["[a]", "{openPr: maybe}", "{brunch: [main]}", "{branch: {x: 1}}", "main", "{openPr: {reviewState: approved}}"],
)
def test_a_when_that_cannot_be_judged_closes_the_skill(tmp_path: Path, when: str) -> None:
    """A fact that must hold, and that nobody understands, must not be taken for one that holds."""
    found = ship(tmp_path, f"when: {when}\n")
    assert places(found) == [("safety-field", 1)]
    assert not found.invocable


@pytest.mark.parametrize(
    "text",
    [
        "risk: extreme\n",
        "risk: 3\n",
        "risk: safe\n",
        "requiresApproval: yes: no\n  bad\n",
        "requiresApproval: {git_push: true}\n",
        "requires_approval: 1\n",
        "requiresApproval:\n",
        "requiresApproval: [git_push\n",
        "risk: low\nrisk: high\n",
        "risk: low\nRisk: high\n",
        "- risk\n- low\n",
        "{risk: high, x\n",
        "\x00\x01\x02",
        "just words",
        "a: &a [*a]\nb: [\n  risk: high\n",
    ],
)
def test_a_restriction_that_cannot_be_read_closes_the_skill(tmp_path: Path, text: str) -> None:
    found = ship(tmp_path, text)
    assert not found.invocable
    assert found.manifest.description == "Ships. Use when shipping a build."
    assert any(diagnostic.severity == "error" and diagnostic.line for diagnostic in found.diagnostics)


def test_a_broken_line_elsewhere_leaves_the_restrictions_standing(tmp_path: Path) -> None:
    found = ship(tmp_path, "description: Ship: now\nnote: a: b\nrequiresApproval:\n  - git_push\nrisk: high\n")
    assert found.invocable
    assert (found.manifest.requires_approval, found.manifest.risk) == (["git_push"], Risk.high)
    assert found.manifest.description == "Ship: now"


def test_one_gate_may_stand_without_a_list(tmp_path: Path) -> None:
    assert ship(tmp_path, "requiresApproval: git_push, tag\n").manifest.requires_approval == ["git_push", "tag"]


def test_the_sidecar_overrules_the_front_matter_with_a_warning(tmp_path: Path) -> None:
    found = ship(tmp_path, "risk: low\n", SKILL_MD.replace("name: ship", "name: ship\nrisk: high"))
    assert found.manifest.risk is Risk.low
    assert [code for code, _ in places(found)] == ["overruled"]


def test_an_unreadable_sidecar_closes_the_skill(tmp_path: Path) -> None:
    (tmp_path / "ship").mkdir()
    (tmp_path / "ship" / "SKILL.md").write_text(SKILL_MD, encoding="utf-8")
    (tmp_path / "ship" / "manifest.yaml").mkdir()
    assert not read_skill_directory(tmp_path / "ship", scope=Scope.user, owner="u").invocable


def test_an_empty_sidecar_says_nothing(tmp_path: Path) -> None:
    found = ship(tmp_path, "# nothing yet\n")
    assert found.invocable
    assert found.diagnostics == ()


@settings(max_examples=200)
@given(st.text(alphabet=st.sampled_from("ridskaw: \n-[]{}'\"&*!|>#lohg\t1é"), max_size=120))
def test_no_text_ever_raises(text: str) -> None:
    parse_manifest(text.encode(), Notes("manifest.yaml", []))
