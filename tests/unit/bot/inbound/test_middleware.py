"""Middleware of incoming messages: chats, people and rate limits."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.inbound.middleware import AccessFilter, ChatOrder, ListenFilter, RateLimit, chain
from bot.testing.clocks import FixedClock
from services.kernel.chat import ChatAddress, ChatMessage, Person

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def message(text="hello", *, sender="ann", chat="home", is_bot=False, is_addressed=False, is_private=False):
    return ChatMessage(
        id=f"{chat}-{sender}-{text}",
        address=ChatAddress(platform="fake", chat_id=chat),
        sender=Person(id=sender, name=sender, is_bot=is_bot),
        text=text,
        sent_at=NOON,
        is_addressed=is_addressed,
        is_private=is_private,
    )


async def pass_texts(middleware, *messages):
    """Return the texts that pass the middleware."""
    through = []

    async def handle_last(each):
        through.append(each.text)

    handle = chain([middleware], handle_last)
    for each in messages:
        await handle(each)
    return through


async def test_the_first_middleware_is_the_outermost():
    seen = []

    def make_middleware(name):
        async def middleware(each, call_next):
            seen.append(name)
            await call_next(each)

        return middleware

    async def handle_last(_):
        seen.append("end")

    await chain([make_middleware("one"), make_middleware("two")], handle_last)(message())

    assert seen == ["one", "two", "end"]


async def test_bots_are_not_served():
    assert await pass_texts(AccessFilter(), message("beep", is_bot=True), message("hi")) == ["hi"]


async def test_only_listed_chats_are_served_if_there_is_a_list():
    assert await pass_texts(AccessFilter(["fake:home"]), message("in"), message("out", chat="work")) == ["in"]


@pytest.mark.parametrize(
    ("listen", "through"),
    [
        ("all", ["chat", "request", "yes", "called", "private"]),
        ("addressed", ["yes", "called", "private"]),
        ("smart", ["request", "yes", "called", "private"]),
    ],
)
async def test_operator_chooses_the_interpreted_messages(listen, through):
    async def is_for_the_bot(each):
        return each.text == "yes"

    middleware = ListenFilter(listen, is_for_the_bot, may_be_a_request=lambda each: each.text == "request")

    assert (
        await pass_texts(
            middleware,
            message("chat"),
            message("request"),
            message("yes"),
            message("called", is_addressed=True),
            message("private", is_private=True),
        )
        == through
    )


async def test_messages_over_the_rate_limit_of_a_person_are_not_interpreted():
    clock = FixedClock(NOON)
    rate_limit = RateLimit(2, clock, chat_messages_per_minute=99)
    first = await pass_texts(rate_limit, message("1"), message("2"), message("3"), message("other", sender="bob"))
    clock.set(NOON + timedelta(seconds=30))

    assert first == ["1", "2", "other"]
    assert await pass_texts(rate_limit, message("4"), message("5")) == ["4"]


async def test_person_has_one_rate_limit_in_all_chats_of_a_platform():
    rate_limit = RateLimit(2, FixedClock(NOON), chat_messages_per_minute=99)
    messages = [message(str(number), chat=f"room{number}") for number in range(4)]

    assert await pass_texts(rate_limit, *messages) == ["0", "1"]


async def test_chat_over_its_rate_limit_is_not_interpreted_and_others_are():
    clock = FixedClock(NOON)
    rate_limit = RateLimit(99, clock, chat_messages_per_minute=3)
    flood = [message(str(number), sender=f"person{number}") for number in range(5)]
    other = message("elsewhere", chat="other")
    first = await pass_texts(rate_limit, *flood, other)
    clock.set(NOON + timedelta(seconds=20))

    assert first == ["0", "1", "2", "elsewhere"]
    assert await pass_texts(rate_limit, message("6", sender="ann"), message("7", sender="bob")) == ["6"]


async def test_messages_of_a_chat_are_handled_in_order_and_chats_in_parallel():
    finished = []
    gate = asyncio.Event()

    async def handle_last(each):
        if each.text == "slow":
            await gate.wait()
        finished.append(each.text)

    handle = chain([ChatOrder()], handle_last)
    tasks = [
        asyncio.create_task(handle(each)) for each in (message("slow"), message("after"), message("work", chat="work"))
    ]
    for _ in range(5):
        await asyncio.sleep(0)
    before = list(finished)
    gate.set()
    await asyncio.gather(*tasks)

    assert before == ["work"]
    assert finished == ["work", "slow", "after"]
