"""The fitted numbers of the ranking, as a versioned data file."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from wellworn.models.errors import InvalidInput
from wellworn.models.wire import Wire


class Parameters(Wire):
    """Weights of features (log-odds a unit), of the outside option, and what they were fitted for and on."""

    name: str
    fingerprint: str | None = None
    weights: dict[str, float]
    outside: dict[str, float]


FALLBACK = Parameters(
    name="fallback",
    weights={
        "short": 9.0, "description": 7.0, "body": 3.0, "words": 6.0, "shortWords": 4.0, "characters": 3.0,
        "exact": 8.0, "negative": -6.0,
    },
    outside={"constant": 6.5, "penalty": 8.0},
)


def load_parameters(fingerprint: str, path: Path | None = None) -> tuple[Parameters, str | None]:
    """Return the parameters for an encoder, and what answers must say of them. Raises InvalidInput for a bad file."""
    if path is None:
        return FALLBACK, None
    try:
        return Parameters.model_validate_json(path.read_bytes()), None
    except (OSError, ValidationError) as error:
        raise InvalidInput(f"The parameter file {path} cannot be used: {error}.", field="parameters") from None
