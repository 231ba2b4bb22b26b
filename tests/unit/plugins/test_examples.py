"""The plugins that ship as examples, in a bot."""

import asyncio
import json
import shutil
import sys
from pathlib import Path

import pytest

from function_calls.tools.calls import ToolCall
from tests.unit.plugins.conftest import PluginRig

EXAMPLES = Path(__file__).parents[3] / "examples"


def with_plugin(tmp_path, name, folder="plugins"):
    shutil.copy(EXAMPLES / folder / f"{name}.py", tmp_path)
    return PluginRig(tmp_path)


def called(name, **arguments):
    return [[ToolCall(id="1", name=name, arguments=arguments)]]


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

    async def test_a_poll_in_chinese(self, tmp_path):
        rig = with_plugin(tmp_path, "poll")
        async with rig.running():
            await rig.say("投票：吃什么？面，饭")
            told = await rig.say("投 1")

        assert "1. 面 – 1 票 ◀" in told

    async def test_every_chat_has_its_own_poll(self, tmp_path):
        rig = with_plugin(tmp_path, "poll")
        async with rig.running():
            await rig.say("poll: Pizza or pasta? pizza, pasta")
            told = await rig.say("poll results", chat="office")

        assert "There is no poll in this chat." in told

    async def test_single_option_is_no_choice(self, tmp_path):
        rig = with_plugin(tmp_path, "poll")
        async with rig.running():
            told = await rig.say("poll: Pizza? pizza")

        assert "needs two options" in told


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
        told = body if isinstance(body, bytes) else json.dumps(body).encode()
        if self.moved_to:
            head = f"HTTP/1.1 302 Found\r\nLocation: {self.moved_to}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            writer.write(head.encode())
            writer.close()
            return
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(told) + told)
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
            told = [await rig.say("what is the weather in Berlin"), await rig.say("weather in berlin")]

        assert told == ["🌡 Berlin: 4.5 °C, 💨 12 km/h"] * 2
        assert len(server.asked) == 2
        assert "name=Berlin" in server.asked[0]

    @pytest.mark.parametrize(
        ("body", "why"), [({"results": []}, "No place called"), (b"<html>", "does not answer"), ([], "does not answer")]
    )
    async def test_useless_answer_of_a_service_is_no_crash(self, tmp_path, body, why):
        rig = with_plugin(tmp_path, "weather")
        async with Places() as server, rig.running(options=self.options(server)):
            server.body = body if isinstance(body, bytes) else json.dumps(body).encode()
            told = await rig.say("weather in Berlin")

        assert why in told


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


class TestWorkspace:
    @pytest.fixture
    def room(self, tmp_path):
        rig = with_plugin(tmp_path, "workspace")
        rig.files = tmp_path / "files"
        rig.files.mkdir()
        return rig

    def options(self, room, **more):
        return {"workspace": {"folder": str(room.files), **more}}

    async def result_of(self, room, name, **arguments):
        from services.call_log.service import CallLog

        script = [*called(name, **arguments), "seen"]
        async with room.running(script=script, options=self.options(room)) as app:
            message = await room.platform.say("please", is_private=True, is_admin=True)
            (call,) = await app.services.get(CallLog).of_message(message.address, message.id)
        return call

    async def test_a_file_is_read_with_line_numbers_and_in_a_range(self, room):
        (room.files / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
        call = await self.result_of(room, "read_file", path="a.txt", start_line=2, end_line=3)

        assert call["result"] == "    2  two\n    3  three"

    async def test_several_files_are_read_at_once_and_a_missing_one_is_reported(self, room):
        (room.files / "a.txt").write_text("one", encoding="utf-8")
        call = await self.result_of(room, "read_file", paths=["a.txt", "b.txt"], show_line_numbers=False)

        assert call["result"] == "== a.txt ==\none\n\n== b.txt ==\n[b.txt cannot be read: No such file or directory]"

    @pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "link/secret.txt", "a\x00b"])
    async def test_paths_outside_of_the_folder_are_refused(self, room, tmp_path, path):
        (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
        (room.files / "link").symlink_to(tmp_path)
        call = await self.result_of(room, "read_file", path=path)

        assert call["status"] == "error"
        assert call["result"] is None

    async def test_a_file_is_written_appended_to_and_put_back_by_undo(self, room):
        file = room.files / "notes" / "a.txt"
        script = [
            *called("write_file", path="notes/a.txt", content="one\n"),
            "written",
            *called("write_file", path="notes/a.txt", content="two\n", mode="append"),
            "written",
            *called("undo"),
            *called("undo"),
        ]
        async with room.running(script=script, options=self.options(room)):
            seen = []
            for text in ("write one", "append two", "undo", "undo"):
                await room.platform.say(text, is_private=True, is_admin=True)
                seen.append(file.read_text(encoding="utf-8") if file.exists() else None)

        assert seen == ["one\n", "one\ntwo\n", "one\n", None]

    async def test_others_than_admins_neither_read_nor_write(self, room):
        (room.files / "a.txt").write_text("one", encoding="utf-8")
        async with room.running(script=[*called("read_file", path="a.txt"), "done"], options=self.options(room)) as app:
            from services.call_log.service import CallLog

            message = await room.platform.say("bubbles, read it")
            (call,) = await app.services.get(CallLog).of_message(message.address, message.id)

        assert call["status"] == "denied"

    async def test_programs_are_not_run_without_the_setting(self, room):
        async with room.running(options=self.options(room)) as app:
            assert app.registry.get("exec") is None

    async def run(self, room, command, **more):
        allowed = {"exec": True, "programs": [sys.executable, "ls"], **more}
        script = [*called("exec", command=command), "asked", "seen"]
        async with room.running(script=script, owners=("fake:ann",), options=self.options(room, **allowed)) as app:
            from services.call_log.service import CallLog

            message = await room.platform.say("please run it", is_private=True)
            await room.platform.say("yes", is_private=True)
            asked, done = await app.services.get(CallLog).of_message(message.address, message.id)
        assert asked["status"] == "denied"
        return done

    async def test_a_program_is_run_after_a_yes(self, room):
        (room.files / "a.txt").write_text("one", encoding="utf-8")
        call = await self.run(room, "ls")

        assert json.loads(call["result"]) == {"exit_code": 0, "output": "a.txt\n"}

    async def test_no_secret_of_the_process_reaches_a_program(self, room, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
        (room.files / "env.py").write_text("import os; print(dict(os.environ))", encoding="utf-8")
        call = await self.run(room, f"{sys.executable} env.py")

        assert "sk-planted" not in call["result"]
        assert str(room.files) in call["result"]

    async def test_slow_program_is_stopped(self, room):
        (room.files / "slow.py").write_text("import time; time.sleep(60)", encoding="utf-8")
        call = await self.run(room, f"{sys.executable} slow.py", timeout_seconds=1)

        assert call["error"].endswith("was stopped after 1 s")

    @pytest.mark.parametrize("command", ["cat a.txt", "ls ..", "ls /etc", "ls --sort=../..", "ls ~", 'ls "'])
    async def test_forbidden_call_is_not_run(self, room, command):
        call = await self.run(room, command)

        assert call["status"] == "error"
        assert call["result"] is None


@pytest.mark.looptime
async def test_the_agents_are_a_plugin_too(tmp_path):
    rig = with_plugin(tmp_path, "agents", folder="agents")
    async with rig.running():
        told = [
            await rig.say("ask the travel desk 20 usd in eur"),
            await rig.say("问旅行台北京天气怎么样"),
        ]

    assert told == ["20 USD = 18.00 EUR", "Beijing: 9 °C, clear / 晴"]
