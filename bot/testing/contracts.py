"""What every chat platform must do, as tests: give the class a rig and pytest runs them all.

    class TestMyPlatform(PlatformContract):
        @pytest.fixture
        async def rig(self):
            async with my_server() as server:
                rig = MyRig(server)
                async with rig.connected():
                    yield rig

A test that asks for what the platform does not have is skipped.
"""

import asyncio
import base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from bot.drafts import Drafts
from bot.outbox import Outbox
from bot.platform import (
    Choice,
    EditsMessages,
    HasHealth,
    KnowsMembers,
    LinksMessages,
    OutgoingMessage,
    Reacts,
    ShowsTyping,
)
from bot.testing.platform_rig import Heard, NotOnThisPlatform, PlatformRig
from bot.testing.turns import make_turn
from function_calls.calls import Reply
from services.chat import MessageEdited, MessageWithdrawn, Reaction, SentFile
from services.clock import SystemClock
from services.errors import DeliveryFailed
from services.history.memory_store import MemoryMessageStore
from services.history.service import HistoryService

_LONG = "Somebody said that this sentence is one of many, and it is. " * 400
_CODE = "\n".join(f"value_{number} = {number}" for number in range(8))
# The smallest picture: one transparent dot.
_PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
_HOSTILE = "<b>not bold</b> &amp; a_b_c 2*3*4 [x](y) \\ | ~ # > {braces} <@1> <!channel> [CQ:at,qq=all] `"


