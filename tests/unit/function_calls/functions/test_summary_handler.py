"""The function `summary`: its window, and notes about missing parts."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from bot.testing.turns import make_turn
from function_calls import handlers
from function_calls.grounding.grounding import ground
from function_calls.grounding.message import ReadMessage
from function_calls.models import SummaryArgs
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.context import Services
from services.history.service import HistoryService
from services.kernel.chat import Person
from services.kernel.errors import ModelUnavailable
from services.reminders.service import ReminderService
from services.search.service import SearchService
from services.summary.model import SummaryMethod
from services.summary.service import SummaryService
from tests.support.stores.messages import MemoryMessageStore


class BrokenModel:
    method = SummaryMethod.MODEL

    async def bullets(self, messages, *, language, count, on_progress=None):
        raise ModelUnavailable("timeout")


@pytest.fixture
def history():
    return HistoryService(MemoryMessageStore())


@pytest.fixture
def summarize(history, context_of):
    async def dispatch(text="summarize", language="en", summarizer=None, **arguments):
        registry = Registry(injectable=(HistoryService, SummaryService, ReminderService, SearchService))
        registry.register(handlers.summary)
        services = Services(history, SummaryService(history, summarizer=summarizer))
        context = replace(context_of(text=text), services=services, language=language)
        call, message = ToolCall(id="1", name="summary", arguments=arguments), ReadMessage(make_turn(context.message))
        grounded = await ground(call, message, context)
        return await FunctionCallRouter(registry).dispatch(grounded.call, context)

    return dispatch


@pytest.fixture
def record_message(history, message):
    async def record(number, text, *, hours_ago=1.0, sender="bob"):
        at = message.sent_at - timedelta(hours=hours_ago)
        who = Person(id=sender, name=sender)
        await history.record(replace(message, id=str(number), text=text, sender=who, sent_at=at, is_addressed=False))

    return record


async def test_only_the_window_is_summarised(summarize, record_message):
    await record_message(1, "The old server is switched off on Monday.", hours_ago=30)
    await record_message(2, "The new server costs four hundred a month.", hours_ago=2)

    result = await summarize(window="today")

    assert "four hundred" in result.text
    assert "switched off" not in result.text


async def test_my_missed_messages_begin_after_my_last_one(summarize, record_message):
    await record_message(1, "Lunch is at the Italian place.", hours_ago=4)
    await record_message(2, "see you later", hours_ago=3, sender="ann")
    await record_message(3, "The invoice from Berlin has to be paid.", hours_ago=2)

    result = await summarize(text="what did I miss?")

    assert "invoice" in result.text
    assert "Italian" not in result.text


@pytest.mark.parametrize(
    ("request_text", "asked"),
    [
        ("remind me on sunday to print the sources", "what did I miss?"),
        ("提醒我周日打印资料", "我错过了什么？"),
        ("recuérdame el domingo imprimir las fuentes", "¿qué me perdí?"),
    ],
)
async def test_request_to_the_bot_does_not_end_the_missed_messages(summarize, record_message, request_text, asked):
    await record_message(1, "Lunch is at the Italian place.", hours_ago=4)
    await record_message(2, "see you later", hours_ago=3, sender="ann")
    await record_message(3, "The invoice from Berlin has to be paid.", hours_ago=2)
    await record_message(4, request_text, hours_ago=1, sender="ann")

    result = await summarize(text=asked)

    assert "invoice" in result.text
    assert "Italian" not in result.text


async def test_missed_messages_of_the_last_writer_are_of_an_earlier_day(summarize, record_message):
    await record_message(1, "The old server is switched off on Monday.", hours_ago=60)
    await record_message(2, "The invoice from Berlin has to be paid.", hours_ago=30)
    await record_message(3, "thanks for telling me", hours_ago=1, sender="ann")

    result = await summarize(text="what did I miss?")

    assert "yesterday at 06:00" in result.text
    assert "invoice" in result.text
    assert "switched off" not in result.text


async def test_own_messages_are_not_missed(summarize, record_message):
    await record_message(1, "The printer is broken.", hours_ago=1, sender="ann")

    assert "nobody has written since today at 11:00" in (await summarize(text="what did I miss?")).text


async def test_summary_may_be_limited_to_a_person(summarize, record_message):
    await record_message(1, "The invoice from Berlin has to be paid.")
    await record_message(2, "The printer on the second floor is broken.", sender="cleo")

    result = await summarize(person="cleo")

    assert "printer" in result.text
    assert "invoice" not in result.text


async def test_empty_window_and_empty_chat_have_different_answers(summarize, record_message):
    await record_message(1, "The invoice from Berlin has to be paid.", hours_ago=30)

    assert "nobody has written since today at 00:00" in (await summarize(window="today")).text


@pytest.mark.parametrize(
    ("language", "window", "told"),
    [
        ("en", None, "the only message that I have read here was for me"),
        ("en", "today", "the only message since today at 00:00 was for me"),
        ("es", None, "el único mensaje que he leído aquí era para mí"),
        ("zh", None, "唯一一条消息"),
    ],
)
async def test_single_request_of_another_person_is_named_in_the_singular(
    summarize, record_message, language, window, told
):
    await record_message(1, "Bubbles, list my reminders")

    assert told in (await summarize(language=language, **({"window": window} if window else {}))).text


async def test_words_that_name_no_window_are_answered_with_examples(summarize):
    result = await summarize(window="when the cows came home")

    assert not result.ok
    assert "“when the cows came home”" in result.text


@pytest.mark.parametrize(("language", "expected"), [("en", "are quotations"), ("zh", "原话摘录")])
async def test_failed_model_is_mentioned(summarize, record_message, language, expected):
    await record_message(1, "The invoice from Berlin has to be paid.")

    result = await summarize(language=language, summarizer=BrokenModel())

    assert expected in result.text


@pytest.mark.parametrize(("language", "expected"), [("en", "more messages than I read"), ("zh", "没有全部读完")])
async def test_truncated_window_is_mentioned(summarize, record_message, history, message, language, expected):
    earlier = replace(message, sent_at=message.sent_at - timedelta(hours=1), is_addressed=False)
    await history._store.add([replace(earlier, id=f"m{number}", text=f"point {number}") for number in range(5001)])

    result = await summarize(language=language, window="since yesterday")

    assert expected in result.text


async def test_heading_has_no_seconds(summarize, record_message, history, message):
    at = message.sent_at - timedelta(minutes=5, seconds=17)
    await history.record(replace(message, id="1", text="The printer is broken.", sent_at=at, is_addressed=False))

    assert "11:54:43" not in (await summarize()).text
    assert "11:54" in (await summarize()).text


@pytest.mark.parametrize(
    ("text", "is_private"), [("what did I miss?", True), ("我错过了什么", True), ("summarize", False)]
)
async def test_missed_messages_are_summarised_for_one_person(summarize, record_message, text, is_private):
    await record_message(1, "The invoice from Berlin has to be paid.")

    assert (await summarize(text=text)).is_private is is_private


class SlowSummarizer:
    method = SummaryMethod.MODEL

    def __init__(self, clock):
        self._clock = clock

    async def bullets(self, messages, *, language, count, on_progress=None):
        await on_progress(1, 9)
        self._clock.set(self._clock.now() + timedelta(seconds=5))
        await on_progress(2, 9)
        await on_progress(9, 9)
        return ()


async def test_long_work_shows_progress(context_of, history, record_message):
    await record_message(1, "The invoice from Berlin has to be paid.")
    messages = []

    async def hear(text):
        messages.append(text)

    context = replace(context_of(text="summarize"), progress=hear)
    summaries = SummaryService(history, summarizer=SlowSummarizer(context.clock))
    await handlers.summary(SummaryArgs(), context, summaries, history)

    assert messages == ["Reading a long chat: 2 of 9 parts are done…"]


async def test_every_point_links_to_its_message_where_there_are_links(context_of, history, record_message):
    await record_message(7, "The invoice from Berlin has to be paid.")
    context = replace(context_of(text="summarize"), link_of=lambda message_id: f"https://chat.example/{message_id}")

    result = await handlers.summary(SummaryArgs(), context, SummaryService(history), history)

    assert "has to be paid. [↗](https://chat.example/7)" in result.text
