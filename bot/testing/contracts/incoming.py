"""Contract of incoming events: messages, replies, reactions, edits and withdrawals."""

import pytest

from bot.platforms.base import Choice, OutgoingMessage
from bot.testing.platform_rig import PlatformRig, skip_if_unsupported
from services.kernel.chat import MessageEdited, MessageWithdrawn, Reaction


class IncomingContract:
    """Tests of incoming events."""

    async def test_message_of_a_person_arrives(self, rig: PlatformRig) -> None:
        message_id = await rig.say("good morning 早上好")
        [message] = await rig.messages()

        assert message.text == "good morning 早上好"
        assert message.address == rig.chat
        assert message.id == message_id
        assert message.sender.name == "ann"
        assert not message.sender.is_bot
        assert message.sent_at.tzinfo is not None

    async def test_general_message_is_not_addressed(self, rig: PlatformRig) -> None:
        await rig.say("good morning")
        [message] = await rig.messages()

        assert not message.is_addressed
        assert not message.is_private

    @pytest.mark.parametrize("text", ["{bot} good morning", "Bubbles, good morning"])
    async def test_message_with_the_bots_name_is_addressed(self, rig: PlatformRig, text: str) -> None:
        await rig.say(text)
        [message] = await rig.messages()

        assert message.is_addressed
        assert "good morning" in message.text

    async def test_a_person_has_one_id(self, rig: PlatformRig) -> None:
        await rig.say("hello", sender="ben")
        await rig.say("what does {ben} think?")
        plain, mentioning = await rig.messages(2)
        if not mentioning.mentions:
            pytest.skip("the platform marks no mentions of people")

        assert [person.id for person in mentioning.mentions] == [plain.sender.id]
        assert "ben" in mentioning.text

    async def test_different_people_have_different_ids(self, rig: PlatformRig) -> None:
        await rig.say("hello", sender="ann")
        await rig.say("hello", sender="ben")
        messages = await rig.messages(2)

        assert len({message.sender.id for message in messages}) == 2

    async def test_reply_names_its_message(self, rig: PlatformRig) -> None:
        if not rig.platform.capabilities.replies:
            pytest.skip("the platform has no replies")
        first = await rig.say("who brings tea?", sender="ben")
        with skip_if_unsupported():
            await rig.say("I do", reply_to=first)
        messages = await rig.messages(2)

        assert messages[1].reply_to == messages[0].id
        assert "I do" in messages[1].text
        assert "who brings" not in messages[1].text

    async def test_a_reply_to_the_bot_is_addressed(self, rig: PlatformRig) -> None:
        if not rig.platform.capabilities.replies:
            pytest.skip("the platform has no replies")
        await rig.platform.send(rig.chat, OutgoingMessage(text="tea is ready"))
        [bots] = await rig.bot_messages()
        with skip_if_unsupported():
            await rig.say("thanks", reply_to=bots.id)
        [message] = await rig.messages()

        assert message.is_addressed
        assert message.reply_to == bots.id

    async def test_own_messages_are_ignored(self, rig: PlatformRig) -> None:
        with skip_if_unsupported():
            await rig.echo("I said this myself")
        await rig.say("a person")
        messages = [message for message in await rig.messages() if not message.sender.is_bot]

        assert [message.text for message in messages] == ["a person"]

    async def test_a_message_delivered_twice_keeps_its_id(self, rig: PlatformRig) -> None:
        await rig.say("once")
        await rig.messages()
        with skip_if_unsupported():
            await rig.repeat()
        await rig.say("other")
        messages = await rig.messages(3) if len(await rig.messages(2)) > 2 else await rig.messages(2)
        ids = {message.text: {each.id for each in messages if each.text == message.text} for message in messages}

        assert all(len(same) == 1 for same in ids.values())
        assert ids["once"] != ids["other"]

    async def test_messages_arrive_in_order(self, rig: PlatformRig) -> None:
        for number in range(12):
            await rig.say(f"number {number}")

        assert [message.text for message in await rig.messages(12)] == [f"number {number}" for number in range(12)]

    async def test_pressed_button_sends_its_text(self, rig: PlatformRig) -> None:
        if not rig.platform.capabilities.choices:
            pytest.skip("the platform has no buttons")
        choices = (Choice(label="Done ✓", says="done"), Choice(label="↩ Undo", says="/undo 123450123456789"))
        await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ tea", choices=choices))
        [bot_message] = await rig.bot_messages()
        await rig.press(bot_message.id, "↩ Undo", sender="ben")
        [message] = await rig.messages()

        assert bot_message.choices == ("Done ✓", "↩ Undo")
        assert message.text == "/undo 123450123456789"
        assert message.sender.name == "ben"
        assert message.reply_to == bot_message.id
        assert message.is_addressed

    async def test_a_reaction_arrives(self, rig: PlatformRig) -> None:
        sent = await rig.platform.send(rig.chat, OutgoingMessage(text="⏰ tea"))
        await rig.bot_messages()
        with skip_if_unsupported():
            await rig.react(sent or "", "👍", sender="ben")
        [put] = await rig.events(Reaction)

        assert (put.message_id, put.emoji, put.is_added) == (sent, "👍", True)
        assert put.address == rig.chat
        assert put.person.name == "ben"
        with skip_if_unsupported():
            await rig.react(sent or "", "👍", sender="ben", is_added=False)

        assert not (await rig.events(Reaction, 2))[1].is_added

    async def test_edited_message_is_received(self, rig: PlatformRig) -> None:
        message_id = await rig.say("tea at four")
        with skip_if_unsupported():
            await rig.rewrite(message_id, "tea at five")
        [edit] = await rig.events(MessageEdited)

        assert (edit.message_id, edit.text, edit.address) == (message_id, "tea at five", rig.chat)

    async def test_withdrawn_message_is_received(self, rig: PlatformRig) -> None:
        message_id = await rig.say("my number is 1234")
        with skip_if_unsupported():
            await rig.withdraw(message_id)
        [withdrawal] = await rig.events(MessageWithdrawn)

        assert (withdrawal.message_id, withdrawal.address) == (message_id, rig.chat)
