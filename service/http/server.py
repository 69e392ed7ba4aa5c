"""`wellworn serve`: one process that listens, announces itself in the data folder and stops quietly."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import uvicorn

from wellworn import __version__
from wellworn.models.errors import InvalidInput, Unavailable, WellwornError
from wellworn.service.http.app import Service, create_app
from wellworn.service.http.auth import is_loopback
from wellworn.service.http.client import ServiceClient
from wellworn.service.http.place import Place, remove_place, write_place
from wellworn.service.settings import Settings

log = logging.getLogger("wellworn.http")

STOP_SECONDS = 1  # open connections (event streams) get this long when the service stops
KEEP_ALIVE_SECONDS = 60  # agents ask once a message; a new connection costs as much as the answer
LINGER_SECONDS = 0.5  # then threads that have not noticed the end are left behind
BACKLOG = 1024
_THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Announce = Callable[[str], None]
WhenReady = Callable[[ServiceClient], None]


def print_line(line: str) -> None:
    """Print at once, also into a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def serve(settings: Settings, announce: Announce = print_line, *, when_ready: WhenReady | None = None) -> None:
    """Serve until SIGINT or SIGTERM.

    announce: gets lines for people: the address, then that it is ready.
    when_ready: called once with a client of the service, on a thread of its own; its WellwornErrors are announced.

    Raises InvalidInput (a bind that needs API keys), Unavailable (the port is in use), and whatever kept the workspace
    from opening (StoreError, EncoderUnavailable, ...).
    """
    _configure_log()
    for name in _THREAD_SETTINGS:  # read when the libraries load; the workers are the parallelism
        os.environ.setdefault(name, "1")
    _refuse_open_bind(settings)
    with _listening(settings) as sock:
        failure = _run(settings, sock, announce, when_ready)
    if failure is not None:
        raise failure


def _run(
    settings: Settings, sock: socket.socket, announce: Announce, when_ready: WhenReady | None
) -> WellwornError | None:
    address = _address(settings.host, sock)
    token = "local_" + secrets.token_urlsafe(32)
    begun = perf_counter()

    def opened(error: WellwornError | None) -> None:
        if error is not None:
            server.should_exit = True
            return
        _settle_memory()
        try:
            health = app.state.running.workspace.health()
        except Unavailable:  # it was stopped while the library opened
            return
        announce(f"Ready after {perf_counter() - begun:.1f} s: {health.skills:,} skills, {health.vectors:,} vectors.")
        if when_ready is not None:
            _call(when_ready, ServiceClient(address, token), announce)

    app = create_app(settings, token=token, opened=opened)
    server = uvicorn.Server(_config(app))
    instance = app.state.running.instance
    write_place(settings.data_dir, Place(address, os.getpid(), instance, token))
    announce(f"wellworn {__version__} at {address} (interface: {address}/schema)")
    try:
        with _quiet_signals():
            server.run(sockets=[sock])
    finally:
        remove_place(settings.data_dir, instance)
        _leave_if_busy()
    failure: WellwornError | None = app.state.running.failure
    return failure


def _call(when_ready: WhenReady, client: ServiceClient, announce: Announce) -> None:
    with client:
        try:
            when_ready(client)
        except WellwornError as error:
            announce(str(error))


def _config(app: Service) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        access_log=False,
        log_config=None,
        log_level="warning",
        lifespan="on",
        proxy_headers=False,  # they would let a client choose its own address
        server_header=False,
        timeout_graceful_shutdown=STOP_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        backlog=BACKLOG,
        ws="none",
    )


def _refuse_open_bind(settings: Settings) -> None:
    if is_loopback(settings.host):
        return
    from wellworn.store.database import Database  # noqa: PLC0415  only for the one question
    from wellworn.store.keys import KeyTable  # noqa: PLC0415

    database = Database(settings.database_path)
    try:
        if KeyTable(database).any_active():
            return
    finally:
        database.close()
    raise InvalidInput(
        f"Serving on {settings.host} would let everybody in, because there are no API keys.",
        hint="Create one first: wellworn keys create --role agent.",
        field="host",
    )


@contextmanager
def _listening(settings: Settings) -> Iterator[socket.socket]:
    """Bind before anything heavy, so that a port in use is said at once. Raises Unavailable."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InvalidInput(f"{settings.host} is not an address to serve on: {error}.", field="host") from None
    with sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind(place)
            sock.listen(BACKLOG)
        except OSError as error:
            raise Unavailable(
                f"Port {settings.port} of {settings.host} cannot be used: {error.strerror}.",
                hint="Give another with --port, or 0 for a free one.",
                field="port",
            ) from None
        yield sock


def _address(host: str, sock: socket.socket) -> str:
    bound, port = sock.getsockname()[:2]
    shown = "127.0.0.1" if bound == "0.0.0.0" else "::1" if bound == "::" else bound  # noqa: S104  only compared
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


@contextmanager
def _quiet_signals() -> Iterator[None]:
    """uvicorn stops on a signal and then raises it again: here that must neither kill nor print a traceback."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _configure_log() -> None:
    """Warnings and errors to standard error, one line each unless something is our mistake."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("uvicorn.error").addFilter(_not_about_stopping)


def _not_about_stopping(record: logging.LogRecord) -> bool:
    """Requests cut off by the service's end are expected; uvicorn tells of each with a traceback."""
    cut_off = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not cut_off and "graceful shutdown exceeded" not in record.getMessage()


def _leave_if_busy() -> None:
    """A thread deep in native code (an encoding call) would be torn down by the interpreter's end, not always quietly.

    Such a process ends at once instead; whatever was acknowledged is on the disk.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    until = perf_counter() + LINGER_SECONDS
    ours = [t for t in threading.enumerate() if t.name.startswith("wellworn-") and t.daemon]
    for thread in ours:
        thread.join(max(0.0, until - perf_counter()))
    if any(thread.is_alive() for thread in ours):
        logging.shutdown()
        sys.stdout.flush()
        os._exit(0)


def _settle_memory() -> None:
    """What was loaded stays: the garbage collector need not walk tens of thousands of skills again and again."""
    gc.collect()
    gc.freeze()
