"""Run a language model in a thread that blocks the event loop, so that requests take no simulated time."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from services.language_model.fallback import FallbackChain
from services.language_model.ports import Completion, CompletionRequest, InstrumentedModel, LanguageModel


@contextmanager
def open_blocking_model(model: FallbackChain) -> Iterator[InstrumentedModel]:
    """Yield a model that runs requests of `model` in another thread, without streaming; close `model` at the end."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def complete(inner: LanguageModel, request: CompletionRequest) -> Completion:
        return asyncio.run_coroutine_threadsafe(inner.complete(replace(request, on_text=None)), loop).result()

    try:
        yield InstrumentedModel(model, complete)
    finally:
        asyncio.run_coroutine_threadsafe(model.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
