"""Live metrics over the socket, once a second, for admins who ask for them."""

import asyncio

import httpx
import pytest

from services.kernel.errors import StorageBusy
from services.storage.records.activity import ActivityReader
from tests.support.http_bot import served_bot, with_token

pytestmark = pytest.mark.integration


async def test_metrics_are_sent_every_second_until_they_are_switched_off(offline_bot, open_tab):
    address, _ = offline_bot
    async with open_tab(address, "Ada") as ada:
        await ada.send("metrics", on=True)
        await ada.say("remind me in 10 minutes to stretch")
        busy = await ada.wait_for("metrics", where=lambda data: data["messages"] > 0)
        first, second = ada.frames.index(busy), len(ada.frames)
        ada.frames = ada.frames[second:]
        following = await ada.wait_for("metrics")
        await ada.send("metrics", on=False)
        await ada.send("ping")
        await ada.wait_for("pong")
        kinds = ada.kinds()

    assert first < second
    assert busy["data"]["sockets"] == 1
    assert busy["data"].keys() == following["data"].keys()
    assert kinds.count("metrics") == 1


async def test_metrics_are_sent_to_admins_only(open_tab):
    async with served_bot(http=with_token("operator")) as (address, _):
        operator = {"Authorization": "Bearer operator"}
        async with httpx.AsyncClient(base_url=address, headers=operator) as client:
            issued = await client.post("/api/admin/tokens", json={"name": "lin", "role": "member"})
        async with open_tab(address, "lin", token=issued.json()["token"]) as lin:
            await lin.send("metrics", on=True)
            error = await lin.wait_for("error")

    assert error["data"]["code"] == "scope_missing"


async def test_metrics_continue_after_a_lock_of_the_database(offline_bot, open_tab, monkeypatch):
    is_asked = asyncio.Event()

    async def fail(self, since):
        is_asked.set()
        raise StorageBusy("bot.db", "another process")

    address, _ = offline_bot
    async with open_tab(address, "Ada") as ada:
        with monkeypatch.context() as locked:
            locked.setattr(ActivityReader, "call_times", fail)
            await ada.send("metrics", on=True)
            await asyncio.wait_for(is_asked.wait(), 5)
        await ada.wait_for("metrics")
