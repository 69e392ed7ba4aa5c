"""`<data dir>/service.json`: where the running service of a data folder is, readable by its owner only."""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from wellworn.models.errors import StoreError

FILE_NAME = "service.json"


@dataclass(frozen=True, slots=True)
class Place:
    """Address and process of a service, and the token by which the owner's programs are the local person there."""

    address: str
    pid: int
    instance: str
    token: str


def write_place(folder: Path, place: Place) -> None:
    """Announce a service, whole or not at all; the last one started wins. Raises StoreError."""
    temporary = folder / f".{FILE_NAME}.{os.getpid()}-{secrets.token_hex(4)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(place), file)
        temporary.replace(folder / FILE_NAME)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise StoreError(
            f"The data folder {folder} cannot be written: {error.strerror or error}.",
            hint="Check its permissions, or give another with --data-dir.",
        ) from None


def read_place(folder: Path) -> Place | None:
    """Return the announced service, or None when there is none or its process has ended."""
    try:
        place = Place(**json.loads((folder / FILE_NAME).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return place if _alive(place.pid) else None


def remove_place(folder: Path, instance: str) -> None:
    """Withdraw the announcement, unless another service has made its own since."""
    place = read_place(folder)
    if place is not None and place.instance == instance:
        (folder / FILE_NAME).unlink(missing_ok=True)


def _alive(pid: object) -> bool:
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
