"""`<data dir>/encoder.json`: with which encoder everything was embedded last, so that nobody waits for a new one."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from wellworn.index.encoder import Encoder
from wellworn.index.encoders import open_encoder
from wellworn.models.errors import WellwornError
from wellworn.service.settings import Settings
from wellworn.store.files import write_whole

FILE_NAME = "encoder.json"


@dataclass(frozen=True, slots=True)
class EncoderRecord:
    """The specification of an encoder, and its fingerprint at the time."""

    spec: str
    fingerprint: str


def read_record(data_dir: Path) -> EncoderRecord | None:
    """Return the record, or None when there is none that can be read."""
    try:
        return EncoderRecord(**json.loads((data_dir / FILE_NAME).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_record(data_dir: Path, encoder: Encoder) -> None:
    """Record that everything is embedded with `encoder`; nothing is written when that is known. Raises StoreError."""
    record = EncoderRecord(encoder.name, encoder.fingerprint)
    if read_record(data_dir) != record:
        write_whole(data_dir / FILE_NAME, (json.dumps(asdict(record)) + "\n").encode("utf-8"))


def open_named(settings: Settings, spec: str) -> Encoder:
    """Open an encoder as the settings say. Raises InvalidInput, EncoderUnavailable."""
    key = settings.encoder_api_key
    secret = key.get_secret_value() if key else None
    return open_encoder(spec, threads=settings.encoder_threads, api_key=secret)


def open_former(settings: Settings, wanted: Encoder) -> tuple[Encoder, str | None]:
    """Return the encoder to begin serving with: the former one while everything is embedded with that.

    Also returns what people should be told when the former one cannot be opened any more.
    """
    record = read_record(settings.data_dir)
    if record is None or record.fingerprint == wanted.fingerprint:
        return wanted, None
    try:
        former = open_named(settings, record.spec)
    except WellwornError as error:
        return wanted, f"The former encoder {record.spec} cannot be opened ({error.message.rstrip('.')})."
    if former.fingerprint != record.fingerprint:
        return wanted, f"The former encoder {record.spec} is another model by now."
    return former, None
