"""Contract of outgoing messages: texts, pieces, formats, mentions, buttons and files."""

import base64

import pytest

from bot.outbound.drafts import Drafts
from bot.outbound.outbox import Outbox
from bot.platforms.base import Choice, EditsMessages, OutgoingMessage
from bot.testing.platform_rig import PlatformRig, wait_for_message, wait_for_words
from bot.testing.turns import make_turn
from function_calls.tools.calls import Reply
from services.history.service import HistoryService
from services.kernel.chat import SentFile
from services.kernel.clock import SystemClock
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore

_LONG = "Somebody said that this sentence is one of many, and it is. " * 400
_CODE = "\n".join(f"value_{number} = {number}" for number in range(8))
# The smallest picture: one transparent dot.
_PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
_HOSTILE = "<b>not bold</b> &amp; a_b_c 2*3*4 [x](y) \\ | ~ # > {braces} <@1> <!channel> [CQ:at,qq=all] `"


class OutgoingContract:
    """Tests of outgoing messages."""

    async def test_sent_message_arrives(self, rig: PlatformRig) -> None:
        await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ tea is ready, 茶好了 👍🏽"))
        [message] = await rig.bot_messages()

        assert message.text == "⏰ tea is ready, 茶好了 👍🏽"

    async def test_id_of_a_sent_message_is_returned(self, rig: PlatformRig) -> None:
        sent = await rig.platform.send(rig.chat, OutgoingMessage(text="tea is ready"))
        [message] = await rig.bot_messages()

        assert not rig.platform.capabilities.replies or sent == message.id

    async def test_messages_are_sent_in_order(self, rig: PlatformRig) -> None:
        for number in range(4):
            await rig.platform.send(rig.chat, OutgoingMessage(text=f"number {number}"))

        assert [message.text for message in await rig.bot_messages(4)] == [f"number {number}" for number in range(4)]

    async def test_long_text_is_sent_in_pieces_that_end_with_a_sentence(self, rig: PlatformRig) -> None:
        limit = rig.platform.capabilities.max_length
        text = _LONG[: limit * 3 // 60 * 60 or len(_LONG)].strip()
        await rig.platform.send(rig.chat, OutgoingMessage(text=text))
        messages = await wait_for_words(rig, len(text.split()))
        pieces = [each.text for each in messages]

        assert " ".join(pieces).split() == text.split()
        assert all(not limit or len(piece) <= limit for piece in pieces)
        assert all(piece.rstrip().endswith((".", ",")) for piece in pieces)

    async def test_code_keeps_its_lines(self, rig: PlatformRig) -> None:
        await rig.platform.send(rig.chat, OutgoingMessage(text=f"Try this:\n```py\n{_CODE}\n```"))
        messages = await wait_for_words(rig, len(_CODE.split()))

        assert _CODE in "\n".join(each.text for each in messages)

    async def test_markdown_of_a_person_is_shown_literally(self, rig: PlatformRig) -> None:
        await rig.platform.send(rig.chat, OutgoingMessage(text=_HOSTILE))
        [message] = await rig.bot_messages()

        assert message.text == _HOSTILE
        assert not message.notifies_everyone
        assert message.mentioned == ()

    @pytest.mark.parametrize("word", ["@everyone", "@here", "@all", "@channel", "@room", "@所有人", "@全体成员"])
    async def test_text_never_notifies_everybody(self, rig: PlatformRig, word: str) -> None:
        await rig.platform.send(rig.chat, OutgoingMessage(text=f"{word} look"))
        [message] = await rig.bot_messages()

        assert not message.notifies_everyone
        assert word not in message.text

    async def test_mentioned_person_is_notified(self, rig: PlatformRig) -> None:
        await rig.say("hello", sender="ben")
        [message] = await rig.messages()
        await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ @ben tea", mentions=(message.sender,)))
        [bot_message] = await rig.bot_messages()

        assert bot_message.mentioned == (message.sender.id,)
        assert "ben" in bot_message.text
        assert bot_message.text.endswith("tea")

    async def test_reply_refers_to_its_message(self, rig: PlatformRig) -> None:
        if not rig.platform.capabilities.replies:
            pytest.skip("the platform has no replies")
        message_id = await rig.say("is tea ready?")
        await rig.messages()
        await rig.platform.send(rig.chat, OutgoingMessage(text="yes", reply_to=message_id))
        [message] = await rig.bot_messages()

        assert message.reply_to == message_id
        assert message.text == "yes"

    async def test_reply_to_a_deleted_message_is_sent(self, rig: PlatformRig) -> None:
        await rig.platform.send(rig.chat, OutgoingMessage(text="yes", reply_to="never-was"))
        [message] = await rig.bot_messages()

        assert message.text == "yes"

    async def test_repeat_with_the_same_key_appears_once(self, rig: PlatformRig) -> None:
        if not rig.platform.capabilities.takes_idempotency_key:
            pytest.skip("the platform takes no keys")
        for _ in range(2):
            await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ tea", idempotency_key="r1/2026-11-20"))
        await rig.platform.send(rig.chat, OutgoingMessage(text="the end"))
        messages = await rig.bot_messages(2)

        assert [each.text for each in messages] == ["⏰ tea", "the end"]

    async def test_buttons_on_a_platform_without_them_lose_no_text(self, rig: PlatformRig) -> None:
        if rig.platform.capabilities.choices:
            pytest.skip("the platform has buttons")
        await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ tea", choices=(Choice(label="Done", says="done"),)))

        assert (await rig.bot_messages())[0].text.startswith("⏰ tea")

    async def test_sent_message_can_be_edited(self, rig: PlatformRig) -> None:
        platform = rig.platform
        if not isinstance(platform, EditsMessages):
            pytest.skip("the platform has no edits")
        sent = await platform.send(rig.chat, OutgoingMessage(text="thinking"))
        assert sent is not None
        await platform.edit(rig.chat, sent, OutgoingMessage(text="tea at **five**"))
        await platform.send(rig.chat, OutgoingMessage(text="the end"))
        messages = await rig.bot_messages(2)

        assert [each.text for each in messages] == ["tea at five", "the end"]

    async def test_streamed_answer_ends_complete(self, rig: PlatformRig) -> None:
        if not isinstance(rig.platform, EditsMessages):
            pytest.skip("the platform has no edits")
        if rig.platform.capabilities.max_edits == 1:
            pytest.skip("the platform's edits are for corrections only")
        limit = rig.platform.capabilities.max_length
        text = (_LONG[:limit] if 0 < limit < len(_LONG) else _LONG[:600]).rsplit(". ", 1)[0] + "."
        await rig.say("what was said?")
        [question] = await rig.messages()
        clock = SystemClock()
        async with Database("sqlite://") as database:
            history = HistoryService(SqlMessageStore(database))
            drafts, turn = Drafts(Outbox({rig.platform.name: rig.platform}, history, clock), clock), make_turn(question)
            hear = drafts.listener(question)
            assert hear is not None
            async with drafts.open(turn) as draft:
                await hear(text[:120])
                first_messages = await wait_for_message(rig)
                await draft.finish(Reply(text=text, reply_to=question.id))
        messages = await wait_for_words(rig, len(text.split()))

        assert [each.text.endswith("…") for each in first_messages] == [True]
        assert " ".join(each.text for each in messages).split() == text.split()

    async def test_bold_code_and_links_are_formatted(self, rig: PlatformRig) -> None:
        text = "**tea** at `five`, see [the list](https://example.org/list)"
        await rig.platform.send(rig.chat, OutgoingMessage(text=text))
        [message] = await rig.bot_messages()

        assert message.text.startswith("tea at five, see the list")

    async def test_a_code_block_that_fits_is_not_cut(self, rig: PlatformRig) -> None:
        limit = rig.platform.capabilities.max_length
        if 0 < limit < 1000:
            pytest.skip("the platform says every line by itself")
        before = _LONG[: limit - 60 or len(_LONG)].rsplit(". ", 1)[0] + "."
        await rig.platform.send(rig.chat, OutgoingMessage(text=f"{before}\n```py\n{_CODE}\n```"))
        messages = await wait_for_words(rig, len(before.split()) + len(_CODE.split()))

        assert any(_CODE in each.text for each in messages)

    async def test_file_is_sent_with_its_text(self, rig: PlatformRig) -> None:
        if not rig.platform.capabilities.files:
            pytest.skip("the platform takes no files")
        file = SentFile(name="chart.png", media_type="image/png", content=_PICTURE)
        sent = await rig.platform.send(rig.chat, OutgoingMessage(text="tea in numbers", files=(file,)))
        messages = await rig.bot_messages()
        if not any(each.files for each in messages):
            messages = await rig.bot_messages(2)

        assert sent is not None
        assert [each.text for each in messages if each.text] == ["tea in numbers"]
        assert [name for each in messages for name in each.files] == ["chart.png"]
