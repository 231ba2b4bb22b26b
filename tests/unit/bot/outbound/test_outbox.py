"""The outbox: order, retries, rate limits, private messages and files."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.outbound.outbox import Outbox
from bot.platforms.base import Capabilities, OutgoingMessage
from bot.testing.clocks import FixedClock
from bot.testing.platform import FakePlatform
from function_calls.tools.calls import Reply
from services.kernel.chat import ChatAddress, Choice, Person, SentFile
from services.kernel.errors import DeliveryFailed

HOME = ChatAddress(platform="fake", chat_id="home")


class History:
    """Keeps what the bot said; fails when told to."""

    def __init__(self):
        self.own = []
        self.is_broken = False

    async def record_own(self, address, text, **_):
        if self.is_broken:
            raise OSError("disk full")
        self.own.append((address.key, text))


@pytest.fixture
def clock():
    return FixedClock(datetime(2026, 11, 20, 12, 0, tzinfo=UTC))


@pytest.fixture
def platform(clock):
    return FakePlatform(clock)


@pytest.fixture
def history():
    return History()


@pytest.fixture
def outbox(platform, history, clock):
    return Outbox({"fake": platform}, history, clock)


async def test_sent_message_is_stored_in_the_history(outbox, history):
    await outbox.reply(HOME, Reply(text="hello"))

    assert history.own == [("fake:home", "hello")]


async def test_lone_surrogates_are_replaced_in_sent_text(outbox, platform, history):
    await outbox.reply(HOME, Reply(text="tea \ud83d"))

    assert platform.texts == ["tea \ufffd"]
    assert history.own == [("fake:home", "tea \ufffd")]


async def test_lone_surrogates_are_replaced_in_edits(outbox, platform):
    edits = []

    async def edit(address, message_id, message):
        edits.append(message.text)

    platform.edit = edit
    await outbox.edit(HOME, "1", OutgoingMessage(text="tea \ud83d"))

    assert edits == ["tea \ufffd"]


@pytest.mark.parametrize(("has_buttons", "text"), [(True, "set"), (False, "set\n(say undo)")])
async def test_hint_is_shown_where_there_are_no_buttons(outbox, platform, has_buttons, text):
    platform.capabilities = Capabilities(choices=has_buttons)

    await outbox.reply(HOME, Reply(text="set", choices=(Choice(label="Undo", says="undo"),), hint="(say undo)"))

    assert platform.texts == [text]


async def test_a_reply_waits_as_long_as_the_platform_asks(outbox, platform, clock):
    start = clock.now()
    refusals = [DeliveryFailed("slow down", retry_after=30)]

    def refuse(*_):
        if refusals:
            raise refusals.pop()

    platform.refuse = refuse
    await outbox.reply(HOME, Reply(text="hello"))

    assert platform.texts == ["hello"]
    assert (clock.now() - start).total_seconds() == 30


async def test_permanently_refused_reply_is_not_retried(outbox, platform):
    tries = []

    def refuse(*_):
        tries.append(1)
        raise DeliveryFailed("removed from the chat", is_permanent=True)

    platform.refuse = refuse
    await outbox.reply(HOME, Reply(text="hello"))

    assert len(tries) == 1


async def test_a_platform_that_is_not_connected_is_a_failed_delivery(outbox):
    with pytest.raises(DeliveryFailed, match="irc is not connected"):
        await outbox.send(ChatAddress(platform="irc", chat_id="x"), OutgoingMessage(text="hello"))


async def test_message_is_sent_if_the_history_fails(outbox, history, platform):
    history.is_broken = True
    sent = await outbox.send(HOME, OutgoingMessage(text="hello"))

    assert sent == "bot-1"
    assert platform.texts == ["hello"]


async def test_chat_gets_one_message_at_a_time(outbox, platform):
    speaking, maximum = 0, 0

    async def slow(address, message):
        nonlocal speaking, maximum
        speaking += 1
        maximum = max(maximum, speaking)
        await asyncio.sleep(0)
        speaking -= 1

    platform.send = slow
    await asyncio.gather(*(outbox.send(HOME, OutgoingMessage(text=str(number))) for number in range(5)))

    assert maximum == 1


async def test_rate_limited_chat_gets_no_further_message_until_its_time(outbox, platform, clock):
    tries = []

    def refuse(*_):
        tries.append(clock.now())
        raise DeliveryFailed("slow down", retry_after=30)

    platform.refuse = refuse
    for _ in range(2):
        with pytest.raises(DeliveryFailed) as error:
            await outbox.send(HOME, OutgoingMessage(text="hello"))

    assert len(tries) == 1
    assert error.value.retry_after == 30


async def test_rate_limited_chat_does_not_delay_another(outbox, platform):
    def refuse(address, _):
        if address == HOME:
            raise DeliveryFailed("slow down", retry_after=30)

    platform.refuse = refuse
    with pytest.raises(DeliveryFailed):
        await outbox.send(HOME, OutgoingMessage(text="hello"))
    await outbox.send(ChatAddress(platform="fake", chat_id="work"), OutgoingMessage(text="hello"))

    assert platform.texts == ["hello"]


async def test_rate_limit_of_a_platform_delays_every_chat(outbox, platform):
    def refuse(*_):
        raise DeliveryFailed("slow down", retry_after=30, is_global=True)

    platform.refuse = refuse
    with pytest.raises(DeliveryFailed):
        await outbox.send(HOME, OutgoingMessage(text="hello"))
    platform.refuse = None

    with pytest.raises(DeliveryFailed, match="pause"):
        await outbox.send(ChatAddress(platform="fake", chat_id="work"), OutgoingMessage(text="hello"))


async def test_a_reply_that_is_tried_again_is_not_overtaken(outbox, platform):
    refusals = [DeliveryFailed("network"), DeliveryFailed("network")]

    def refuse(*_):
        if refusals:
            raise refusals.pop()

    platform.refuse = refuse
    await asyncio.gather(outbox.reply(HOME, Reply(text="first")), outbox.reply(HOME, Reply(text="second")))

    assert platform.texts == ["first", "second"]


async def test_private_message_is_never_sent_to_all(outbox, platform):
    message = OutgoingMessage(text="your code is 1234", private_to=Person(id="ann", name="ann"))

    with pytest.raises(DeliveryFailed) as error:
        await outbox.send(HOME, message)

    assert error.value.is_permanent
    assert platform.texts == []


@pytest.mark.looptime
async def test_a_long_answer_shows_that_it_is_being_written_and_a_quick_one_does_not(outbox, platform):
    texts = []

    async def typing(address):
        texts.append(address)

    platform.typing = typing
    async with outbox.typing(HOME):
        await asyncio.sleep(0.5)
    assert texts == []
    async with outbox.typing(HOME):
        await asyncio.sleep(10)

    assert texts == [HOME] * 3


async def test_buttons_of_a_reply_reach_the_platform(outbox, platform):
    await outbox.reply(HOME, Reply(text="tea?", choices=(Choice(label="Yes", says="yes"),)))

    assert platform.sent[-1][1].choices == (Choice(label="Yes", says="yes"),)


@pytest.mark.parametrize("can_whisper", [True, False])
async def test_private_message_is_sent_privately_where_the_platform_can(outbox, platform, can_whisper):
    platform.capabilities = Capabilities(private_replies=can_whisper)
    ann = Person(id="ann", name="Ann")

    await outbox.reply(HOME, Reply(text="you missed lunch", private_to=ann))

    assert platform.sent[-1][1].private_to == (ann if can_whisper else None)


async def test_private_reply_is_not_part_of_the_chats_history(outbox, platform, history):
    platform.capabilities = Capabilities(private_replies=True)

    await outbox.reply(HOME, Reply(text="you missed lunch", private_to=Person(id="ann", name="Ann")))

    assert platform.texts == ["you missed lunch"]
    assert history.own == [("fake:home", "")]


async def test_chat_without_message_links_has_none(outbox):
    assert outbox.link(HOME, "m1") is None
    assert outbox.link(ChatAddress(platform="gone", chat_id="x"), "m1") is None


class LinkingPlatform(FakePlatform):
    def link(self, address, message_id):
        return f"https://chat.example/{address.chat_id}/{message_id}"


async def test_a_platform_with_message_links_is_asked_for_them(clock):
    outbox = Outbox({"fake": LinkingPlatform(clock)}, History(), clock)

    assert outbox.link(HOME, "m1") == "https://chat.example/home/m1"


async def test_a_file_that_is_too_large_for_the_platform_is_named(outbox, platform):
    platform.capabilities = Capabilities(files=True, max_file_kilobytes=1)
    small = SentFile(name="dot.png", media_type="image/png", content=b"x" * 900)
    large = SentFile(name="poster.png", media_type="image/png", content=b"x" * 5000)

    await outbox.reply(HOME, Reply(text="two pictures", files=(small, large)))

    [(_, message)] = platform.sent
    assert message.files == (small,)
    assert message.text == "two pictures\n📎 poster.png (image/png, 5 kB)"


async def test_edit_on_platform_without_edits_fails_permanently(outbox, platform):
    with pytest.raises(DeliveryFailed) as error:
        await outbox.edit(HOME, "bot-1", OutgoingMessage(text="hello"))

    assert error.value.is_permanent


async def test_open_circuit_breaker_rejects_sends(outbox, platform):
    def refuse(*_):
        raise DeliveryFailed("no route")

    platform.refuse = refuse
    for name in "abc":
        with pytest.raises(DeliveryFailed, match="no route"):
            await outbox.send(ChatAddress(platform="fake", chat_id=name), OutgoingMessage(text="hello"))

    with pytest.raises(DeliveryFailed, match="fake does not answer") as error:
        await outbox.send(HOME, OutgoingMessage(text="hello"))

    assert error.value.retry_after
    assert not error.value.is_unknown


async def test_clock_that_is_set_back_does_not_prolong_a_pause(outbox, platform, clock):
    def refuse(address, message):
        raise DeliveryFailed("slow down", retry_after=5)

    platform.refuse = refuse
    with pytest.raises(DeliveryFailed):
        await outbox.send(HOME, OutgoingMessage(text="tea"))
    platform.refuse = None
    clock.set(clock.now() - timedelta(hours=1))

    assert await outbox.send(HOME, OutgoingMessage(text="tea"))
