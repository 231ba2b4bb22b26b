"""The commands `bubbles explain` and `bubbles replay` after a conversation, and budgets."""

import asyncio
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from bot.__main__ import cli
from bot.app.application import build_app
from bot.config.settings import BotSettings, BudgetSettings, LogSettings, ModelSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.platform import FakePlatform
from services.call_log.service import CallLog
from services.kernel.chat import ChatAddress
from services.storage.database import Database
from services.storage.records.store import SqlCallStore
from tests.support.openai_server import OpenAIServer, call, say
from tests.support.records import make_turn_record

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
SET = {"type": "once", "time": "2026-11-20 10:00", "content": "tea"}
REQUEST = "Bubbles, remind me of tea at ten in the morning"


def settings_of(folder, base_url, **budget):
    return Settings(
        bot=BotSettings(timezone="UTC", data_dir=folder),
        model=ModelSettings(
            base_url=base_url, name="small", function_calling="native", max_retries=0, price_per_million_input=1000
        ),
        budget=BudgetSettings(**budget),
        log=LogSettings(to_file=False),
    )


async def conversation(folder, script, *texts, **budget):
    """Say `texts` to a bot whose model plays `script`; what it answered, how often the model was asked, the records."""
    clock = LoopClock(START)
    platform = FakePlatform(clock)
    async with OpenAIServer(script) as server:
        async with build_app(settings_of(folder, server.base_url, **budget), platforms=[platform], clock=clock) as app:
            for place, text in enumerate(texts):
                await platform.say(text, message_id=f"m{place}")
            turns = await app.services.get(CallLog).latest_turns(10)
        return platform.texts, len(server.requests), turns


