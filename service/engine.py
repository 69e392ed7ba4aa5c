"""What answers questions: encoder, index and resolver of one data folder, opened together."""

from __future__ import annotations

import logging
import threading
from contextlib import ExitStack
from typing import Self

from wellworn.index.embedding import Stopped
from wellworn.index.encoder import Encoder
from wellworn.index.live import LiveIndex
from wellworn.models.errors import WellwornError
from wellworn.models.reports import Progress, ShowProgress
from wellworn.resolver.pipeline import Resolver
from wellworn.service.encoder_record import open_former, open_named, write_record
from wellworn.service.settings import Settings
from wellworn.store.database import Database

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
SWITCH_RETRY_SECONDS = 30.0


class Engine:
    """Use `Engine.open`; close it before its database.

    Serving, a change of the encoder setting is carried out behind the answers: the former encoder serves until
    everything is embedded with the new one.
    """

    def __init__(self, settings: Settings, index: LiveIndex, resolver: Resolver, wanted: Encoder) -> None:
        self.index, self.resolver = index, resolver
        self.problems: dict[str, str] = {}
        self._settings, self._wanted = settings, wanted
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._closing = ExitStack()

    @classmethod
    def open(cls, settings: Settings, database: Database, *, encoder: Encoder | None, serving: bool) -> Self:
        """Load what is stored. Raises EncoderUnavailable, InvalidInput, StoreError."""
        wanted = encoder or open_named(settings, settings.encoder)
        first, told = open_former(settings, wanted) if serving else (wanted, None)
        with ExitStack() as opened:
            index = opened.enter_context(LiveIndex(database, settings.vectors_dir, first))
            resolver = opened.enter_context(
                Resolver.open(
                    wanted, settings.heads_dir, parameters=settings.parameters, calibration=settings.calibration_path
                )
            )
            engine = cls(settings, index, resolver, wanted)
            if told is not None:
                engine.problems["encoder"] = f"{told} Until everything is embedded anew, skills are found by words."
            engine._closing = opened.pop_all()
        return engine

    def start(self) -> None:
        """Serve: follow changes, embed behind the answers, carry out a change of encoder."""
        self.index.start()
        work = [self._look_after]
        if self.index.snapshot.fingerprint != self._wanted.fingerprint:
            work.append(self._switch)
        self._threads = [threading.Thread(target=one, name="wellworn-engine", daemon=True) for one in work]
        for thread in self._threads:
            thread.start()

    def fill(self, progress: ShowProgress) -> None:
        """Embed what is missing, here and now. Raises EncoderUnavailable, StoreError."""
        done = 0
        total = self.index.status().pending

        def embedded(count: int) -> None:
            nonlocal done
            done += count
            progress(Progress("Embedding", done))

        if total:
            self.index.fill(embedded)
        if self.index.snapshot.fingerprint == self._wanted.fingerprint:
            write_record(self._settings.data_dir, self._wanted)

    def close(self) -> None:
        """Stop, and wait for what is being done; closing twice is fine."""
        self._stop.set()
        self.index.close()
        for thread in self._threads:
            thread.join()
        self._closing.close()

    def _switch(self) -> None:
        wait = 0.0
        while not self._stop.wait(wait):
            try:
                self.index.switch_encoder(self._wanted)
            except Stopped:
                return
            except WellwornError as error:
                if not self._stop.is_set():
                    log.warning("The change to the encoder %s failed and is tried again: %s", self._wanted.name, error)
                    self.problems["switch"] = f"The change to the encoder {self._wanted.name} failed: {error}"
                wait = SWITCH_RETRY_SECONDS
            else:
                self.problems.pop("switch", None)
                return

    def _look_after(self) -> None:
        """Once a second: note when everything is embedded, and take up a new calibration."""
        calibration, complete = _stamp(self._settings), False
        while not self._stop.wait(LOOK_SECONDS):
            now = _stamp(self._settings)
            if now != calibration:
                calibration = now
                self.resolver.reload()
            if not complete:
                complete = self._note_if_complete()

    def _note_if_complete(self) -> bool:
        status = self.index.status()
        if status.pending or status.fingerprint != self._wanted.fingerprint:
            return False
        try:
            write_record(self._settings.data_dir, self._wanted)
        except WellwornError as error:
            log.warning("The encoder in use could not be noted: %s", error)
        self.problems.pop("encoder", None)
        return True


def _stamp(settings: Settings) -> tuple[int, int]:
    try:
        status = settings.calibration_path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_ino
