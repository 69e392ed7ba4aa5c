"""Every error that leaves over HTTP, as RFC 9457 problem details: one function decides, one handler answers."""

from __future__ import annotations

import logging
import secrets
from http import HTTPStatus
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from pydantic import Field

from wellworn.models.errors import InvalidInput, NotFound, StoreError, TooLarge, Unavailable, WellwornError
from wellworn.models.wire import Wire

log = logging.getLogger("wellworn.http")

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:wellworn:problem:"
MEBIBYTE = 2**20


class UnsupportedMediaType(InvalidInput):
    """A body that does not say it is JSON."""

    code = "unsupported-media-type"
    status = 415


class MethodNotAllowed(InvalidInput):
    """The address exists, but not with this method."""

    code = "method-not-allowed"
    status = 405


class TooManyRequests(WellwornError):
    """More often than this caller may."""

    code = "too-many-requests"
    status = 429


class Internal(WellwornError):
    """Our own mistake; what happened is in the log under the id that the client got."""

    code = "internal"
    status = 500


class Problem(Wire):
    """What went wrong. `field` names the offending field in dotted wire names; `hint` says what to do next."""

    type: str = Field(description=f"`{TYPE_PREFIX}<code>`; the code is stable, the sentences are not.")
    title: str
    status: int
    detail: str
    field: str | None = None
    hint: str | None = None
    error_id: str | None = Field(default=None, description="Only with status 500: under this id it is in the log.")


def answer_problem(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Litestar's exception handler for everything."""
    known = known_error(request, error)
    error_id = None
    if known.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        error_id = secrets.token_hex(6)
        shown = None if isinstance(error, StoreError) else error
        log.error("%s %s failed (%s): %s", request.method, _route(request), error_id, known, exc_info=shown)
    return problem_response(problem_of(known, error_id), headers_of(known, error))


def problem_of(error: WellwornError, error_id: str | None = None) -> Problem:
    """Return the problem details of one of our errors."""
    return Problem(
        type=TYPE_PREFIX + error.code,
        title=error.code.replace("-", " ").capitalize(),
        status=error.status,
        detail=error.message,
        field=error.field,
        hint=error.hint,
        error_id=error_id,
    )


def problem_response(problem: Problem, headers: dict[str, str]) -> Response[bytes]:
    """Return the answer that carries `problem`."""
    body = problem.model_dump_json(by_alias=True, exclude_none=True).encode()
    return Response(body, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)


def headers_of(known: WellwornError, error: Exception) -> dict[str, str]:
    """Headers that the status asks for (RFC 9110): when to come back, how to authenticate, which methods there are."""
    if known.status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        return {"Retry-After": "1"}
    if known.status == HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": 'Bearer realm="wellworn"'}
    if known.status == HTTPStatus.METHOD_NOT_ALLOWED and isinstance(error, HTTPException):
        return {k: v for k, v in (error.headers or {}).items() if k.lower() == "allow"}
    return {}


def known_error(request: Request[Any, Any, Any], error: Exception) -> WellwornError:
    """Translate whatever was raised into our own tree."""
    if isinstance(error, WellwornError):
        return error
    if isinstance(error, RecursionError):
        return InvalidInput("The request is nested too deeply.", hint="Send fewer levels.")
    if isinstance(error, ValidationException):
        return _invalid_parameter(error)
    if isinstance(error, HTTPException):
        return _http_error(request, error)
    return Internal(
        "The service made a mistake while answering.", hint="Look for the error id in the service's log, and report it."
    )


def _invalid_parameter(error: ValidationException) -> InvalidInput:
    first: dict[str, Any] = next((e for e in error.extra or () if isinstance(e, dict)), {})
    name = str(first.get("key", ""))
    if name in ("data", "") and first.get("source") != "query":
        return InvalidInput(
            "The request has no body.", hint="Send a JSON object with the header Content-Type: application/json."
        )
    what = str(first.get("message", "it has the wrong type")).replace("`", "")
    return InvalidInput(f"The parameter {name} cannot be used: {what[:1].lower()}{what[1:]}.", field=name)


def _http_error(request: Request[Any, Any, Any], error: HTTPException) -> WellwornError:
    # Neither the path nor what the framework says of it is repeated: both are the client's words.
    if error.status_code == HTTPStatus.NOT_FOUND:
        return NotFound("There is nothing at this address.", hint="/schema lists every address.")
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return MethodNotAllowed("This address does not answer to that method.", hint="/schema lists what it answers.")
    if error.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        limit = request.app.state.running.settings.body_limit / MEBIBYTE
        return TooLarge(f"The request body is larger than {limit:g} MiB.", hint="Send less, or in several requests.")
    if error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Unavailable("The service cannot answer this now.", hint="Ask again in a second.")
    return InvalidInput("The request could not be read.", hint="Compare it with /schema.")


def _route(request: Request[Any, Any, Any]) -> str:
    return str(request.scope.get("path_template") or "(no route)")
