"""A user's own correction of the confidences: two numbers on top of the fitted parameters.

    score' = scale x score          outside' = scale x outside + outside_shift

and the confidences are the softmax of these. It changes how sure wellworn is, never the order of the candidates.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from wellworn.models.errors import InvalidInput
from wellworn.models.wire import Wire

FORMAT = 1


class Calibration(Wire):
    """`calibration.json`. fingerprint, parameters: of the encoder and the parameters that it corrects."""

    format: int = FORMAT
    fingerprint: str
    parameters: str
    scale: float = Field(gt=0.0, le=100.0)
    outside_shift: float = Field(ge=-100.0, le=100.0)
    messages: int
    held_out_log_loss: float
    fitted_at: datetime


NEUTRAL = (1.0, 0.0)
"""(scale, outside shift) that change nothing."""


def read_calibration(path: Path) -> Calibration | None:
    """Return what a file holds, None when there is none. Raises InvalidInput when it cannot be used."""
    try:
        found = Calibration.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise InvalidInput(f"{path} cannot be used.", hint="Run `wellworn calibrate --reset`.") from error
    if found.format != FORMAT:
        raise InvalidInput(f"{path} has format {found.format}.", hint="Run `wellworn calibrate --reset`.")
    return found


def softmax_with_outside(scores: NDArray[np.float64], outside: float) -> NDArray[np.float64]:
    """Return float64[n]: the share of each score among all of them and the outside score."""
    everything = np.append(scores, outside)
    odds = np.exp(everything - everything.max())
    shares: NDArray[np.float64] = (odds / odds.sum())[:-1]
    return shares


def logsumexp(scores: NDArray[np.float64]) -> float:
    """Return ln of the sum of exponentials of at least one score."""
    highest = float(scores.max())
    return highest + float(np.log(np.exp(scores - highest).sum()))
