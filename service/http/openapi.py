"""The OpenAPI document, and its page from our own files instead of a CDN."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from litestar import MediaType, Request, Response, Router, get
from litestar.exceptions import NotFoundException
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.openapi.spec import Components, License, SecurityScheme
from litestar.params import FromPath

from wellworn import __version__
from wellworn.service.http.document import DocumentPlugin
from wellworn.service.http.problems import MEDIA_TYPE, Problem

PAGE_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
_A_DAY = "public, max-age=86400"
_MEANINGS = {
    400: "The request cannot be used; nothing was changed.",
    401: "No API key, or an unknown or revoked one.",
    403: "The key's role, user or repositories do not cover this.",
    404: "Nothing of that name is visible to the caller.",
    409: "It exists already, was changed meanwhile, or is running.",
    413: "The body is larger than the service accepts.",
    415: "The body does not say that it is JSON.",
    429: "More often than this caller may.",
    500: "The service's own mistake; `errorId` finds it in the log.",
    503: "Still starting, too many waiting, or not answered in time; ask again.",
}
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_DESCRIPTION = """
Send every message of a person with its context to `POST /resolve`; the answer says which saved skill is meant, with a
measured probability, or that none is. Errors are RFC 9457 problem details. Without API keys only programs on the same
machine may ask; with keys send `Authorization: Bearer ww_...`.
"""


def errors(*statuses: int, door: bool = True) -> dict[int, ResponseSpec]:
    """Declare a route's error answers; behind the door 401, 403, 429, 500 and 503 can come from everywhere."""
    everywhere = (401, 403, 429, 500, 503) if door else ()
    return {
        status: ResponseSpec(
            data_container=Problem, description=_MEANINGS[status], media_type=MEDIA_TYPE, generate_examples=False
        )
        for status in sorted({*statuses, *everywhere})
    }


class SwaggerPage(OpenAPIRenderPlugin):
    """Swagger UI whose page, script and style all come from this service."""

    def __init__(self) -> None:
        super().__init__(path="/")

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        return page("docs.html").encode()


@get("/assets/{name:str}", sync_to_thread=False)
def asset(name: FromPath[str]) -> Response[bytes]:
    """One of our own page files; the list is closed, so no name can leave the folder."""
    if name not in ASSETS:
        raise NotFoundException
    suffix = "." + name.rpartition(".")[2]
    headers = {"Cache-Control": _A_DAY, "X-Content-Type-Options": "nosniff"}
    return Response((_assets() / name).read_bytes(), media_type=_TYPES[suffix], headers=headers)


ASSETS = frozenset(
    {
        "docs.js",
        "page.css",
        "swagger-ui-bundle.js",
        "swagger-ui-standalone-preset.js",
        "swagger-ui.css",
    }
)


def openapi_config() -> OpenAPIConfig:
    """Return the configuration; the document is at /schema/openapi.json, the page at /schema."""
    router = Router(
        "/schema", route_handlers=[asset], include_in_schema=False, after_request=_finish, dto=None, return_dto=None
    )
    return OpenAPIConfig(
        title="wellworn",
        version=__version__,
        description=_DESCRIPTION,
        license=License(name="Apache-2.0", identifier="Apache-2.0"),
        use_handler_docstrings=True,
        components=Components(
            security_schemes={
                "key": SecurityScheme(type="http", scheme="bearer", description="`wellworn keys create`: ww_..."),
                "header": SecurityScheme(type="apiKey", name="X-API-Key", security_scheme_in="header"),
            }
        ),
        security=[{"key": []}, {"header": []}, {}],
        openapi_router=router,
        render_plugins=[SwaggerPage(), DocumentPlugin()],
    )


async def _finish(response: Response[Any]) -> Response[Any]:
    """The framework's own "not found" page becomes a problem like all others; pages may load nothing from elsewhere."""
    if response.status_code == 404:
        raise NotFoundException
    if response.media_type == MediaType.HTML:
        response.headers["Content-Security-Policy"] = PAGE_POLICY
    return response


def page(name: str) -> str:
    """Return one of our own HTML pages."""
    return (_assets() / name).read_text(encoding="utf-8")


def _assets() -> Traversable:
    return files("wellworn.service.http") / "assets"
