"""Ask a model in a thread of its own while the event loop waits, so that no simulated time passes meanwhile."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from bot.app.language_models import language_model
from bot.config.settings import ModelSettings
from services.kernel.errors import ConfigError
from services.language_model.ports import Completion, CompletionRequest, LanguageModel


class BlockingModel:
    """A `LanguageModel` whose requests run on `loop`, the event loop of another thread; nothing is streamed."""

    def __init__(self, inner: LanguageModel, loop: asyncio.AbstractEventLoop) -> None:
        self._inner = inner
        self._loop = loop

    @property
    def name(self) -> str:
        """The model's name."""
        return self._inner.name

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, and block the event loop until then."""
        unstreamed = replace(request, on_text=None)
        return asyncio.run_coroutine_threadsafe(self._inner.complete(unstreamed), self._loop).result()


@contextmanager
def blocking_model(settings: ModelSettings) -> Iterator[BlockingModel]:
    """Open the model of `settings` in a thread of its own.

    Raises:
        ConfigError: the settings name no model.
    """
    inner = language_model(settings)
    if inner is None:
        raise ConfigError("--base-url", "", "name the server to be measured")
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield BlockingModel(inner, loop)
    finally:
        asyncio.run_coroutine_threadsafe(inner.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