class PlatformContract:
    """The tests. A subclass brings the fixture `rig`: a connected `PlatformRig`."""

    async def test_what_a_person_says_arrives(self, rig: PlatformRig) -> None:
        """Text, chat, sender and time."""
        said = await rig.say("good morning 早上好")
        [message] = await rig.messages()

        assert message.text == "good morning 早上好"
        assert message.address == rig.chat
        assert message.id == said
        assert message.sender.name == "ann"
        assert not message.sender.is_bot
        assert message.sent_at.tzinfo is not None

    async def test_a_message_to_nobody_is_not_addressed(self, rig: PlatformRig) -> None:
        """The bot overhears it."""
        await rig.say("good morning")
        [message] = await rig.messages()

        assert not message.is_addressed
        assert not message.is_private

    @pytest.mark.parametrize("text", ["{bot} good morning", "Bubbles, good morning"])
    async def test_a_call_of_the_bot_is_addressed(self, rig: PlatformRig, text: str) -> None:
        """By mention or by name."""
        await rig.say(text)
        [message] = await rig.messages()

        assert message.is_addressed
        assert "good morning" in message.text

    async def test_a_person_has_one_id(self, rig: PlatformRig) -> None:
        """Also when mentioned."""
        await rig.say("hello", sender="ben")
        await rig.say("what does {ben} think?")
        spoken, mentioning = await rig.messages(2)
        if not mentioning.mentions:
            pytest.skip("the platform marks no mentions of people")

        assert [person.id for person in mentioning.mentions] == [spoken.sender.id]
        assert "ben" in mentioning.text

    async def test_different_people_have_different_ids(self, rig: PlatformRig) -> None:
        """Whatever they are called."""
        await rig.say("hello", sender="ann")
        await rig.say("hello", sender="ben")
        messages = await rig.messages(2)

        assert len({message.sender.id for message in messages}) == 2

    async def test_a_reply_says_to_what(self, rig: PlatformRig) -> None:
        """By the id that the message had."""
        if not rig.platform.capabilities.replies:
            pytest.skip("the platform has no replies")
        first = await rig.say("who brings tea?", sender="ben")
        with _where_there_is_such_a_thing():
            await rig.say("I do", reply_to=first)
        messages = await rig.messages(2)

        assert messages[1].reply_to == messages[0].id
        assert "I do" in messages[1].text
        assert "who brings" not in messages[1].text

    async def test_a_reply_to_the_bot_is_addressed(self, rig: PlatformRig) -> None:
        """Nobody else is meant."""
        if not rig.platform.capabilities.replies:
            pytest.skip("the platform has no replies")
        await rig.platform.send(rig.chat, OutgoingMessage(text="tea is ready"))
        [bots] = await rig.heard()
        with _where_there_is_such_a_thing():
            await rig.say("thanks", reply_to=bots.id)
        [message] = await rig.messages()

        assert message.is_addressed
        assert message.reply_to == bots.id

    async def test_its_own_messages_are_not_heard(self, rig: PlatformRig) -> None:
        """Or they are marked as those of a bot."""
        with _where_there_is_such_a_thing():
            await rig.echo("I said this myself")
        await rig.say("a person")
        messages = [message for message in await rig.messages() if not message.sender.is_bot]

        assert [message.text for message in messages] == ["a person"]

    async def test_a_message_delivered_twice_keeps_its_id(self, rig: PlatformRig) -> None:
        """So that it is handled once."""
        await rig.say("once")
        await rig.messages()
        with _where_there_is_such_a_thing():
            await rig.repeat()
        await rig.say("other")
        messages = await rig.messages(3) if len(await rig.messages(2)) > 2 else await rig.messages(2)
        ids = {message.text: {each.id for each in messages if each.text == message.text} for message in messages}

        assert all(len(same) == 1 for same in ids.values())
        assert ids["once"] != ids["other"]

    async def test_messages_arrive_in_order(self, rig: PlatformRig) -> None:
        """As they were said."""
        for number in range(12):
            await rig.say(f"number {number}")

        assert [message.text for message in await rig.messages(12)] == [f"number {number}" for number in range(12)]

    async def test_what_the_bot_says_is_heard(self, rig: PlatformRig) -> None:
        """In both languages."""
        await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ tea is ready, 茶好了 👍🏽"))
        [heard] = await rig.heard()

        assert heard.text == "⏰ tea is ready, 茶好了 👍🏽"

    async def test_the_id_of_what_the_bot_says_is_the_one_that_people_reply_to(self, rig: PlatformRig) -> None:
        """Where the platform has replies."""
        sent = await rig.platform.send(rig.chat, OutgoingMessage(text="tea is ready"))
        [heard] = await rig.heard()

        assert not rig.platform.capabilities.replies or sent == heard.id

    async def test_the_bot_speaks_in_order(self, rig: PlatformRig) -> None:
        """As it was told to."""
        for number in range(4):
            await rig.platform.send(rig.chat, OutgoingMessage(text=f"number {number}"))

        assert [heard.text for heard in await rig.heard(4)] == [f"number {number}" for number in range(4)]

    async def test_a_long_text_comes_whole_in_pieces_that_end_with_a_sentence(self, rig: PlatformRig) -> None:
        """Nothing is cut off."""
        limit = rig.platform.capabilities.max_length
        text = _LONG[: limit * 3 // 60 * 60 or len(_LONG)].strip()
        await rig.platform.send(rig.chat, OutgoingMessage(text=text))
        heard = await _heard_up_to(rig, len(text.split()))
        pieces = [each.text for each in heard]

        assert " ".join(pieces).split() == text.split()
        assert all(not limit or len(piece) <= limit for piece in pieces)
        assert all(piece.rstrip().endswith((".", ",")) for piece in pieces)

    async def test_code_keeps_its_lines(self, rig: PlatformRig) -> None:
        """And loses its fences only where the platform shows code otherwise."""
        await rig.platform.send(rig.chat, OutgoingMessage(text=f"Try this:\n```py\n{_CODE}\n```"))
        heard = await _heard_up_to(rig, len(_CODE.split()))

        assert _CODE in "\n".join(each.text for each in heard)

    async def test_marks_that_a_person_wrote_are_shown_as_they_are(self, rig: PlatformRig) -> None:
        """No text becomes markup or an order to the platform."""
        await rig.platform.send(rig.chat, OutgoingMessage(text=_HOSTILE))
        [heard] = await rig.heard()

        assert heard.text == _HOSTILE
        assert not heard.rings_for_everyone
        assert heard.mentioned == ()

    @pytest.mark.parametrize("word", ["@everyone", "@here", "@all", "@channel", "@room", "@所有人", "@全体成员"])
    async def test_no_text_rings_for_everybody(self, rig: PlatformRig, word: str) -> None:
        """Not even when a model writes the word."""
        await rig.platform.send(rig.chat, OutgoingMessage(text=f"{word} look"))
        [heard] = await rig.heard()

        assert not heard.rings_for_everyone
        assert word not in heard.text

    async def test_a_person_who_is_to_be_notified_is(self, rig: PlatformRig) -> None:
        """In the platform's own form."""
        await rig.say("hello", sender="ben")
        [message] = await rig.messages()
        await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ @ben tea", mentions=(message.sender,)))
        [heard] = await rig.heard()

        assert heard.mentioned == (message.sender.id,)
        assert "ben" in heard.text
        assert heard.text.endswith("tea")

    async def test_a_reply_of_the_bot_stands_under_what_it_answers(self, rig: PlatformRig) -> None:
        """Where the platform has replies."""
        if not rig.platform.capabilities.replies:
            pytest.skip("the platform has no replies")
        said = await rig.say("is tea ready?")
        await rig.messages()
        await rig.platform.send(rig.chat, OutgoingMessage(text="yes", reply_to=said))
        [heard] = await rig.heard()

        assert heard.reply_to == said
        assert heard.text == "yes"

    async def test_a_reply_to_what_is_gone_is_said_all_the_same(self, rig: PlatformRig) -> None:
        """An id that the platform does not know must not lose the text."""
        await rig.platform.send(rig.chat, OutgoingMessage(text="yes", reply_to="never-was"))
        [heard] = await rig.heard()

        assert heard.text == "yes"

    async def test_a_repeat_with_the_same_key_is_seen_once(self, rig: PlatformRig) -> None:
        """Where the platform takes keys."""
        if not rig.platform.capabilities.takes_idempotency_key:
            pytest.skip("the platform takes no keys")
        for _ in range(2):
            await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ tea", idempotency_key="r1/2026-11-20"))
        await rig.platform.send(rig.chat, OutgoingMessage(text="the end"))
        heard = await rig.heard(2)

        assert [each.text for each in heard] == ["⏰ tea", "the end"]

    @pytest.mark.parametrize("everywhere", [False, True], ids=["in a chat", "everywhere"])
    async def test_a_wish_for_patience_says_how_long_and_where(self, rig: PlatformRig, *, everywhere: bool) -> None:
        """So that the outbox can obey it."""
        with _where_there_is_such_a_thing():
            await rig.limit(7, everywhere=everywhere)
        with pytest.raises(DeliveryFailed) as caught:
            await rig.platform.send(rig.chat, OutgoingMessage(text="hello"))

        assert caught.value.retry_after == 7
        assert caught.value.is_global == everywhere
        assert not caught.value.is_permanent

    async def test_after_a_cut_the_bot_hears_and_speaks_again(self, rig: PlatformRig) -> None:
        """Without anybody's help."""
        with _where_there_is_such_a_thing():
            await rig.disconnect()
        if rig.keeps_what_was_missed:
            await rig.say("in between")
        await rig.ready()
        await rig.say("after the cut")
        count = 2 if rig.keeps_what_was_missed else 1
        messages = await rig.messages(count)
        await rig.platform.send(rig.chat, OutgoingMessage(text="still here"))

        assert [message.text for message in messages] == ["in between", "after the cut"][-count:]
        assert (await rig.heard())[-1].text == "still here"

    async def test_pressing_a_button_is_saying_its_words(self, rig: PlatformRig) -> None:
        """As a reply to the message that has it."""
        if not rig.platform.capabilities.choices:
            pytest.skip("the platform has no buttons")
        choices = (Choice(label="Done ✓", says="done"), Choice(label="10 min", says="snooze 10 minutes"))
        await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ tea", choices=choices))
        [heard] = await rig.heard()
        await rig.press(heard.id, "10 min", sender="ben")
        [message] = await rig.messages()

        assert heard.choices == ("Done ✓", "10 min")
        assert message.text == "snooze 10 minutes"
        assert message.sender.name == "ben"
        assert message.reply_to == heard.id
        assert message.is_addressed

    async def test_buttons_on_a_platform_without_them_lose_no_text(self, rig: PlatformRig) -> None:
        """The words come all the same."""
        if rig.platform.capabilities.choices:
            pytest.skip("the platform has buttons")
        await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ tea", choices=(Choice(label="Done", says="done"),)))

        assert (await rig.heard())[0].text.startswith("⏰ tea")

    async def test_what_was_said_can_be_changed(self, rig: PlatformRig) -> None:
        """Where the platform has edits."""
        platform = rig.platform
        if not isinstance(platform, EditsMessages):
            pytest.skip("the platform has no edits")
        sent = await platform.send(rig.chat, OutgoingMessage(text="thinking"))
        assert sent is not None
        await platform.edit(rig.chat, sent, OutgoingMessage(text="tea at **five**"))
        await platform.send(rig.chat, OutgoingMessage(text="the end"))
        heard = await rig.heard(2)

        assert [each.text for each in heard] == ["tea at five", "the end"]

    async def test_an_answer_that_is_shown_while_it_is_written_ends_whole(self, rig: PlatformRig) -> None:
        """In one message while it grows; what does not fit follows, and nothing else is seen."""
        if not isinstance(rig.platform, EditsMessages):
            pytest.skip("the platform has no edits")
        if rig.platform.capabilities.max_edits == 1:
            pytest.skip("the platform's edits are for corrections only")
        limit = rig.platform.capabilities.max_length
        text = (_LONG[:limit] if 0 < limit < len(_LONG) else _LONG[:600]).rsplit(". ", 1)[0] + "."
        await rig.say("what was said?")
        [question] = await rig.messages()
        clock = SystemClock()
        outbox = Outbox({rig.platform.name: rig.platform}, HistoryService(MemoryMessageStore()), clock)
        drafts, turn = Drafts(outbox, clock), make_turn(question)
        hear = drafts.listener(question)
        assert hear is not None
        async with drafts.of(turn) as draft:
            await hear(text[:120])
            begun = await _heard_at_last(rig)
            await draft.say(Reply(text=text, reply_to=question.id))
        heard = await _heard_up_to(rig, len(text.split()))

        assert [each.text.endswith("…") for each in begun] == [True]
        assert " ".join(each.text for each in heard).split() == text.split()

    async def test_bold_code_and_links_come_without_their_marks(self, rig: PlatformRig) -> None:
        """In the platform's own form, or as plain words."""
        text = "**tea** at `five`, see [the list](https://example.org/list)"
        await rig.platform.send(rig.chat, OutgoingMessage(text=text))
        [heard] = await rig.heard()

        assert heard.text.startswith("tea at five, see the list")

    async def test_a_code_block_that_fits_is_not_cut(self, rig: PlatformRig) -> None:
        """It goes into the next piece instead."""
        limit = rig.platform.capabilities.max_length
        if 0 < limit < 1000:
            pytest.skip("the platform says every line by itself")
        before = _LONG[: limit - 60 or len(_LONG)].rsplit(". ", 1)[0] + "."
        await rig.platform.send(rig.chat, OutgoingMessage(text=f"{before}\n```py\n{_CODE}\n```"))
        heard = await _heard_up_to(rig, len(before.split()) + len(_CODE.split()))

        assert any(_CODE in each.text for each in heard)

    async def test_a_file_comes_with_its_text(self, rig: PlatformRig) -> None:
        """Where the platform takes files; the outbox names them elsewhere."""
        if not rig.platform.capabilities.files:
            pytest.skip("the platform takes no files")
        file = SentFile(name="chart.png", media_type="image/png", content=_PICTURE)
        sent = await rig.platform.send(rig.chat, OutgoingMessage(text="tea in numbers", files=(file,)))
        heard = await rig.heard()
        if not any(each.files for each in heard):
            heard = await rig.heard(2)

        assert sent is not None
        assert [each.text for each in heard if each.text] == ["tea in numbers"]
        assert [name for each in heard for name in each.files] == ["chart.png"]

    async def test_a_reaction_arrives(self, rig: PlatformRig) -> None:
        """With the message that it stands on, the person and the emoji; and that it was taken off."""
        sent = await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ tea"))
        await rig.heard()
        with _where_there_is_such_a_thing():
            await rig.react(sent or "", "👍", sender="ben")
        [put] = await rig.news(Reaction)

        assert (put.message_id, put.emoji, put.is_added) == (sent, "👍", True)
        assert put.address == rig.chat
        assert put.person.name == "ben"
        with _where_there_is_such_a_thing():
            await rig.react(sent or "", "👍", sender="ben", is_added=False)

        assert not (await rig.news(Reaction, 2))[1].is_added

    async def test_a_changed_message_is_told(self, rig: PlatformRig) -> None:
        """So that the history is as the chat."""
        said = await rig.say("tea at four")
        with _where_there_is_such_a_thing():
            await rig.rewrite(said, "tea at five")
        [edit] = await rig.news(MessageEdited)

        assert (edit.message_id, edit.text, edit.address) == (said, "tea at five", rig.chat)

    async def test_a_withdrawn_message_is_told(self, rig: PlatformRig) -> None:
        """So that it is forgotten."""
        said = await rig.say("my number is 1234")
        with _where_there_is_such_a_thing():
            await rig.withdraw(said)
        [gone] = await rig.news(MessageWithdrawn)

        assert (gone.message_id, gone.address) == (said, rig.chat)

    async def test_who_is_in_the_chat_is_known(self, rig: PlatformRig) -> None:
        """Where the platform tells."""
        platform = rig.platform
        if not isinstance(platform, KnowsMembers):
            pytest.skip("the platform does not tell who is in a chat")
        await rig.say("hello", sender="ann")
        [message] = await rig.messages()

        assert await platform.is_member(rig.chat, message.sender.id)
        assert not await platform.is_member(rig.chat, "987654321")

    async def test_its_abilities_are_what_it_says(self, rig: PlatformRig) -> None:
        """Flags and protocols agree."""
        abilities = rig.platform.capabilities

        assert isinstance(rig.platform, EditsMessages) == abilities.edits
        assert isinstance(rig.platform, ShowsTyping) == abilities.typing
        assert isinstance(rig.platform, Reacts) == abilities.reactions
        assert isinstance(rig.platform, LinksMessages) == abilities.message_links

    async def test_typing_is_never_an_error(self, rig: PlatformRig) -> None:
        """It is a courtesy."""
        if not isinstance(rig.platform, ShowsTyping):
            pytest.skip("the platform shows no typing")
        await rig.platform.typing(rig.chat)

    async def test_a_chat_that_the_bot_is_not_in_is_a_failed_delivery(self, rig: PlatformRig) -> None:
        """Not a silence."""
        with _where_there_is_such_a_thing():
            nowhere = rig.nowhere
        with pytest.raises(DeliveryFailed):
            await rig.platform.send(nowhere, OutgoingMessage(text="hello"))

    async def test_it_is_live_while_it_runs(self, rig: PlatformRig) -> None:
        """And says so."""
        if not isinstance(rig.platform, HasHealth):
            pytest.skip("the platform has no connection")

        assert rig.platform.health.state == "live"

    async def test_a_stop_is_quick_and_leaves_nothing_behind(self, rig: PlatformRig) -> None:
        """No task survives it."""
        before = {task.get_name() for task in asyncio.all_tasks()}
        running = next(task for task in asyncio.all_tasks() if task.get_name() == "platform under test")
        running.cancel()
        async with asyncio.timeout(5):
            await asyncio.gather(running, return_exceptions=True)

        assert {task.get_name() for task in asyncio.all_tasks()} <= before
        if isinstance(rig.platform, HasHealth):
            assert rig.platform.health.state == "stopped"


@contextmanager
def _where_there_is_such_a_thing() -> Iterator[None]:
    try:
        yield
    except NotOnThisPlatform:
        pytest.skip("the platform has no such thing")


async def _heard_at_last(rig: PlatformRig) -> Sequence[Heard]:
    """What the bot has said, as soon as there is something."""
    while not (heard := await rig.heard()):  # noqa: ASYNC110 - a server tells nobody
        await asyncio.sleep(0.1)
    return heard


async def _heard_up_to(rig: PlatformRig, words: int) -> Sequence[Heard]:
    """The messages of the bot, until they have as many words or no more come."""
    heard = await rig.heard()
    while sum(len(each.text.split()) for each in heard) < words:
        more = await rig.heard(len(heard) + 1)
        if len(more) == len(heard):
            break
        heard = more
    return heard
