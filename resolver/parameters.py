"""The fitted numbers of the ranking: a versioned data file a encoder, with what they were fitted on and how well.

`benchmarks/fit.py` writes the shipped files; what `wellworn calibrate` learns is kept apart (see `calibration`).
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field, ValidationError, model_validator

from wellworn.models.errors import InvalidInput
from wellworn.models.wire import Wire
from wellworn.resolver.features import BOUNDED, FITTED, FloatMatrix, Kind

FORMAT = 1
SHIPPED = Path(__file__).resolve().parent / "fits"
RANK = (*FITTED, "kind")
GATE = ("constant", *FITTED, "share", "lead", "nearest", "crowd", "headLevel", "librarySize", "messageWords")
_KINDS = tuple(kind.name for kind in Kind)

Weights = dict[str, dict[str, float]]


class Provenance(Wire):
    """Where the numbers come from. measured: figures on messages that were not fitted on, by data set."""

    date: str
    seed: int
    data: list[str]
    messages: int
    command: str
    measured: dict[str, dict[str, float]] = Field(default_factory=dict)


class Parameters(Wire):
    """Log-odds a unit of each feature.

    rank, gate: kind of skill -> feature -> weight; fitted. length: kind -> how much more a longer message says (see
    `scoring.length_factors`); fitted. bounded, context_bound, mood, far_away: set by hand.
    fingerprint: of the encoder they were fitted for; null means "any".
    """

    format: int = FORMAT
    name: str
    fingerprint: str | None = None
    rank: Weights
    gate: Weights
    length: dict[str, float]
    bounded: dict[str, float]
    context_bound: float = Field(ge=0.0)
    mood: float = Field(ge=0.0)
    far_away: float = Field(default=0.0, ge=0.0)
    provenance: Provenance | None = None

    @model_validator(mode="after")
    def _complete(self) -> Parameters:
        if self.format != FORMAT:
            raise ValueError(f"its format is {self.format}, this version reads {FORMAT}")
        for part, table, names in (("rank", self.rank, RANK), ("gate", self.gate, GATE)):
            for kind in _KINDS:
                _same(f"{part}.{kind}", table.get(kind, {}), names)
        _same("bounded", self.bounded, BOUNDED)
        _same("length", self.length, _KINDS)
        return self

    @cached_property
    def rank_matrix(self) -> FloatMatrix:
        """float64[kinds, len(RANK)]."""
        return np.array([[self.rank[kind][name] for name in RANK] for kind in _KINDS])

    @cached_property
    def gate_matrix(self) -> FloatMatrix:
        """float64[kinds, len(GATE)]."""
        return np.array([[self.gate[kind][name] for name in GATE] for kind in _KINDS])

    @cached_property
    def length_vector(self) -> FloatMatrix:
        """float64[kinds]."""
        return np.array([self.length[kind] for kind in _KINDS])

    @cached_property
    def bounded_vector(self) -> FloatMatrix:
        """float64[len(BOUNDED)]."""
        return np.array([self.bounded[name] for name in BOUNDED])


def _same(where: str, given: dict[str, float], names: tuple[str, ...]) -> None:
    missing, unknown = [n for n in names if n not in given], [n for n in given if n not in names]
    if missing or unknown:
        raise ValueError(f"{where} lacks {missing} and has unknown {unknown}")
    if not all(np.isfinite(value) for value in given.values()):
        raise ValueError(f"{where} has a weight that is not a finite number")


BY_HAND: dict[str, Any] = {
    "bounded": {
        "exact": 12.0, "named": 4.0, "nothingAlike": -3.0, "negative": -8.0, "excluded": -8.0,
        "triggerFact": 3.0, "goal": 1.5, "recentTraces": 1.0, "branchWords": 1.0, "sameSession": 0.7,
        "recentlyUsed": 0.3, "reliability": 0.5, "narrowScope": 0.2,
    },
    "context_bound": 2.0,
    "mood": 8.0,
    "far_away": 2.0,
}  # fmt: skip
"""An exact alias decides alone; a negative or an exclusion that is met exactly undoes an ordinary match; context and
history together move the odds by at most e squared: with half of that `benchmarks/context.py` saw half the gain, with
one and a half times as much more wrong answers. All 0 where nothing is stated."""


def load_parameters(fingerprint: str, path: Path | None = None) -> tuple[Parameters, str | None]:
    """Return the parameters for an encoder, and what answers must say of them (None: nothing).

    path: a file that takes precedence, e.g. a user's own calibration. Raises InvalidInput when it cannot be used.
    """
    if path is not None:
        loaded = read_parameters(path)
        if loaded.fingerprint not in (None, fingerprint):
            return loaded, f"The parameters {loaded.name} were fitted for another encoder, so confidences may be off."
        return loaded, None
    shipped = [read_parameters(file) for file in sorted(SHIPPED.glob("*.json"))]
    for one in shipped:
        if one.fingerprint == fingerprint:
            return one, None
    note = "No parameters were fitted for this encoder; confidences are only roughly right until `wellworn calibrate`."
    return shipped[0], note


def read_parameters(path: Path) -> Parameters:
    """Read a parameter file. Raises InvalidInput when it is missing or not one."""
    try:
        return Parameters.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InvalidInput(
            f"The parameter file {path} cannot be read: {error.strerror}.", field="parameters"
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise InvalidInput(
            f"The parameter file {path} cannot be used: {place}: {first['msg']}.", field="parameters"
        ) from error
