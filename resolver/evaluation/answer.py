"""What `wellworn eval --json` prints. A figure over no messages is null."""

from __future__ import annotations

from pydantic import Field

from wellworn.models.resolution import Decision
from wellworn.models.wire import Wire

Interval = tuple[float, float]


class InScope(Wire):
    """Messages that mean a skill: was it found, and how far up. An expected list asks for any of its skills."""

    n: int
    top1: float | None
    top3: float | None
    top5: float | None
    mrr: float | None
    ndcg10: float | None


class OutOfScope(Wire):
    """Messages that mean no skill, judged by the top skill's confidence against that of the messages in scope.

    auroc_any: by the confidence that any skill is meant, which does not fall when two skills compete.
    rejectedAt60: share whose confidence stays below 0.60. fprAt95: share that passes where 95 % in scope do.
    """

    n: int
    auroc: float | None
    auroc_any: float | None
    rejected_at_60: float | None
    fpr_at_95: float | None


class NearMisses(Wire):
    """Messages that name a skill which must not fire; avoided unless that very skill is answered at >= 0.60."""

    n: int
    avoided: float | None


class CalibrationBin(Wire):
    """`low` <= confidence < `high`: how sure the answers were on average, and how often right."""

    low: float
    high: float
    n: int
    confidence: float | None
    correct: float | None


class CalibrationFigures(Wire):
    """Of the event "the top skill is the one meant", over messages in scope and out of scope (there it never is)."""

    ece: float | None
    brier: float | None
    bins: list[CalibrationBin]


class DecisionFigures(Wire):
    """How often a decision was made, and how often it served.

    `none` serves where no skill is meant, `choose` when the one meant is among its candidates, the others when it is
    the top skill. Near misses that leave open what is meant are not counted.
    """

    n: int
    precision: float | None


class Confusion(Wire):
    """A skill answered for another. `expected` is null where none was meant and one was answered at >= 0.60."""

    expected: str | None
    answered: str | None
    n: int
    example: str


class Latency(Wire):
    """Of one resolution, in milliseconds."""

    p50: float | None
    p95: float | None
    p99: float | None


class Indexing(Wire):
    """What it took to index the library (the groups together)."""

    utterances: int
    seconds: float


class Confident(Wire):
    """Answers at confidence >= 0.85: `precision` of those over all judged messages, `coverage` of the ones in scope."""

    n: int
    precision: float | None
    coverage: float | None


class Control(Wire):
    """The positive control: skills asked for by their own words, and how many came back under their own id."""

    n: int
    found: int


class Intervals(Wire):
    """95 % bootstrap intervals, [low, high]; null where there were no messages."""

    top1: Interval | None = None
    auroc: Interval | None = None
    avoided: Interval | None = None
    ece: Interval | None = None


class EvaluationAnswer(Wire):
    """All figures of one run."""

    in_scope: InScope
    out_of_scope: OutOfScope
    near_misses: NearMisses
    calibration: CalibrationFigures
    decisions: dict[Decision, DecisionFigures]
    confident: Confident
    confusions: list[Confusion]
    latency_ms: Latency
    indexing: Indexing
    control: Control
    intervals: Intervals = Field(default_factory=Intervals)
