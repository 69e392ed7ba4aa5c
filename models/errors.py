"""Every error that wellworn raises on purpose.

    WellwornError
    ├── InvalidInput             the caller sent something that cannot be used          HTTP 400, exit 2
    │   └── InvalidId            a skill or recipe id of the wrong shape                HTTP 400, exit 2
    ├── NotFound                 nothing of that name is here                           HTTP 404, exit 1
    ├── Conflict                 it exists already, or changed meanwhile                HTTP 409, exit 1
    ├── NotAllowed               the caller's role or scope does not cover this         HTTP 403, exit 1
    ├── NotAuthenticated         no key, or an unknown or revoked one                   HTTP 401, exit 1
    ├── TooLarge                 a body, batch or file above its limit                  HTTP 413, exit 1
    ├── Unavailable              a part that is needed is not ready or not reachable    HTTP 503, exit 1
    │   └── EncoderUnavailable   the encoder cannot be loaded or does not answer        HTTP 503, exit 1
    └── StoreError               the data folder or database cannot be used             HTTP 500, exit 1
        └── NewerStore           the database was written by a newer version            HTTP 500, exit 1

The HTTP and CLI edges turn these into problem details and sentences in one place each. `field` names the
offending field in dotted wire names (`context.openPr.number`), `hint` says what to do next.
"""

from __future__ import annotations


class WellwornError(Exception):
    """The root; `str(error)` is one sentence that a person can act on."""

    code = "error"
    status = 500
    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class InvalidInput(WellwornError):
    """The caller sent something that cannot be used; nothing was changed."""

    code = "invalid-input"
    status = 400
    exit_code = 2


class InvalidId(InvalidInput):
    """A skill or recipe id that is not lower-case words joined by single hyphens."""

    code = "invalid-id"


class NotFound(WellwornError):
    """Nothing of that name is visible to the caller."""

    code = "not-found"
    status = 404


class Conflict(WellwornError):
    """It exists already, or was changed since it was read."""

    code = "conflict"
    status = 409


class NotAllowed(WellwornError):
    """The caller is known, but its role or scope does not cover this."""

    code = "not-allowed"
    status = 403


class NotAuthenticated(WellwornError):
    """No key was given, or an unknown or revoked one."""

    code = "not-authenticated"
    status = 401


class TooLarge(WellwornError):
    """A body, batch or file above its limit."""

    code = "too-large"
    status = 413


class Unavailable(WellwornError):
    """A part that is needed is not ready or cannot be reached."""

    code = "unavailable"
    status = 503


class EncoderUnavailable(Unavailable):
    """The encoder cannot be loaded, fails its checksum or does not answer."""

    code = "encoder-unavailable"


class StoreError(WellwornError):
    """The data folder or the database cannot be used."""

    code = "store-error"


class NewerStore(StoreError):
    """The database was written by a newer version of wellworn."""

    code = "newer-store"