@pytest.fixture
def bubbles(tmp_path, monkeypatch):
    """Run a command against the data in `tmp_path`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("BUBBLES_BOT__DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BUBBLES_MODEL__FUNCTION_CALLING", "native")

    def run(*arguments):
        return CliRunner().invoke(cli, arguments)

    return run


async def test_tokens_and_cost_of_a_turn_are_on_record(tmp_path):
    _, requests, (turn,) = await conversation(tmp_path, [call("reminder_set", SET)], REQUEST)

    assert (requests, len(turn.completions), turn.route) == (1, 1, "model")
    assert turn.charge.tokens > 0
    assert turn.charge.cost == pytest.approx(turn.charge.prompt_tokens / 1000)


@pytest.mark.parametrize("limit", [{"day_tokens": 1}, {"chat_cost": 0.001}, {"person_tokens": 1}])
async def test_offline_interpreter_answers_when_the_budget_is_used_up(tmp_path, limit):
    texts, requests, turns = await conversation(
        tmp_path, [call("reminder_set", SET)], REQUEST, "Bubbles, remind me in 10 minutes to stretch", **limit
    )

    assert requests == 1
    assert texts[1].startswith("✅ Set [")
    assert texts[1].endswith("(The budget for the language model is used up, so I answered without it.)")
    assert (turns[0].route, turns[0].fallback, turns[0].charge.tokens) == ("offline", "budget", 0)


async def test_budget_is_kept_after_a_restart(tmp_path):
    await conversation(tmp_path, [call("reminder_set", SET)], REQUEST)
    clock = LoopClock(START)
    platform = FakePlatform(clock)
    async with OpenAIServer([call("reminder_set", SET)]) as server:
        settings = settings_of(tmp_path, server.base_url, person_tokens=1)
        async with build_app(settings, platforms=[platform], clock=clock):
            await platform.say("Bubbles, remind me in 10 minutes to stretch", message_id="m9")

        assert server.requests == []
    assert platform.texts[0].startswith("✅ Set [")


async def test_a_message_over_its_own_budget_is_not_corrected_by_another_request(tmp_path):
    script = [call("reminder_set", {"type": "sometimes"}), say("never asked for")]
    texts, requests, (turn,) = await conversation(tmp_path, script, REQUEST, message_tokens=1)

    assert requests == 1
    assert texts[0].endswith("(The budget for the language model is used up, so I answered without it.)")
    assert (turn.fallback, turn.completions[0].requested[0].name) == ("budget", "reminder_set")


def test_explain_says_why_a_call_went_back_to_the_model(tmp_path, bubbles):
    script = [call("reminder_set", SET | {"type": "sometimes"}), call("reminder_set", SET)]
    asyncio.run(conversation(tmp_path, script, REQUEST))
    result = bubbles("explain", "m0")

    assert 'The model wrote a call that the check rejected: reminder_set {"type": "sometimes"' in result.output
    assert "Reason: " in result.output
    assert "/type" in result.output.split("Reason: ")[1].splitlines()[0]


def test_explain_shows_route_call_tokens_and_cost(tmp_path, bubbles):
    asyncio.run(conversation(tmp_path, [call("reminder_set", SET)], REQUEST))
    result = bubbles("explain", "m0")

    assert result.exit_code == 0
    for part in ("fake:home", "in 1 request", "1. reminder_set(type=once, time=2026-11-20 10:00", "done", "tokens ("):
        assert part in result.output
    assert bubbles("explain", "last").output == result.output


@pytest.mark.parametrize("command", ["explain", "replay"])
def test_printed_text_of_others_has_no_control_characters(tmp_path, bubbles, command):
    asyncio.run(conversation(tmp_path, [], "remind me in 10 minutes to stretch\x1b]52;c;eA==\x07"))
    result = bubbles(command, "m0")

    assert "to stretch" in result.output
    assert "\x1b" not in result.output


def test_explain_reports_a_missing_record(tmp_path, bubbles):
    nothing_yet = bubbles("explain", "last")
    asyncio.run(conversation(tmp_path, [call("reminder_set", SET)], REQUEST))
    unknown = bubbles("explain", "m77")
    result = bubbles("explain", "m0", "--chat", "fake:work")

    assert (nothing_yet.exit_code, unknown.exit_code, result.exit_code) == (2, 1, 1)
    assert f"bubbles: {tmp_path}/bubbles.db: there is no database yet; start the bot once, or" in nothing_yet.output
    assert "nothing is recorded about message m77; name `last`, or one of the latest: m0\n" in unknown.output


def test_offline_replay_executes_nothing_and_shows_both(tmp_path, bubbles):
    asyncio.run(conversation(tmp_path, [], "remind me in 10 minutes to stretch"))
    before = (tmp_path / "bubbles.db").read_bytes()
    result = bubbles("replay", "m0")

    assert result.exit_code == 0
    assert result.output.endswith("same calls\n")
    assert result.output.count("reminder_set(") == 2
    assert (tmp_path / "bubbles.db").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("remind me on the last day of every month at 9 to pay rent", "on the last day of every month"),
        ("每月最后一天9点提醒我交房租", "每月最后一天"),
    ],
)
def test_a_replay_says_how_a_reminder_repeats_in_the_words_of_the_person(tmp_path, bubbles, text, words):
    asyncio.run(conversation(tmp_path, [], text))
    result = bubbles("replay", "m0")

    assert "rrule=" in result.output
    assert words in " ".join(result.output.split())
    assert "FREQ" not in result.output


async def test_a_replay_asks_another_model_and_names_the_difference(tmp_path, bubbles):
    # A query is the model's own to word; the time of a reminder is read from the message whatever a model says.
    queries = [call("perplexity_search", {"query": words}) for words in ("highest mountain Europe", "Mont Blanc")]
    await conversation(tmp_path, queries[:1], "Bubbles, what is the highest mountain in Europe?")
    async with OpenAIServer(queries[1:]) as server:
        result = await asyncio.to_thread(bubbles, "replay", "m0", "--model", "other", "--base-url", server.base_url)
        models = [request.body["model"] for request in server.requests]

    assert (result.exit_code, models[-1]) == (0, "other")
    assert "[other arguments]" in " ".join(result.output.split())
    assert result.output.endswith("the calls differ\n")


async def test_a_replay_with_a_model_that_is_down_says_so(tmp_path, bubbles):
    await conversation(tmp_path, [call("reminder_set", SET)], REQUEST)
    async with OpenAIServer() as server:
        result = await asyncio.to_thread(bubbles, "replay", "m0", "--base-url", server.base_url)

    assert result.exit_code == 1
    assert "the model did not answer" in result.output


@pytest.mark.parametrize(
    ("by", "name", "counted"),
    [("chat", "fake:home", 1), ("person", "fake:home#ann", 1), ("function", "reminder_set", 1)],
)
def test_usage_is_shown_by_chat_person_and_function(tmp_path, bubbles, by, name, counted):
    asyncio.run(conversation(tmp_path, [call("reminder_set", SET)], REQUEST))
    set_back = bubbles("usage", "--by", by, "--days", "36500")
    row = next(line.split() for line in set_back.output.splitlines() if line.startswith(name))

    assert row[1:3] == [str(counted), "0"]
    assert int(row[3]) > 0
    assert float(row[4]) > 0


def test_usage_by_day_names_the_day_and_sums_up(tmp_path, bubbles):
    asyncio.run(conversation(tmp_path, [call("reminder_set", SET)] * 2, REQUEST, REQUEST))
    lines = bubbles("usage", "--by", "day", "--days", "36500").output.splitlines()

    assert lines[1].split()[:2] == ["2026-11-20", "2"]
    assert lines[-1].split()[:2] == ["total", "2"]


def test_without_a_record_usage_says_so(tmp_path, bubbles):
    asyncio.run(conversation(tmp_path, []))

    assert "Nothing is on record" in bubbles("usage").output


def test_usage_prints_names_without_control_characters(tmp_path, bubbles):
    async def store_turn():
        async with Database(f"sqlite:///{tmp_path / 'bubbles.db'}") as database:
            turn = replace(make_turn_record(), address=ChatAddress(platform="irc", chat_id="#a\x1b]0;b\x07"))
            await SqlCallStore(database).add([turn], [])

    asyncio.run(store_turn())
    printed = bubbles("usage", "--days", "36500").output

    assert "irc:#a]0;b  " in printed
    assert "\x1b" not in printed
