"""What a recipe is: phases of steps that the forge runs, with inputs, a stop policy and gates."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from wellworn.models.ids import SkillId
from wellworn.models.wire import FileModel

INPUT_NAME = re.compile(r"[a-z][A-Za-z0-9_]{0,63}", re.ASCII)
PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z0-9_]+)\s*\}\}")
"""`{{ name }}` in a command stands for an input."""


class ForgeInput(FileModel):
    """A value that a run needs. default_strategy: `latest_tag`, `current_branch`, ..., or a literal; see the forge."""

    name: str
    required: bool = True
    default_strategy: str | None = None
    description: str | None = None

    @field_validator("name")
    @classmethod
    def _is_a_name(cls, value: str) -> str:
        if not INPUT_NAME.fullmatch(value):
            raise ValueError("must begin with a lower-case letter and hold letters, digits and _ only")
        return value


class ShellStep(FileModel):
    """A command. `{{ name }}` in it is replaced by the input of that name."""

    kind: Literal["shell"] = "shell"
    id: SkillId
    command: str = Field(min_length=1)
    required: bool = True


class AdvisorStep(FileModel):
    """A question to the configured model."""

    kind: Literal["advisor"] = "advisor"
    id: SkillId
    mode: Literal["light", "strict"] = "light"
    prompt: str = Field(min_length=1)


class CodexStep(FileModel):
    """The configured coding agent reviews, or addresses concerns."""

    kind: Literal["codex"] = "codex"
    id: SkillId
    mode: Literal["review", "fix"]


class GithubStep(FileModel):
    """Something done with `gh`."""

    kind: Literal["github"] = "github"
    id: SkillId
    action: Literal["open_pr", "fetch_reviews", "merge_pr"]


class GateStep(FileModel):
    """The run stops here until a person approves `requires`."""

    kind: Literal["gate"] = "gate"
    id: SkillId
    requires: str = Field(min_length=1)


class SubrecipeStep(FileModel):
    """Another recipe is run in its place."""

    kind: Literal["subrecipe"] = "subrecipe"
    id: SkillId
    recipe_id: SkillId


ForgeStep = Annotated[
    ShellStep | AdvisorStep | CodexStep | GithubStep | GateStep | SubrecipeStep, Field(discriminator="kind")
]


class ForgePhase(FileModel):
    """Steps that belong together."""

    id: SkillId
    steps: list[ForgeStep] = Field(min_length=1)


class StopPolicy(FileModel):
    """When a recipe whose phases are repeated ends."""

    max_rounds: int | None = Field(default=None, ge=1, le=100)
    stop_on_repeated_review: bool | None = None
    stop_on_repeated_failure: bool | None = None
    stop_when_no_high_medium_concerns: bool | None = None


class SafetyPolicy(FileModel):
    """Actions that need a person's approval, whatever the steps say."""

    require_approval_before: list[str] = Field(default_factory=list)


class ForgeRecipe(FileModel):
    """`forge/<id>.yaml`. Unknown fields are kept."""

    id: SkillId
    description: str
    inputs: list[ForgeInput] = Field(default_factory=list)
    phases: list[ForgePhase] = Field(min_length=1)
    stop_policy: StopPolicy = Field(default_factory=StopPolicy)
    safety: SafetyPolicy = Field(default_factory=SafetyPolicy)

    @model_validator(mode="after")
    def _holds_together(self) -> ForgeRecipe:
        _refuse_repeats("phase", [phase.id for phase in self.phases])
        _refuse_repeats("step", [step.id for phase in self.phases for step in phase.steps])
        _refuse_repeats("input", [one.name for one in self.inputs])
        known = {one.name for one in self.inputs}
        for phase in self.phases:
            for step in phase.steps:
                for name in PLACEHOLDER.findall(step.command if isinstance(step, ShellStep) else ""):
                    if name not in known:
                        raise ValueError(f"step {step.id} uses {{{{ {name} }}}}, which is not among the inputs")
        return self


def _refuse_repeats(what: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"the {what} {name} is there twice")
        seen.add(name)
