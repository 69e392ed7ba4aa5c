"""Asking a model through pydantic-ai; the only module that knows it, loaded when a model is asked.

Nothing of an error's own text is passed on: it may quote what was sent, or a key.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from wellworn.models.runtime import MODEL_PROVIDERS

if TYPE_CHECKING:
    from wellworn.service.advising import ModelSettings

_MAX_TOKENS = 2_000
_MAX_BYTES = 2 * 2**20
_OUTPUT_RETRIES = 1
_URLS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
"""Given in full: the clients would else take them from variables of the environment that are not ours."""
_MODULES = {name: (name, f"pydantic_ai.models.{name}", f"pydantic_ai.providers.{name}") for name in MODEL_PROVIDERS}
_NOT_INSTALLED = "To ask a model, install wellworn[llm]."
_NO_KEY = "none"  # a local server asks for no key, and the client for some text


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of a question: an answer, or the problem in a sentence; and the tokens that it took."""

    answer: BaseModel | None = None
    problem: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0


def load_libraries(model: str) -> str | None:
    """Import what asking needs, which takes seconds the first time; return what is wrong when it is not there."""
    provider = model.partition(":")[0]
    try:
        for name in ("pydantic_ai", "httpx2", *_MODULES.get(provider, ())):
            import_module(name)
    except ImportError:
        return _NOT_INSTALLED
    return None


def ask_model(settings: ModelSettings, instructions: str, evidence: str, kind: type[BaseModel]) -> Asked:
    """Ask, in an event loop of its own; never raises. `load_libraries` must have found nothing wrong."""
    provider, _, name = settings.model.partition(":")
    if provider not in MODEL_PROVIDERS or not name:
        return Asked(problem="The setting model must be openai:NAME or anthropic:NAME.")
    try:
        return asyncio.run(_ask(settings, instructions, evidence, kind))
    except Exception as error:  # noqa: BLE001  whatever a model or its library does, the work that asked goes on
        return Asked(problem=_told(error, settings))


async def _ask(settings: ModelSettings, instructions: str, evidence: str, kind: type[BaseModel]) -> Asked:
    from pydantic_ai import Agent  # noqa: PLC0415
    from pydantic_ai.settings import ModelSettings as Sampling  # noqa: PLC0415
    from pydantic_ai.usage import RunUsage  # noqa: PLC0415

    usage = RunUsage()
    try:
        async with asyncio.timeout(settings.seconds), AsyncExitStack() as open_:
            agent = Agent(
                await _model(settings, open_),
                output_type=kind,
                instructions=instructions,
                retries=_OUTPUT_RETRIES,
                model_settings=Sampling(temperature=0.0, max_tokens=_MAX_TOKENS),
            )
            run = await agent.run(_as_data(evidence), usage=usage)
            answer, problem = run.output, None
    except Exception as error:  # noqa: BLE001  see above; here the tokens are known
        answer, problem = None, _told(error, settings)
    return Asked(answer, problem, usage.input_tokens or 0, usage.output_tokens or 0)


async def _model(settings: ModelSettings, open_: AsyncExitStack) -> Any:
    provider, _, name = settings.model.partition(":")
    key = _NO_KEY if settings.key is None else settings.key.get_secret_value()
    url = settings.url or _URLS[provider]
    web = await open_.enter_async_context(_web_client(settings.seconds))
    if provider == "openai":
        from openai import AsyncOpenAI  # noqa: PLC0415
        from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
        from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

        client = AsyncOpenAI(api_key=key, base_url=url, max_retries=0, timeout=settings.seconds, http_client=web)
        return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))
    from anthropic import AsyncAnthropic  # noqa: PLC0415
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    other = AsyncAnthropic(api_key=key, base_url=url, max_retries=0, timeout=settings.seconds, http_client=web)
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=other))


def _web_client(seconds: float) -> Any:
    """Follows no redirect, which would carry the key elsewhere, and reads no more than an answer can be."""
    import httpx2  # noqa: PLC0415

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = _MAX_BYTES
            async for chunk in self._stream:
                left -= len(chunk)
                if left < 0:
                    raise httpx2.ReadError("too much")
                yield chunk

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def bound(response: Any) -> None:
        response.stream = Bounded(response.stream)

    headers = {"accept-encoding": "identity"}  # what is packed could be far longer than it looks
    return httpx2.AsyncClient(timeout=seconds, event_hooks={"response": [bound]}, headers=headers)


def _as_data(evidence: str) -> str:
    """Put the evidence where it cannot be taken for an instruction, nor end its own block."""
    return f"The record, as data:\n<record>\n{evidence.replace('</record', '< /record')}\n</record>"


def _told(error: BaseException, settings: ModelSettings) -> str:
    from pydantic_ai.exceptions import (  # noqa: PLC0415
        ModelAPIError,
        ModelHTTPError,
        UnexpectedModelBehavior,
        UserError,
    )

    if isinstance(error, ModelHTTPError):
        why = {401: "it refuses the key", 403: "it refuses the key", 429: "it is asked too often"}.get(
            error.status_code, "it failed" if error.status_code >= 500 else "it does not take the question"
        )
        return f"The model's server answered with {error.status_code}: {why}."
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__ or "TimedOut" in type(error).__name__:
        return f"The model took longer than {settings.seconds:g} seconds."
    if isinstance(error, ModelAPIError):
        return "The model's server cannot be reached, or broke off its answer."
    if isinstance(error, UnexpectedModelBehavior):
        return "The model answered something else than it was asked for."
    if isinstance(error, UserError):
        return "The model cannot be asked as it is configured; see `wellworn settings list`."
    return f"The model could not be asked ({type(error).__name__})."
