"""Contender of the overhead benchmark: this framework, without history and call records.

`overhead.py` imports this module. The public benchmark imports its contenders, and `_tools`, from its folder
`contenders`: copy this file there as `ours.py` and run

    run_overhead.py --venvs DIR --only "raw-openai;ours" --extra ours=PYTHON:ours seq

A message passes through `Assistant`, `FunctionCallLLM` with both validations, `FunctionCallRouter` and `OpenAIModel`,
as in the bot, but through no platform and no offline interpreter. `overhead_recorded_contender.py` also writes history
and call records to SQLite.
"""

import logging
import tempfile
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from itertools import count

from _tools import MODEL, models
from loguru import logger

from function_calls.conversation.assistant import Assistant
from function_calls.conversation.records.recorder import TurnRecorder
from function_calls.llm import FunctionCallLLM
from function_calls.registry import Registry, ToolOptions
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Interpretation, Turn
from function_calls.tools.context import CallContext, Services
from services.call_log.service import CallLog
from services.call_log.usage import MeteredModel
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.clock import SystemClock
from services.language_model.openai_model import OpenAIModel
from services.language_model.ports import Timeouts
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore
from services.storage.records.store import SqlCallStore

PACKAGES = ["openai", "pydantic", "httpx2"]

_CHAT = ChatAddress(platform="bench", chat_id="1")
_ANN = Person(id="ann", name="Ann")
_MESSAGE_NUMBERS = count(1)

logger.disable("function_calls")
logging.disable(logging.INFO)


class NullInterpreter:
    """An interpreter that returns nothing: the model is always available, so that no fallback is needed."""

    async def interpret(self, turn: Turn) -> Interpretation:  # noqa: ARG002 - required by the protocol
        return Interpretation()


class StreamingInterpreter:
    """Requests every answer as a stream."""

    def __init__(self, llm: FunctionCallLLM) -> None:
        self._llm = llm

    async def interpret(self, turn: Turn) -> Interpretation:
        return await self._llm.interpret(turn, on_text=self._ignore)

    async def _ignore(self, text: str) -> None:
        pass


def register(n: int):
    """Return the schemas of the first `n` functions, and a registry that has them."""
    registry = Registry()
    for spec in models(n):
        registry.register(spec.handler, ToolOptions(name=spec.name, description=spec.doc))
    schemas = [
        {"type": "function", "function": {"name": spec.name, "parameters": spec.parameters}} for spec in registry.specs
    ]
    return schemas, registry


async def setup(base_url: str, *, is_recorded: bool = False) -> None:
    """Connect to the model at `base_url`, with a database in a temporary folder if `is_recorded`."""
    global bot, streaming_bot, tools, services, clock, model, history, resources  # noqa: PLW0603 - the benchmark's form
    _, registry = register(12)
    tools, services, clock, resources = registry.specs, Services(), SystemClock(), AsyncExitStack()
    client = OpenAIModel(
        MODEL, base_url=base_url, api_key="sk-fake", timeouts=Timeouts(connect=600, silence=600, total=600)
    )
    resources.push_async_callback(client.close)
    await client.warm_up()
    history, recorder, model = None, None, client
    if is_recorded:
        folder = resources.enter_context(tempfile.TemporaryDirectory())
        database = await resources.enter_async_context(Database(f"sqlite:///{folder}/bench.db"))
        log = CallLog(SqlCallStore(database))
        resources.push_async_callback(log.drain)
        history, recorder = HistoryService(SqlMessageStore(database), bot_name="Bubbles"), TurnRecorder(log)
        model = MeteredModel(client)
    llm = FunctionCallLLM(model)
    router = FunctionCallRouter(registry, on_dispatched=None if recorder is None else recorder.record_call)
    record_turn = None if recorder is None else recorder.turn
    bot = Assistant(router, llm, rules=NullInterpreter(), context_for=_make_context, record_turn=record_turn)
    streaming_bot = Assistant(
        router, StreamingInterpreter(llm), rules=NullInterpreter(), context_for=_make_context, record_turn=record_turn
    )


async def run(message: str) -> str:
    return await _answer(bot, message)


async def run_stream(message: str) -> str:
    return await _answer(streaming_bot, message)


async def close() -> None:
    await resources.aclose()


async def _answer(assistant: Assistant, text: str) -> str:
    turn = _make_turn(text)
    if history is not None:
        await history.record(turn.message)
    answer = (await assistant.answer(turn)).text
    if history is not None:
        now = clock.now()
        await history.record_own(_CHAT, answer, message_id=f"b{turn.message.id}", sent_at=now, reply_to=turn.message.id)
    return answer


def _make_turn(text: str) -> Turn:
    now = datetime.now(UTC)
    message = ChatMessage(
        id=str(next(_MESSAGE_NUMBERS)), address=_CHAT, sender=_ANN, text=text, sent_at=now, is_addressed=True
    )
    return Turn(message=message, now=now, zone=UTC, language="en", bot_name="Bubbles", tools=tools)


def _make_context(turn: Turn, place: int) -> CallContext:
    return CallContext(
        call_id=f"{turn.message.id}-{len(turn.steps)}-{place}",
        message=turn.message,
        services=services,
        clock=clock,
        now=turn.now,
        zone=turn.zone,
        language=turn.language,
    )
