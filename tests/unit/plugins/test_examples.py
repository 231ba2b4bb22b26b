"""The plugins that ship as examples, in a bot."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from tests.unit.plugins.conftest import PluginRig

EXAMPLES = Path(__file__).parents[3] / "examples"


def with_plugin(tmp_path, name, folder="plugins"):
    shutil.copy(EXAMPLES / folder / f"{name}.py", tmp_path)
    return PluginRig(tmp_path)


class TestPoll:
    pytestmark = pytest.mark.looptime

    async def test_people_vote_and_see_who_leads(self, tmp_path):
        rig = with_plugin(tmp_path, "poll")
        async with rig.running():
            await rig.platform.say("bubbles, poll: Pizza or pasta? pizza, pasta")
            await rig.platform.say("bubbles, vote 2", sender="bob")
            await rig.platform.say("bubbles, vote 1", sender="cat")
            await rig.platform.say("bubbles, vote 2", sender="cat")

        assert rig.platform.texts[-1] == "📊 Pizza or pasta?\n1. pizza – 0 votes\n2. pasta – 2 votes ◀"
        assert [choice.says for choice in rig.platform.sent[0][1].choices] == ["vote 1", "vote 2"]

    async def test_poll_works_in_chinese(self, tmp_path):
        rig = with_plugin(tmp_path, "poll")
        async with rig.running():
            await rig.say("投票：吃什么？面，饭")
            answer = await rig.say("投 1")

        assert "1. 面 – 1 票 ◀" in answer

    async def test_every_chat_has_its_own_poll(self, tmp_path):
        rig = with_plugin(tmp_path, "poll")
        async with rig.running():
            await rig.say("poll: Pizza or pasta? pizza, pasta")
            answer = await rig.say("poll results", chat="office")

        assert "There is no poll in this chat." in answer

    async def test_single_option_is_no_choice(self, tmp_path):
        rig = with_plugin(tmp_path, "poll")
        async with rig.running():
            answer = await rig.say("poll: Pizza? pizza")

        assert "needs two options" in answer


class Places:
    """A loopback server in the forms of Open-Meteo."""

    def __init__(self):
        self.asked = []
        self.body = None
        self.moved_to = ""

    async def answer(self, reader, writer):
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = request.split(" ")[1]
        self.asked.append(path)
        body = self.body or (
            {"current": {"temperature_2m": 4.5, "wind_speed_10m": 12.0}}
            if path.startswith("/forecast")
            else {"results": [{"name": "Berlin", "latitude": 52.5, "longitude": 13.4}]}
        )
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        if self.moved_to:
            head = f"HTTP/1.1 302 Found\r\nLocation: {self.moved_to}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            writer.write(head.encode())
            writer.close()
            return
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(content) + content)
        await writer.drain()
        writer.close()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        port = self.server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_):
        self.server.close()
        await self.server.wait_closed()


class TestWeather:
    def options(self, server):
        return {"weather": {"places_url": f"{server.url}/places", "forecast_url": f"{server.url}/forecast"}}

    async def test_the_weather_is_asked_once_and_remembered(self, tmp_path):
        rig = with_plugin(tmp_path, "weather")
        async with Places() as server, rig.running(options=self.options(server)):
            answers = [await rig.say("what is the weather in Berlin"), await rig.say("weather in berlin")]

        assert answers == ["🌡 Berlin: 4.5 °C, 💨 12 km/h"] * 2
        assert len(server.asked) == 2
        assert "name=Berlin" in server.asked[0]

    async def test_next_question_may_name_the_place_only(self, tmp_path):
        rig = with_plugin(tmp_path, "weather")
        async with Places() as server, rig.running(options=self.options(server)):
            await rig.say("weather in Rome")
            answer = await rig.say("and in Berlin?")

        assert answer.startswith("🌡 Berlin")
        assert "name=Berlin" in server.asked[-2]

    @pytest.mark.parametrize(
        ("body", "why"), [({"results": []}, "No place called"), (b"<html>", "does not answer"), ([], "does not answer")]
    )
    async def test_useless_answer_of_a_service_is_no_crash(self, tmp_path, body, why):
        rig = with_plugin(tmp_path, "weather")
        async with Places() as server, rig.running(options=self.options(server)):
            server.body = body if isinstance(body, bytes) else json.dumps(body).encode()
            answer = await rig.say("weather in Berlin")

        assert why in answer


FEED = """<rss><channel><item><guid>1</guid><title>Old &amp; known</title><link>https://a.example/1</link></item>
{more}</channel></rss>"""
NEW = "<item><guid>2</guid><title>&lt;b&gt;Rain&lt;/b&gt; ahead</title><link>https://a.example/2</link></item>"


class TestNews:
    async def test_entries_after_the_first_look_are_posted_once(self, tmp_path):
        rig = with_plugin(tmp_path, "news")
        async with Places() as server:
            server.body = FEED.format(more="").encode()
            options = {"chat": "fake:home", "feeds": [f"{server.url}/feed"], "every_minutes": 0.002}
            async with rig.running(options={"news": options}):
                await _asked(server, 2)
                server.body = FEED.format(more=NEW).encode()
                await _asked(server, 6)

        assert rig.platform.texts == ["📰 Rain ahead\nhttps://a.example/2"]

    async def test_a_feed_leads_to_no_host_that_the_operator_has_not_named(self, tmp_path):
        rig = with_plugin(tmp_path, "news")
        async with Places() as server, Places() as inside:
            inside.body = FEED.format(more=NEW).encode()
            server.moved_to = inside.url.replace("127.0.0.1", "localhost")
            options = {"chat": "fake:home", "feeds": [f"{server.url}/feed"], "every_minutes": 0.002}
            async with rig.running(options={"news": options}):
                await _asked(server, 3)

        assert inside.asked == []

    async def test_a_feed_that_cannot_be_read_waits_for_the_next_time(self, tmp_path):
        rig = with_plugin(tmp_path, "news")
        async with Places() as server:
            server.body = b'<!DOCTYPE x [<!ENTITY a "b">]><rss>&a;</rss>'
            options = {"chat": "fake:home", "feeds": [f"{server.url}/feed"], "every_minutes": 0.002}
            async with rig.running(options={"news": options}):
                await _asked(server, 3)

        assert rig.platform.texts == []


async def _asked(server, times):
    async with asyncio.timeout(5):
        for _ in range(500):
            if len(server.asked) >= times:
                return
            await asyncio.sleep(0.01)


@pytest.mark.looptime
async def test_the_agents_are_a_plugin_too(tmp_path):
    rig = with_plugin(tmp_path, "agents", folder="agents")
    async with rig.running():
        answers = [
            await rig.say("ask the travel desk 20 usd in eur"),
            await rig.say("问旅行台北京天气怎么样"),
        ]

    assert answers == ["20 USD = 18.00 EUR", "Beijing: 9 °C, clear / 晴"]
