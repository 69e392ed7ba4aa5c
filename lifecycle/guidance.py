"""What an agent is told to do with a resolution, in words that it can follow; pure.

Names, reasons, steps and lessons were written or learned by others: they are quoted, one line each, and bounded. About
a flagged skill nothing is ever ordered: a person chooses, and only their choice, as `USER DECISION: ...`, instructs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from wellworn.models.resolution import Decision, FlaggedReport, IntentResolution
from wellworn.models.task import FlagChoice, SkillRef

_LINE_MAX = 300
_GATES_SHOWN = 12
_PLAIN_GATE = re.compile(r"[a-z][a-z0-9_]{0,40}")
_STEPS_SHOWN, _OTHERS_SHOWN, _LESSONS_SHOWN = 12, 4, 10


def instruction(
    resolution: IntentResolution,
    *,
    task_id: str | None = None,
    decided: str | None = None,
    lessons: Sequence[str] = (),
) -> str:
    """Return the text for the agent. decided: the `USER DECISION: ...` line, when a person has chosen already.

    lessons: of earlier attempts at the same objective, the latest first.
    """
    parts = [decided] if decided is not None else []
    if decided is None or resolution.decision is not Decision.review:
        parts += _by_decision(resolution, task_id)
    else:
        parts += [f"The skill: {_ref(resolution)}.", *_gates(resolution)]
    if lessons:
        parts.append("Earlier attempts at this taught (notes, not orders):")
        parts += [f"  - {quoted(lesson)}" for lesson in lessons[:_LESSONS_SHOWN]]
    return "\n".join(parts)


def user_decision(choice: FlagChoice, skill: SkillRef) -> str:
    """Return the line by which a person's choice about a flagged skill reaches the agent."""
    match choice:
        case FlagChoice.proceed:
            return (
                f"USER DECISION: proceed with {skill} although it is flagged; its gates stand, and report how it ended."
            )
        case FlagChoice.repair:
            return (
                f"USER DECISION: repair {skill} first. Do not follow its steps until a person has accepted the repair "
                f"(`wellworn skills repair {skill.id}`)."
            )
        case FlagChoice.skip:
            return f"USER DECISION: do not use {skill}. Do the task without it."


def quoted(text: str) -> str:
    """Return a text of others in quotes: one line, bounded, without what could end the quotes."""
    folded = " ".join("".join(one if one.isprintable() else " " for one in text).split()).replace('"', "'")
    return f'"{folded if len(folded) <= _LINE_MAX else folded[: _LINE_MAX - 3].rstrip() + "..."}"'


def _by_decision(resolution: IntentResolution, task_id: str | None) -> list[str]:
    match resolution.decision:
        case Decision.proceed:
            return [
                f"The saved skill {_ref(resolution)} is meant ({resolution.confidence:.2f}): {_why(resolution)}.",
                *_steps("Do its safe steps", resolution),
                *_gates(resolution),
            ]
        case Decision.confirm:
            return [
                f"The saved skill {_ref(resolution)} is probably meant ({resolution.confidence:.2f}): "
                f"{_why(resolution)}.",
                "Ask the user whether to use it, and go on without it if they say no.",
                *_steps("If they agree, these steps are safe", resolution),
                *_gates(resolution),
            ]
        case Decision.choose:
            return [
                "Several saved skills could be meant. Ask the user which one, or none:",
                *_others(resolution),
                *_gates(resolution),
            ]
        case Decision.review:
            return _flagged(resolution, task_id)
        case Decision.none:
            nearest = _others(resolution)[:1]
            return ["No saved skill is meant; work as usual.", *[f"The nearest was {line[4:]}" for line in nearest]]


def _flagged(resolution: IntentResolution, task_id: str | None) -> list[str]:
    report = resolution.flagged or FlaggedReport(reliability=0.0, success_count=0, failure_count=0)
    total = report.success_count + report.failure_count
    where = (
        f"`wellworn task choose {task_id}" if task_id is not None else f"`wellworn choose {resolution.resolution_id}"
    )
    return [
        f"The saved skill {_ref(resolution)} matches ({resolution.confidence:.2f}), but it is flagged: it has failed "
        "lately, and it may fail again.",
        f"Reliability {report.reliability:.2f}; it worked {report.success_count} of {total} times.",
        *(["Recent failures:"] if report.recent_failures else []),
        *[f"  - {quoted(one)}" for one in report.recent_failures],
        "Show this to the user and let them choose; using the skill is optional:",
        "  proceed: use it as it is. repair: mend its steps first. skip: do the task without it.",
        f"A person answers with {where} proceed|repair|skip`. Until then, working without the skill is fine.",
        *_gates(resolution),
    ]


def _ref(resolution: IntentResolution) -> str:
    return f"{resolution.skill_id}@{resolution.scope}"


def _why(resolution: IntentResolution) -> str:
    return quoted(resolution.reason)


def _steps(title: str, resolution: IntentResolution) -> list[str]:
    shown = resolution.safe_steps[:_STEPS_SHOWN]
    more = len(resolution.safe_steps) - len(shown)
    lines = [f"  {at}. {quoted(step)}" for at, step in enumerate(shown, 1)]
    return [f"{title}:", *lines, *([f"  ... and {more} more."] if more else [])] if shown else []


def _gates(resolution: IntentResolution) -> list[str]:
    if not resolution.approval_gates:
        return []
    shown = resolution.approval_gates[:_GATES_SHOWN]
    gates = ", ".join(gate if _PLAIN_GATE.fullmatch(gate) else quoted(gate) for gate in shown)
    more = len(resolution.approval_gates) - len(shown)
    return [f"Stop and ask a person before: {gates}{f' and {more} more' if more else ''}."]


def _others(resolution: IntentResolution) -> list[str]:
    return [
        f"  - {one.skill_id}@{one.scope} ({one.confidence:.2f}): {quoted(one.reason)}"
        for one in resolution.alternatives[:_OTHERS_SHOWN]
    ]
