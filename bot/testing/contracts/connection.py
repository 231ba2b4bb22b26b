"""Contract of the connection: rate limits, reconnects, members, health and stop."""

import asyncio

import pytest

from bot.platforms.base import (
    HasHealth,
    KnowsMembers,
    OutgoingMessage,
    ShowsTyping,
)
from bot.testing.platform_rig import PlatformRig, skip_if_unsupported
from services.kernel.errors import DeliveryFailed


class ConnectionContract:
    """Tests of the connection."""

    @pytest.mark.parametrize("everywhere", [False, True], ids=["in a chat", "everywhere"])
    async def test_rate_limit_names_time_and_scope(self, rig: PlatformRig, *, everywhere: bool) -> None:
        with skip_if_unsupported():
            await rig.limit(7, everywhere=everywhere)
        with pytest.raises(DeliveryFailed) as error:
            await rig.platform.send(rig.chat, OutgoingMessage(text="hello"))

        assert error.value.retry_after == 7
        assert error.value.is_global == everywhere
        assert not error.value.is_permanent

    async def test_bot_receives_and_sends_after_a_disconnection(self, rig: PlatformRig) -> None:
        with skip_if_unsupported():
            await rig.disconnect()
        if rig.delivers_missed_messages:
            await rig.say("in between")
        await rig.ready()
        await rig.say("after the cut")
        count = 2 if rig.delivers_missed_messages else 1
        messages = await rig.messages(count)
        await rig.platform.send(rig.chat, OutgoingMessage(text="still here"))

        assert [message.text for message in messages] == ["in between", "after the cut"][-count:]
        assert (await rig.bot_messages())[-1].text == "still here"

    async def test_members_of_a_chat_are_listed(self, rig: PlatformRig) -> None:
        platform = rig.platform
        if not isinstance(platform, KnowsMembers):
            pytest.skip("the platform does not tell who is in a chat")
        await rig.say("hello", sender="ann")
        [message] = await rig.messages()

        assert await platform.is_member(rig.chat, message.sender.id)
        assert not await platform.is_member(rig.chat, "987654321")

    async def test_typing_is_never_an_error(self, rig: PlatformRig) -> None:
        if not isinstance(rig.platform, ShowsTyping):
            pytest.skip("the platform shows no typing")
        await rig.platform.typing(rig.chat)

    async def test_chat_without_the_bot_is_a_failed_delivery(self, rig: PlatformRig) -> None:
        with skip_if_unsupported():
            nowhere = rig.unreachable_chat
        with pytest.raises(DeliveryFailed):
            await rig.platform.send(nowhere, OutgoingMessage(text="hello"))

    async def test_running_platform_is_live(self, rig: PlatformRig) -> None:
        if not isinstance(rig.platform, HasHealth):
            pytest.skip("the platform has no connection")

        assert rig.platform.health.state == "live"

    async def test_stop_is_quick_and_leaves_no_tasks(self, rig: PlatformRig) -> None:
        before = {task.get_name() for task in asyncio.all_tasks()}
        running = next(task for task in asyncio.all_tasks() if task.get_name() == "platform under test")
        running.cancel()
        async with asyncio.timeout(5):
            await asyncio.gather(running, return_exceptions=True)

        # Requests that the server of the rig still answers are not tasks of the platform.
        left = [task for task in asyncio.all_tasks() if "RequestHandler" not in repr(task.get_coro())]
        assert {task.get_name() for task in left} <= before
        if isinstance(rig.platform, HasHealth):
            assert rig.platform.health.state == "stopped"
