"""Who is asking: API keys, the local person on loopback, and what a web page in a browser may not do."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from ipaddress import ip_address
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from litestar.connection import ASGIConnection
from litestar.datastructures import Headers
from litestar.handlers import BaseRouteHandler

from wellworn.models.access import Caller, Role
from wellworn.models.errors import NotAllowed, NotAuthenticated, WellwornError
from wellworn.service.http.buckets import Buckets
from wellworn.service.http.problems import TooManyRequests
from wellworn.service.settings import Settings

if TYPE_CHECKING:
    from wellworn.service.workspace import Workspace

log = logging.getLogger("wellworn.http")

REMEMBER = 1.0  # seconds a verified key is trusted without asking the store: a revocation counts at once, nearly
REMEMBERED_KEYS = 4096
FAILURES_AT_ONCE, FAILURES_PER_SECOND = 20.0, 1.0
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-real-ip")

T = TypeVar("T")
Connection = ASGIConnection[Any, Any, Any, Any]


class Doorkeeper:
    """Turns a connection into a Caller. `token`: the secret that the service's own CLI reads from its data folder."""

    def __init__(self, settings: Settings, token: str, clock: Callable[[], float] = monotonic) -> None:
        self._person = Caller(role=Role.admin, user=settings.user)
        self._bound_locally = is_loopback(settings.host)
        self._token = token.encode()
        self._clock = clock
        self._known: dict[bytes, tuple[float, Caller | None]] = {}
        self._keys_exist: tuple[float, bool] = (0.0, False)
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="wellworn-keys")
        self._failures = Buckets(FAILURES_AT_ONCE, FAILURES_PER_SECOND, clock)

    async def admit(self, connection: Connection, workspace: Workspace) -> Caller:
        """Return who asks. Raises NotAuthenticated, NotAllowed (a foreign web page), TooManyRequests."""
        headers = connection.headers  # found anew at every look
        secret = _secret(headers)
        local = is_loopback(_client(connection)) and not any(h in headers for h in _PROXY_HEADERS)
        if secret is not None:
            if local and self._token and hmac.compare_digest(secret, self._token):
                return self._person
            return await self._verified(secret, connection, workspace)
        if await self._has_keys(workspace):
            raise NotAuthenticated("This service needs an API key.", hint="Send it as Authorization: Bearer ww_...")
        if not (local and self._bound_locally):
            raise NotAuthenticated(
                "Without API keys only this machine may ask, directly.",
                hint="Create a key with `wellworn keys create --role agent` and send it.",
            )
        refuse_foreign_pages(headers)
        return self._person

    async def _verified(self, secret: bytes, connection: Connection, workspace: Workspace) -> Caller:
        digest = sha256(secret).digest()
        until, caller = self._known.get(digest, (0.0, None))
        if until <= self._clock():
            caller = await self._in_thread(workspace.keys.verify, secret.decode("latin-1"))
            self._remember(digest, caller)
            if caller is not None and caller.key_id is not None:
                self._threads.submit(_touch, workspace, caller.key_id)
        if caller is not None:
            return caller
        # A good key is never refused for others' bad ones: behind a proxy they all come from one address.
        if not self._failures.take(_client(connection)):
            raise TooManyRequests(
                "Too many unknown API keys came from there.", hint="Check the key that is being sent."
            )
        raise NotAuthenticated("The API key is unknown or revoked.", hint="See `wellworn keys list`.")

    def _remember(self, digest: bytes, caller: Caller | None) -> None:
        if len(self._known) >= REMEMBERED_KEYS:
            self._known.clear()
        self._known[digest] = (self._clock() + REMEMBER, caller)

    async def _has_keys(self, workspace: Workspace) -> bool:
        until, exist = self._keys_exist
        if until <= self._clock():
            exist = await self._in_thread(workspace.has_keys)
            self._keys_exist = (self._clock() + REMEMBER, exist)
        return exist

    async def _in_thread(self, function: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *args)

    def close(self) -> None:
        """End the thread that asks the store."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def needs(role: Role) -> Callable[[Connection, BaseRouteHandler], Awaitable[None]]:
    """A guard: the caller must be known and have `role`; afterwards `request.user` is the Caller."""

    async def guard(connection: Connection, _: BaseRouteHandler) -> None:
        running = connection.app.state.running
        caller = await running.doorkeeper.admit(connection, running.workspace)
        if not caller.covers(role):
            raise NotAllowed(
                f"This needs a key with the role {role}.", hint=f"The key that was sent is for {caller.role}."
            )
        connection.scope["user"] = caller

    return guard


def refuse_foreign_pages(headers: Headers) -> None:
    """Without keys a browser's own reach is the danger: refuse other sites' pages and names rebound to loopback.

    Raises NotAllowed when `Host` is not a loopback name, or `Origin` is not the very address that was asked.
    """
    host = headers.get("host", "")
    if _hostname(host) not in _LOCAL_NAMES:
        raise NotAllowed("Without API keys the service answers to localhost only.", hint="Ask http://127.0.0.1.")
    origin = headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc.lower() != host.lower()
    if foreign or headers.get("sec-fetch-site") == "cross-site":
        raise NotAllowed("Web pages of other sites may not use this service.", hint="Use an API key from a program.")


@lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    """Say whether an address (or the name localhost) is this machine's own."""
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _touch(workspace: Workspace, key_id: str) -> None:
    """Note when a key was used; nobody waits for it and nothing fails for it."""
    try:
        workspace.keys.touch(key_id, now=datetime.now(UTC))
    except WellwornError as error:
        log.warning("the use of key %s could not be noted: %s", key_id, error)


def _secret(headers: Headers) -> bytes | None:
    given = headers.get("authorization")
    if given is not None:
        scheme, _, secret = given.partition(" ")
        if scheme.lower() != "bearer" or not secret.strip():
            raise NotAuthenticated("The Authorization header is not a bearer key.", hint="Send Bearer ww_...")
        return secret.strip().encode("latin-1", "replace")
    given = headers.get("x-api-key")
    return None if given is None else given.strip().encode("latin-1", "replace")


def _client(connection: Connection) -> str:
    client = connection.scope.get("client")
    return client[0] if client else ""


@lru_cache(maxsize=1024)
def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
