"""Changes, snoozes and undo of reminders, with the whole bot."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, RouterSettings, Settings
from bot.testing.clocks import InlineExecutor, LoopClock, LoopTimetable
from bot.testing.in_memory import build_in_memory
from bot.testing.models import ScriptedInterpreter
from bot.testing.platform import FakePlatform
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolCall
from services.storage.database import Database

pytestmark = pytest.mark.looptime

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def calls(*made):
    return [ToolCall(id=str(place), name=name, arguments=arguments) for place, (name, arguments) in enumerate(made)]


def setting(time, content="tea", **fields):
    return ("reminder_set", {"type": "once", "time": time, "content": content} | fields)


DAILY = setting("08:00", "stand up", type="daily")


@pytest.fixture
def talk():
    """Send messages to a bot whose model makes these calls; return its texts without ids and hints."""

    async def run(*steps, wait=0.0, database=None, day="monday", **settings):
        clock = LoopClock(START)
        platform = FakePlatform(clock)
        script = [step if isinstance(step, tuple) else (step, "please do that") for step in steps]
        async with build_app(
            Settings(bot=BotSettings(timezone="UTC"), **settings),
            platforms=[platform],
            interpreter=ScriptedInterpreter([made for made, _ in script]),
            clock=clock,
            database=database or Database("sqlite://", make_thread=InlineExecutor),
            timetable=LoopTimetable(),
        ):
            for place, (_, text) in enumerate(script):
                await platform.say(text, message_id=f"{day}-{place}")
            await asyncio.sleep(wait)
        return list(platform.texts)

    return run


UNDO = calls(("undo", {}))


def remove_id(text):
    return text[: text.index("[")] + text[text.index("]") + 2 :]


async def test_another_clock_time_keeps_the_day(talk):
    texts = await talk(
        calls(setting("2026-11-25 17:00")), calls(("reminder_update", {"reminder_id": "1", "time": "18:30"}))
    )

    assert remove_id(texts[-1]) == "✏️ Changed to Wednesday 25 November at 18:30, in 5 days: tea"


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("move the stand up reminder to 8:30", {"time": "08:30"}),
        ("move the stand up reminder to 8:30", {"time": "2026-11-20 20:30", "type": "once"}),
        ("把站会的提醒改到八点半", {"time": "2026-11-21 08:30", "type": "once"}),
    ],
)
async def test_another_clock_time_of_a_repeated_reminder_keeps_the_repetition(talk, words, arguments):
    update = calls(("reminder_update", {"reminder_id": "stand up"} | arguments))
    texts = await talk(calls(DAILY), (update, words))

    assert "08:30" in texts[-1]
    assert "every day at" in texts[-1] or "每天" in texts[-1]


@pytest.mark.parametrize(
    ("old", "words", "clock"),
    [
        ("09:00", "at 7", "07:00"),
        ("15:00", "at 7", "19:00"),
        ("11:00", "at 1", "13:00"),
        ("08:00", "at 4", "16:00"),
        ("09:00", "at 6", "18:00"),
        ("06:30", "at 6", "06:00"),
        ("08:00", "at 14:30", "14:30"),
    ],
)
async def test_bare_hour_is_in_the_half_of_the_day_nearer_to_the_old_time(talk, old, words, clock):
    update = calls(("reminder_update", {"reminder_id": "tea", "time": words}))

    texts = await talk(calls(setting(f"2026-11-25 {old}")), update)

    assert remove_id(texts[-1]).startswith(f"✏️ Changed to Wednesday 25 November at {clock}")


async def test_a_full_date_moves_a_reminder_there(talk):
    update = calls(("reminder_update", {"reminder_id": "tea", "time": "2026-12-01 10:00"}))
    texts = await talk(calls(setting("2026-11-25 17:00")), update)

    assert remove_id(texts[-1]).startswith("✏️ Changed to Tuesday 1 December at 10:00")


async def test_date_of_the_person_replaces_a_wrong_date_of_the_model(talk):
    update = calls(("reminder_update", {"reminder_id": "1", "time": "2026-11-23 10:00"}))
    texts = await talk(calls(setting("2026-11-25 17:00")), (update, "move reminder 1 to tomorrow at 10:00"))

    assert remove_id(texts[-1]).startswith("✏️ Changed to tomorrow at 10:00")


async def test_part_of_the_day_names_one_of_several_occurrences(talk):
    twice = setting("08:00", "pills", type="daily", rrule="FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0")
    update = calls(("reminder_update", {"reminder_id": "pills", "occurrence": "tomorrow evening", "time": "21:30"}))
    texts = await talk(calls(twice), update)

    assert "tomorrow at 21:30 instead of tomorrow at 20:00" in texts[-1]


async def test_change_without_a_time_changes_only_the_text(talk):
    update = calls(("reminder_update", {"reminder_id": "tea", "content": "green tea"}))
    texts = await talk(calls(setting("2026-11-25 17:00")), update)

    assert remove_id(texts[-1]) == "✏️ Changed to Wednesday 25 November at 17:00, in 5 days: green tea"


async def test_empty_person_argument_changes_no_people(talk):
    update = calls(("reminder_update", {"content": "coffee", "person": ""}))
    texts = await talk(calls(setting("2026-11-20 15:00", person="Bob")), update)

    assert remove_id(texts[-1]) == "✏️ Changed to today at 15:00, in 6 hours, for Bob: coffee"


@pytest.mark.parametrize("name", ["rrule", "time", "days", "until", "skip", "occurrence", "since", "added"])
async def test_empty_argument_changes_no_schedule(talk, name):
    texts = await talk(calls(DAILY), calls(("reminder_update", {"content": "sit down", name: ""})))

    assert "now every day at 08:00: sit down" in texts[-1]


@pytest.mark.parametrize(
    ("rule", "kind"),
    [("FREQ=DAILY;BYHOUR=8,18;BYMINUTE=0", "daily"), ("FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=8;BYMINUTE=0", "weekly")],
)
async def test_repeated_type_argument_with_a_new_text_keeps_the_rule(talk, rule, kind):
    update = calls(("reminder_update", {"content": "sit down", "type": kind}))
    before, after = await talk(calls(setting("2026-11-20 18:00", rrule=rule)), update)

    assert after.partition("Next:")[2].strip() == before.partition("Next:")[2].partition("\n")[0].strip()


async def test_added_text_is_appended_to_the_content(talk):
    update = calls(("reminder_update", {"reminder_id": "1", "added": "biscuits"}))

    texts = await talk(calls(setting("2026-11-25 17:00")), update)

    assert texts[-1].endswith(": tea, biscuits")


async def test_single_reminder_becomes_weekly(talk):
    update = calls(("reminder_update", {"reminder_id": "tea", "type": "weekly", "weekday": 0}))
    texts = await talk(calls(setting("2026-11-25 17:00")), update)

    assert "every Monday at 17:00" in texts[-1]


async def test_reference_means_the_reminder_changed_last(talk):
    texts = await talk(
        calls(setting("2026-11-25 17:00", "tea")),
        calls(setting("2026-11-26 17:00", "milk")),
        calls(("reminder_update", {"time": "2026-11-27 10:00"})),
    )

    assert texts[-1].endswith(": milk")


async def test_several_matching_reminders_need_a_question(talk):
    texts = await talk(
        calls(setting("2026-11-25 17:00", "tea")),
        calls(setting("2026-11-26 17:00", "tea for two")),
        calls(("reminder_update", {"reminder_id": "17", "time": "18:00"})),
    )

    assert texts[-1].startswith("No reminder matches “17”. These are here:\n1. [")


async def test_change_without_a_time_or_text_is_asked_about(talk):
    texts = await talk(calls(setting("2026-11-25 17:00")), calls(("reminder_update", {"reminder_id": "tea"})))

    assert texts[-1] == "What should change: the time or the text? Try: move reminder 1 to 6pm"


async def test_empty_list_of_reminders_is_reported(talk):
    texts = await talk(calls(("reminder_update", {"time": "18:00"})), calls(("reminder_snooze", {})))

    assert texts[0].startswith("No reminders here.")
    assert texts[1].startswith("There is no reminder to snooze.")


async def test_sent_reminder_is_sent_again_after_a_snooze(talk):
    clock = LoopClock(START)
    platform = FakePlatform(clock)
    script = [calls(setting("2026-11-20 09:01")), calls(("reminder_snooze", {"time": "5 minutes"})), UNDO]
    async with build_in_memory(
        Settings(bot=BotSettings(timezone="UTC")),
        platforms=[platform],
        interpreter=ScriptedInterpreter(script),
        clock=clock,
    ):
        await platform.say("remind me")
        await asyncio.sleep(120)
        await platform.say("snooze")
        await asyncio.sleep(301)

    assert remove_id(platform.texts[2]).startswith("💤 Snoozed to today at 09:07, in 5 minutes: tea")
    assert platform.texts[3] == "⏰ @ann tea"


@pytest.mark.parametrize("reference", [{}, {"reminder_id": "tea"}])
async def test_future_reminder_is_moved_by_a_snooze_and_moved_back_by_undo(talk, reference):
    texts = await talk(
        calls(setting("2026-11-25 17:00")), calls(("reminder_snooze", {"time": "2026-11-26 17:00"} | reference)), UNDO
    )

    assert remove_id(texts[1]) == "💤 Snoozed to Thursday 26 November at 17:00, in 6 days: tea"
    assert texts[2].startswith("↩ Undone: [")
    assert texts[2].endswith("] is set again for Wednesday 25 November at 17:00: tea")


async def test_a_set_reminder_is_deleted_by_undo(talk):
    texts = await talk(calls(setting("2026-11-20 09:01")), UNDO, wait=120)

    assert texts[-1] == "↩ Took back “tea”: it is no longer set."


async def test_all_reminders_of_a_deletion_are_restored_by_undo(talk):
    texts = await talk(
        calls(setting("2026-11-20 09:01", "tea"), setting("2026-11-20 09:02", "milk")),
        calls(("reminder_delete", {"reminder_id": "all"})),
        UNDO,
        wait=180,
    )

    assert texts[2].count("is set again") == 2
    assert texts[3:] == ["⏰ @ann tea", "⏰ @ann milk"]


@pytest.mark.parametrize(
    "arguments", [{}, {"reminder_id": "both"}, {"reminder_id": "tea, milk"}, {"reminder_id": "first 2"}]
)
@pytest.mark.parametrize("words", ["make both 8pm", "@bubbles make both 8pm", "@bubbles 两个都改到晚上八点"])
async def test_both_reminders_are_changed_with_or_without_a_reference_of_the_model(talk, arguments, words):
    texts = await talk(
        calls(setting("2026-11-25 17:00", "tea"), setting("2026-11-26 17:00", "milk")),
        (calls(("reminder_update", {"time": "20:00"} | arguments)), words),
        UNDO,
    )

    assert [line[-3:] for line in texts[1].splitlines()[:2]] == ["tea", "ilk"]
    assert texts[1].count("20:00") == 2
    assert texts[2].count("↩ Undone:") == 2


async def test_all_in_a_call_is_reduced_to_both_of_the_message(talk):
    texts = await talk(
        calls(setting("2026-11-24 17:00", "rent")),
        calls(setting("2026-11-25 17:00", "tea"), setting("2026-11-26 17:00", "milk")),
        (calls(("reminder_delete", {"reminder_id": "all"})), "delete both"),
    )

    assert [line.split(": ")[-1] for line in texts[2].splitlines()] == ["tea", "milk"]


async def test_reference_still_means_the_last_reminder(talk):
    texts = await talk(
        calls(setting("2026-11-25 17:00", "tea")),
        calls(setting("2026-11-26 17:00", "milk")),
        (calls(("reminder_update", {"time": "20:00"})), "make it 8pm"),
    )

    assert texts[2].endswith("milk")
    assert texts[2].count("at 20:00") == 1


async def test_separate_deletes_of_one_message_are_restored_together(talk):
    delete = calls(("reminder_delete", {"reminder_id": "tea"}), ("reminder_delete", {"reminder_id": "milk"}))
    texts = await talk(calls(setting("2026-11-25 17:00", "tea"), setting("2026-11-26 17:00", "milk")), delete, UNDO)

    assert texts[2].count("is set again") == 2


async def test_undo_of_a_change_restores_text_people_and_time(talk):
    update = calls(("reminder_update", {"reminder_id": "up", "content": "sit down", "time": "2026-12-01 10:00"}))
    texts = await talk(
        calls(("reminder_set", DAILY[1] | {"person": "@bob"})), update, UNDO, calls(("reminder_list", {}))
    )

    assert "every day at 08:00 · stand up · bob" in texts[3]


async def test_restoring_an_expired_reminder_is_refused_with_the_reason(talk):
    clock = LoopClock(START)
    platform = FakePlatform(clock)
    script = [calls(setting("2026-11-20 09:01")), calls(("reminder_delete", {"reminder_id": "tea"})), UNDO]
    async with build_in_memory(
        Settings(bot=BotSettings(timezone="UTC")),
        platforms=[platform],
        interpreter=ScriptedInterpreter(script),
        clock=clock,
    ):
        await platform.say("remind me")
        await platform.say("no more tea")
        await asyncio.sleep(120)
        await platform.say("undo")

    assert platform.texts[-1].startswith("I could not undo that: That time, today at 09:01, has already passed")


async def test_undo_works_after_a_restart(talk, tmp_path):
    url = f"sqlite:///{tmp_path / 'bot.db'}"
    await talk(calls(setting("2026-11-25 17:00")), database=Database(url))
    texts = await talk(UNDO, database=Database(url), day="tuesday")

    assert texts[0] == "↩ Took back “tea”: it is no longer set."


class Bans:
    """A function that asks first."""

    @tool_function(confirm=True, returns="reply")
    async def ban(self, name: str) -> str:
        """Ban somebody."""
        return f"banned {name}"


@pytest.mark.parametrize("listen", ["all", "smart", "addressed"])
async def test_unaddressed_yes_confirms_a_pending_call(listen):
    clock = LoopClock(START)
    platform = FakePlatform(clock)
    async with build_in_memory(
        Settings(bot=BotSettings(timezone="UTC"), router=RouterSettings(listen=listen)),
        platforms=[platform],
        functions=[Bans()],
        interpreter=ScriptedInterpreter([calls(("ban", {"name": "bob"}))]),
        clock=clock,
    ):
        await platform.say("Bubbles, ban bob")
        await platform.say("yes")

    assert platform.texts[-1] == "banned bob"


@pytest.mark.parametrize("listen", ["smart", "addressed"])
async def test_yes_between_people_requests_no_model(listen):
    clock = LoopClock(START)
    platform = FakePlatform(clock)
    interpreter = ScriptedInterpreter()
    async with build_in_memory(
        Settings(bot=BotSettings(timezone="UTC"), router=RouterSettings(listen=listen)),
        platforms=[platform],
        interpreter=interpreter,
        clock=clock,
    ):
        await platform.say("yes")

    assert interpreter.turns == []


@pytest.mark.parametrize(
    ("start", "turns"), [(datetime(2026, 5, 3, tzinfo=UTC), 1), (datetime(2040, 5, 3, tzinfo=UTC), 0)]
)
async def test_smart_listening_reads_dates_by_the_clock_of_the_bot(start, turns):
    platform = FakePlatform(clock := LoopClock(start))
    interpreter = ScriptedInterpreter(is_strict=False)
    async with build_in_memory(
        Settings(bot=BotSettings(timezone="UTC"), router=RouterSettings(listen="smart")),
        platforms=[platform],
        interpreter=interpreter,
        clock=clock,
    ):
        await platform.say("3 May 2030")

    assert len(interpreter.turns) == turns


async def test_owners_are_those_of_the_settings():
    clock = LoopClock(START)
    platform = FakePlatform(clock)
    async with build_in_memory(
        Settings(bot=BotSettings(timezone="UTC", owners=("fake:olga",))),
        platforms=[platform],
        clock=clock,
    ):
        await platform.say("/tools off summary", sender="olga")
        await platform.say("/tools on summary", sender="mary")

    assert platform.texts == [
        "summary is off in this chat. /tools on summary switches it on again.",
        "Only an admin of this chat may switch tools on or off.",
    ]
