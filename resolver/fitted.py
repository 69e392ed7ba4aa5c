"""The numbers in use, by encoder: the fitted parameters, and what a user's own feedback corrected."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from wellworn.models.errors import InvalidInput
from wellworn.resolver.calibration import NEUTRAL, read_calibration
from wellworn.resolver.parameters import Parameters, load_parameters


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Parameters with their correction (see `resolver.calibration`). note: what every answer must say of them."""

    parameters: Parameters
    scale: float = NEUTRAL[0]
    outside_shift: float = NEUTRAL[1]
    note: str | None = None

    @property
    def name(self) -> str:
        """As an explanation shows it."""
        corrected = (self.scale, self.outside_shift) != NEUTRAL
        return f"{self.parameters.name} + your calibration" if corrected else self.parameters.name


class FittedNumbers:
    """Read once for each encoder, and again after `reload`. Thread-safe.

    parameters: a file that a setting names; it must be usable. calibration: `calibration.json`, used while it is there
    and fits encoder and parameters; a broken one costs a note, never an answer.
    """

    def __init__(self, parameters: Path | None = None, calibration: Path | None = None) -> None:
        self._parameters, self._calibration = parameters, calibration
        self._known: dict[str, Fitted] = {}
        self._lock = threading.Lock()

    def of(self, fingerprint: str) -> Fitted:
        """Return the numbers for an encoder. Raises InvalidInput when the parameter file cannot be used."""
        known = self._known.get(fingerprint)
        if known is None:
            with self._lock:
                known = self._known[fingerprint] = self._read(fingerprint)
        return known

    def reload(self) -> None:
        """Read again at the next question."""
        with self._lock:
            self._known = {}

    def _read(self, fingerprint: str) -> Fitted:
        parameters, note = load_parameters(fingerprint, self._parameters)
        if self._calibration is None:
            return Fitted(parameters, note=note)
        try:
            found = read_calibration(self._calibration)
        except InvalidInput as error:
            return Fitted(parameters, note=_joined(note, str(error)))
        if found is None:
            return Fitted(parameters, note=note)
        if (found.fingerprint, found.parameters) != (fingerprint, parameters.name):
            stale = "Your calibration was made for another encoder or version; run `wellworn calibrate` again."
            return Fitted(parameters, note=_joined(note, stale))
        return Fitted(parameters, found.scale, found.outside_shift)


def _joined(note: str | None, other: str) -> str:
    return f"{note} {other}" if note else other
