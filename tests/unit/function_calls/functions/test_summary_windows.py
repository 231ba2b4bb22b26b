"""Messages covered by a summary. It is Friday 2026-11-20, 15:30 in Berlin."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from bot.testing.turns import make_turn
from function_calls.functions.summary.windows import requested_window
from function_calls.grounding.grounding import ground
from function_calls.grounding.message import ReadMessage
from function_calls.models import SummaryArgs
from function_calls.tools.calls import ToolCall
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from tests.support.stores.messages import MemoryMessageStore

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 20, 15, 30, tzinfo=BERLIN)


@pytest.fixture
def history():
    return HistoryService(MemoryMessageStore())


@pytest.fixture
def window_of(context_of, history):
    async def window(words, *, text="summarize", **arguments):
        context = replace(context_of(text=text, sent_at=NOW), now=NOW, zone=BERLIN)
        call = ToolCall(id="1", name="summary", arguments={"window": words, **arguments})
        grounded = await ground(call, ReadMessage(make_turn(context.message)), context)
        return await requested_window(SummaryArgs(**grounded.call.arguments), context, history)

    return window


def format_since(moment: datetime) -> str:
    # `since` is exclusive, a microsecond before what is meant.
    return f"{moment.astimezone(BERLIN) + timedelta(microseconds=1):%m-%d %H:%M}"


@pytest.mark.parametrize(
    ("words", "since", "until"),
    [
        ("since noon", "11-20 12:00", "11-20 15:30"),
        ("today", "11-20 00:00", "11-20 15:30"),
        ("all day", "11-20 00:00", "11-20 15:30"),
        ("yesterday", "11-19 00:00", "11-20 00:00"),
        ("since yesterday", "11-19 00:00", "11-20 15:30"),
        ("this morning", "11-20 05:00", "11-20 15:30"),
        ("last night", "11-19 17:00", "11-20 00:00"),
        ("since monday", "11-16 00:00", "11-20 15:30"),
        ("this week", "11-16 00:00", "11-20 15:30"),
        ("last week", "11-09 00:00", "11-16 00:00"),
        ("this month", "11-01 00:00", "11-20 15:30"),
        ("the last two hours", "11-20 13:30", "11-20 15:30"),
        ("the past hour", "11-20 14:30", "11-20 15:30"),
        ("from 9 to 11", "11-20 09:00", "11-20 11:00"),
        ("since 9", "11-20 09:00", "11-20 15:30"),
        ("2026-11-18", "11-18 00:00", "11-19 00:00"),
        ("今天", "11-20 00:00", "11-20 15:30"),
        ("昨天", "11-19 00:00", "11-20 00:00"),
        ("昨天以来", "11-19 00:00", "11-20 15:30"),
        ("从中午开始", "11-20 12:00", "11-20 15:30"),
        ("昨晚", "11-19 17:00", "11-20 00:00"),
        ("周一以来", "11-16 00:00", "11-20 15:30"),
        ("本周", "11-16 00:00", "11-20 15:30"),
        ("上周", "11-09 00:00", "11-16 00:00"),
        ("最近两小时", "11-20 13:30", "11-20 15:30"),
        ("过去三天", "11-17 15:30", "11-20 15:30"),
        ("上午九点到十一点", "11-20 09:00", "11-20 11:00"),
        ("of this week", "11-16 00:00", "11-20 15:30"),
        ("this week's", "11-16 00:00", "11-20 15:30"),
        ("weekly", "11-16 00:00", "11-20 15:30"),
        ("monthly", "11-01 00:00", "11-20 15:30"),
        ("yesterday's", "11-19 00:00", "11-20 00:00"),
        ("上周的", "11-09 00:00", "11-16 00:00"),
    ],
)
async def test_time_of_a_window_is_in_the_past(window_of, words, since, until):
    window = await window_of(words)

    assert (format_since(window.since), f"{window.until.astimezone(BERLIN):%m-%d %H:%M}") == (since, until)


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("the last 50 messages", 50),
        ("last 50", 50),
        ("last twenty messages", 20),
        ("最近50条消息", 50),
        ("最后五十条", 50),
        ("last 9999 messages", 1000),
    ],
)
async def test_number_of_messages_is_read(window_of, words, count):
    window = await window_of(words)

    assert (window.since, window.count) == (None, count)


@pytest.mark.parametrize("words", [None, "", "so far", "最近", "recently"])
async def test_recent_messages_are_summarised_by_default(window_of, words):
    window = await window_of(words)

    assert (window.since, window.limit, window.until) == (None, 200, NOW)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (None, "what did I miss?"),
        (None, "我错过了什么？"),
        (None, "我不在的时候大家聊了什么"),
        ("since my last message", "summarize"),
        ("since I left", "summarize"),
        ("我上次发言以来", "总结一下"),
    ],
)
async def test_missed_messages_begin_after_the_persons_last_one(window_of, history, message, words, text):
    left = NOW - timedelta(hours=3)
    await history.record(replace(message, id="0", sent_at=left))
    await history.record(replace(message, id="1", text=text, sent_at=NOW))

    window = await window_of(words, text=text)

    assert window.since == left


async def test_window_ends_before_the_request(window_of):
    assert (await window_of("today")).before == (await window_of(None)).before == "m1"


async def test_recent_messages_are_missed_by_a_person_without_messages(window_of):
    window = await window_of(None, text="what did I miss?")

    assert (window.since, window.limit) == (None, 200)


@pytest.mark.parametrize(
    ("text", "since", "limit"),
    [
        ("总结一下今天的聊天", "11-20 00:00", 5000),
        ("总结一下最近50条消息", None, 2000),
        ("sum up what was said since noon", "11-20 12:00", 5000),
        ("summarize, and remind me tomorrow", None, 200),
    ],
)
async def test_arguments_missing_in_the_call_are_read_from_the_message(window_of, text, since, limit):
    window = await window_of(None, text=text)

    assert (window.since and format_since(window.since), window.limit) == (since, limit)


async def test_time_in_the_message_is_no_window_if_it_is_the_topic(window_of):
    window = await window_of(None, text="summarize what was said about the party on Friday", topic="party")

    assert window.since is None


async def test_a_topic_and_a_person_narrow_the_window(window_of):
    window = await window_of("today", topic="budget", person="Bob")

    assert (window.topic, window.person) == ("budget", "Bob")


@pytest.mark.parametrize("words", ["when the cows came home", "every day", "哈哈", "tomorrow"])
async def test_text_without_a_window_is_refused(window_of, words):
    with pytest.raises(RequestRefused, match="summary_window"):
        await window_of(words)


@pytest.mark.parametrize("name", ["I", "my", "我"])
async def test_pronoun_selects_the_own_messages(window_of, name):
    window = await window_of(None, person=name)

    assert window.person == "ann"


async def test_messages_of_a_person_are_searched_further_back(window_of):
    assert (await window_of(None, person="bob")).limit > (await window_of(None)).limit


@pytest.mark.parametrize("text", ["summarize this thread", "总结一下这个讨论"])
async def test_reply_may_request_its_thread(context_of, history, text):
    context = context_of(text=text, reply_to="m0")
    call, message = ToolCall(id="1", name="summary", arguments={}), ReadMessage(make_turn(context.message))
    grounded = await ground(call, message, context)

    window = await requested_window(SummaryArgs(**grounded.call.arguments), context, history)

    assert window.thread_of == "m0"


async def test_reply_without_a_word_for_a_thread_requests_the_chat(context_of, history):
    window = await requested_window(SummaryArgs(), context_of(text="summarize", reply_to="m0"), history)

    assert window.thread_of is None
