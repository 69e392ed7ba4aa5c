"""From the commands as they were run to one command with named parameters: what never changed stays as it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wellworn.lifecycle.proposing.evidence import Evidence
from wellworn.lifecycle.shell.parse import parse_line
from wellworn.lifecycle.shell.parts import parts_of
from wellworn.lifecycle.shell.steps import CommandStep, fill, steps_of, writes_file
from wellworn.models.recipe import ForgeInput

_STRATEGIES = {"branch": "current_branch", "pr": "current_pr"}
_QUOTED = re.compile(r"""(["'])(.*)\1""", re.DOTALL)
_FOLDER = re.compile(r"^\s*cd\s+(?P<folder>[\w@][\w@.-]*(?:/[\w@.-]+)*)\s*(?:&&|;)")
_USUAL = 0.8
REQUIRED = 0.6
"""A step that fewer of the occurrences have is not required."""
_DESCRIBED = {
    "version": "the version",
    "tag": "the tag",
    "branch": "the branch",
    "message": "the message",
    "pr": "the number of the pull request",
    "path": "the path",
    "file": "the file",
    "url": "the address",
    "package": "the package",
    "image": "the image",
    "number": "the number",
    "hash": "the hash",
    "secret": "a secret: the person knows where it is kept; never written down",
}


@dataclass(frozen=True, slots=True)
class GeneralCommand:
    """A command with `{{ name }}` in the place of what varied. key: the step's. observed: an example as it was run.

    required: False when it was left out every now and then.
    """

    key: str
    text: str
    observed: str
    required: bool = True


@dataclass(slots=True)
class _Inputs:
    """The parameters so far: by name, their value in each occurrence."""

    values: dict[str, dict[int, str]] = field(default_factory=dict)

    def reference(self, placeholder: str, values: Mapping[int, str]) -> str:
        """Return the text that stands for these values: an input that varies with them, else a new one."""
        for name, known in self.values.items():
            text = _expressed(name, known, values)
            if text is not None:
                return text
        name = self._free(placeholder)
        self.values[name] = {number: _unquoted(value) for number, value in values.items()}
        return f"{{{{ {name} }}}}"

    def _free(self, placeholder: str) -> str:
        base = re.sub(r"[^A-Za-z0-9_]", "_", re.sub(r"-\d+$", "", placeholder)).strip("_") or "value"
        base = base if base[0].isalpha() else f"value_{base}"
        name, number = base.lower(), 2
        while name in self.values:
            name, number = f"{base.lower()}_{number}", number + 1
        return name


def _expressed(name: str, known: Mapping[int, str], values: Mapping[int, str]) -> str | None:
    """Return `v{{ version }}` when every value is the known one with the same text around it; None when it is not."""
    shared = [number for number in values if number in known]
    if len(shared) < max(2, len(values) / 2) or len({known[number] for number in shared}) < 2:
        return None
    around: set[tuple[str, str]] = set()
    for number in shared:
        before, found, after = _unquoted(values[number]).partition(known[number])
        if not found or not known[number]:
            return None
        around.add((before, after))
    if len(around) != 1:
        return None
    before, after = around.pop()
    return f"{before}{{{{ {name} }}}}{after}" if re.fullmatch(r"[\w@.:/+-]*", before + after) else None


def _unquoted(value: str) -> str:
    found = _QUOTED.fullmatch(value)
    return found[2] if found else value


def general_commands(evidence: Evidence) -> tuple[list[GeneralCommand], list[ForgeInput]]:
    """Return one command a step (steps of which no command line is known are left out) and the inputs that they need.

    Among several forms of a command the most frequent one counts, the latest among equals. What was run in one
    pipeline is one command, with its redirections; only viewers behind it (`| tail`) are left out.
    """
    inputs = _Inputs()
    found: list[GeneralCommand] = []
    told: set[str] = set()
    for key, runs in zip(evidence.pattern.keys, evidence.commands, strict=True):
        if key in told:
            continue
        if not runs:
            if _is_command(key):
                found.append(GeneralCommand(key, key, key))
            continue
        part = _usual_part(key, runs)
        text = _general(inputs, part.template, part.steps)
        if part.around is not None:
            text, others = _whole(inputs, part, text, evidence)
            told |= others
        folder = _usual_folder([line for _, line in runs.values()])
        required = len(runs) >= REQUIRED * len(evidence.occurrences)
        found.append(GeneralCommand(key, f"cd {folder} && {text}" if folder else text, part.line, required))
    used = " ".join(command.text for command in found)
    return found, [input_of(name) for name in inputs.values if f"{{{{ {name} }}}}" in used]


@dataclass(frozen=True, slots=True)
class _Part:
    """The usual form of a step. steps: its runs in that form, by occurrence; line: the latest one's.

    around: the pipeline that the latest run stands in; None when it stands by itself.
    """

    key: str
    template: str
    steps: Mapping[int, CommandStep]
    line: str
    around: str | None


def _usual_part(key: str, runs: Mapping[int, tuple[CommandStep, str]]) -> _Part:
    template, numbers = _usual_form({number: step for number, (step, _) in runs.items()})
    step, line = runs[max(numbers)]
    part = next((part for part in reversed(parts_of(line)) if any(one.key == key for one in steps_of(part))), line)
    return _Part(key, template, {number: runs[number][0] for number in numbers}, line, _pipeline(part, step))


def _pipeline(part: str, step: CommandStep) -> str | None:
    """Return the whole part when the step is only a piece of it: fed by, or feeding, more than viewers, or a file."""
    steps = steps_of(part)
    place = next((at for at, one in enumerate(steps) if one.key == step.key), 0)
    commands = parse_line(part).commands
    alone = place == 0 and all(one.noise for one in steps[1:]) and not any(map(writes_file, commands))
    return None if alone or fill(step.template, step.values) not in part else part


def _whole(inputs: _Inputs, part: _Part, text: str, evidence: Evidence) -> tuple[str, set[str]]:
    """Return the pipeline with the step, and what else of the pattern stands in it, in general form."""
    latest = part.steps[max(part.steps)]
    whole = (part.around or "").replace(fill(latest.template, latest.values), text, 1)
    told: set[str] = set()
    for key, runs in zip(evidence.pattern.keys, evidence.commands, strict=True):
        if key == part.key or not runs:
            continue
        other = _usual_part(key, runs)
        step = other.steps[max(other.steps)]
        if other.around == part.around and fill(step.template, step.values) in whole:
            whole = whole.replace(fill(step.template, step.values), _general(inputs, other.template, other.steps), 1)
            told.add(key)
    return whole, told


def _general(inputs: _Inputs, template: str, steps: Mapping[int, CommandStep]) -> str:
    latest = steps[max(steps)]
    values = [_value(inputs, at, steps) for at in range(len(latest.values))]
    return fill(template, tuple(zip([name for name, _ in latest.values], values, strict=True)))


def _is_command(key: str) -> bool:
    return not key.startswith("edit ") and key != "tests"


def _usual_form(steps: Mapping[int, CommandStep]) -> tuple[str, list[int]]:
    counts = Counter(step.template for step in steps.values())
    latest = {step.template: number for number, step in sorted(steps.items())}
    template = max(counts, key=lambda one: (counts[one], latest[one]))
    return template, [number for number, step in sorted(steps.items()) if step.template == template]


def _value(inputs: _Inputs, at: int, steps: Mapping[int, CommandStep]) -> str:
    values = {number: step.values[at][1] for number, step in steps.items()}
    usual, count = Counter(values.values()).most_common(1)[0]
    if len(values) == 1 or (count >= _USUAL * len(values) and count >= 2):
        return usual
    placeholder = next(iter(steps.values())).values[at][0]
    return inputs.reference(placeholder, values)


def _usual_folder(lines: Sequence[str]) -> str | None:
    folders = Counter(found["folder"] if (found := _FOLDER.match(line)) else "" for line in lines)
    folder, count = folders.most_common(1)[0]
    return folder if folder and count >= _USUAL * len(lines) else None


def input_of(name: str) -> ForgeInput:
    """Return the input of a placeholder, described by what its name says."""
    base = re.sub(r"_\d+$", "", name)
    return ForgeInput(
        name=name,
        required=True,
        default_strategy=_STRATEGIES.get(base),
        description=_DESCRIBED.get(base, f"the {base.replace('_', ' ')}"),
    )
