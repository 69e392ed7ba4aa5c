"""One occurrence of a ritual as it really goes: other words, other order, noise between, retries, given up halfway."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from benchmarks.mining_background import FOLLOW_UPS, LOOKS, TOOLS, Draft, Speaker, edit, intent, ran, tested, zipf
from benchmarks.mining_decoys import Decoy
from benchmarks.mining_patterns import Pattern, Step
from benchmarks.mining_values import dressed, fill, worded
from wellworn.models.trace import TraceKind

_WISHED, _MISSING, _SWAPPED, _RETRIED, _NOISE, _JOINED, _ASIDE = 0.85, 0.3, 0.35, 0.1, 0.35, 0.15, 0.04
_KINDS = {"review-": TraceKind.review_result, "review+": TraceKind.review_result, "gate": TraceKind.approval_gate,
          "advice-": TraceKind.advisor_decision, "advice+": TraceKind.advisor_decision}  # fmt: skip


class Planter:
    """Makes the occurrences of one pattern or decoy."""

    def __init__(self, one: Pattern | Decoy, speaker: Speaker) -> None:
        self.one, self.say, self.chance = one, speaker, speaker.chance

    def occurrence(self, values: dict[str, str], *, whole: bool) -> list[Draft]:
        """Return one occurrence; only a whole one has core events."""
        steps = self._order(self._repeated())
        if not whole:
            steps = steps[: self.chance.randint(1, max(1, len(steps) // 2))]
        drafts = list(self._wish(values))
        for draft in self._joined(list(self._acts(steps, values))):
            drafts.extend(self._between(bool(drafts)))
            drafts.append(draft if whole else replace(draft, core=False))
        return drafts

    # -- which steps -------------------------------------------------------------------------------------------------

    def _repeated(self) -> list[Step]:
        """A review loop goes round once to three times; only the last review is content."""
        steps = list(self.one.steps)
        if self.one.kind == "loose":
            return self.chance.sample(steps, 2)
        if self.one.kind == "shuffled":
            return self.chance.sample(steps, self.chance.randint(3, 5))
        if self.one.kind != "review":
            return steps
        return steps[:-1] * self.chance.choices((1, 2, 3), (5, 3, 1))[0] + steps[-1:]

    def _order(self, steps: list[Step]) -> list[Step]:
        kept = [step for step in steps if not (step.optional and self.chance.random() < _MISSING)]
        at = 0
        while at < len(kept) - 1:
            if kept[at].swaps and self.chance.random() < _SWAPPED:
                kept[at], kept[at + 1] = kept[at + 1], kept[at]
                at += 1
            at += 1
        return kept

    # -- what is said and done ---------------------------------------------------------------------------------------

    def _wish(self, values: dict[str, str]) -> Iterator[Draft]:
        if self.chance.random() < _WISHED or self.one.kind == "prompt":
            yield intent(worded(fill(self.chance.choice(self.one.wishes), values), self.say), label=self.one.id)

    def _acts(self, steps: list[Step], values: dict[str, str]) -> Iterator[Draft]:
        for step in steps:
            yield from self._act(step, fill(self.chance.choice(step.forms), values))
        if self.one.kind == "loose":
            for _ in range(self.chance.randint(2, 4)):
                yield ran(self.say.fill(self.chance.choice(TOOLS)), True, self.chance)

    def _act(self, step: Step, text: str) -> Iterator[Draft]:
        mine: dict[str, Any] = {"label": self.one.id, "core": step.core and step.kind != "edit"}
        if step.kind == "run":
            if not step.fails and isinstance(self.one, Pattern) and self.chance.random() < _RETRIED:
                yield ran(dressed(text, self.chance), False, self.chance, label=self.one.id)
                if self.chance.random() < 0.5:
                    yield edit(self.say.fill("{path}"), self.chance)
            yield ran(dressed(text, self.chance), not step.fails, self.chance, **mine)
        elif step.kind == "test":
            yield tested(text, True, self.chance, **mine)
        elif step.kind == "edit":
            yield edit(text, self.chance, **mine)
        elif step.kind == "said":
            yield intent(self.say.typed(text), **mine)
        else:
            yield self._decision(step, text, mine)

    def _decision(self, step: Step, text: str, mine: dict[str, Any]) -> Draft:
        good = not step.kind.endswith("-")
        if step.kind == "gate":
            return Draft(TraceKind.approval_gate, f"approve {text}", True, **mine)
        risk = None if good or step.kind.startswith("review") else self.chance.choice(("medium", "high", None))
        tags = ("advisor",) if step.kind.startswith("advice") else ()
        return Draft(_KINDS[step.kind], text, good, tags=tags, risk=risk, **mine)

    # -- around and between ------------------------------------------------------------------------------------------

    def _joined(self, drafts: list[Draft]) -> Iterator[Draft]:
        """Write some neighbouring commands on one line."""
        at = 0
        while at < len(drafts):
            this, following = drafts[at], drafts[at + 1] if at + 1 < len(drafts) else None
            if following is not None and _joinable(this, following) and self.chance.random() < _JOINED:
                yield replace(
                    this, text=f"{this.text} && {following.text}", command=f"{this.command} && {following.command}"
                )
                at += 2
                continue
            yield this
            at += 1

    def _between(self, begun: bool) -> Iterator[Draft]:
        if not begun:
            return
        noise = _NOISE if self.one.kind not in {"shuffled", "loose"} else 0.6
        while self.chance.random() < noise:
            if self.chance.random() < 0.7:
                yield ran(self.say.fill(zipf(self.chance, LOOKS)), True, self.chance)
            else:
                yield edit(self.say.fill("{path}"), self.chance)
        if self.chance.random() < _ASIDE:
            yield ran(self.say.fill(zipf(self.chance, TOOLS)), True, self.chance)
        if self.chance.random() < _ASIDE:
            yield intent(self.say.fill(self.chance.choice(FOLLOW_UPS)))


def _joinable(this: Draft, following: Draft) -> bool:
    """Whether both are commands of the ritual that went well and have nothing behind a pipe."""
    both = (this, following)
    return all(d.kind is TraceKind.command_run and d.core and d.ok and "|" not in d.text for d in both) and not (
        following.text.startswith("time ")
    )
