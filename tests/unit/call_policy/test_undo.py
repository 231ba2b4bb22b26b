"""Undo of changes by their inverse functions."""

from datetime import timedelta

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.clocks import StandingClock
from bot.testing.in_memory import NO_PLUGINS
from bot.testing.platform import FakePlatform
from function_calls.registry import tool_function
from function_calls.tools.calls import Receipt, SpawnedTask, ToolResult, UndoStep
from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused
from services.storage.database import Database
from tests.unit.call_policy.conftest import NOON, call


class Lamps:
    """Lamps that are lit, and functions that change them."""

    def __init__(self):
        self.lit = []
        self.refuses = None

    def tools(self):
        @tool_function(returns="reply", undo="dark", examples=["light {lamp}"])
        async def light(lamp: str) -> str:
            """Light a lamp."""
            self.lit.append(lamp)
            return f"{lamp} is lit"

        @tool_function(returns="reply", is_only_for_undo=True)
        async def dark(lamp: str) -> str:
            """Put a lamp out."""
            if self.refuses is not None:
                raise self.refuses
            self.lit.remove(lamp)
            return f"{lamp} is dark"

        @tool_function(returns="reply")
        async def light_all() -> ToolResult:
            """Light both lamps."""
            self.lit += ["desk", "hall"]
            steps = [UndoStep(name="dark", arguments={"lamp": lamp}) for lamp in ("desk", "hall")]
            receipts = tuple(Receipt(action="lit", subject=str(step.arguments["lamp"]), undo=step) for step in steps)
            return ToolResult(ok=True, text="both are lit", receipts=receipts)

        @tool_function(returns="reply", changes_state=True, examples=["ring"])
        async def ring() -> str:
            """Ring the bell."""
            return "ding"

        return light, dark, light_all, ring


@pytest.fixture
def lamps():
    return Lamps()


async def test_a_change_stored_by_an_earlier_version_is_undone(room, lamps):
    here = room(*lamps.tools())
    lamps.lit.append("desk")
    undo = {"name": "dark", "arguments": {"lamp": "desk"}}
    stored = {
        "tool": "light",
        "message": "m0",
        "agent": "",
        "text": "desk is lit",
        "at": "2026-11-20T11:59:00+00:00",
        "state": "live",
        "receipts": [{"action": "lit", "subject": "desk", "undo": undo}],
    }
    await here.store.set("receipts:fake:home#ann", [stored], keep=timedelta(days=1))
    await here.say("undo")

    assert lamps.lit == []


async def test_undo_reverts_the_last_change(room, lamps):
    here = room(*lamps.tools())
    await here.say("light desk")

    assert await here.say("undo") == "↩ Undone: desk is dark"
    assert lamps.lit == []


async def test_the_confirmation_says_how_to_undo(room, lamps):
    here = room(*lamps.tools())

    assert await here.say("light desk") == "desk is lit\n   (say “undo” to take it back)"


async def test_undo_is_not_mentioned_if_impossible_or_disabled(room, lamps):
    here = room(*lamps.tools())
    rung = await here.say("ring")
    await here.say("/tools off undo", is_admin=True)

    assert rung == "ding"
    assert await here.say("light desk") == "desk is lit"


async def test_changes_are_undone_one_after_the_other(room, lamps):
    here = room(*lamps.tools())
    await here.say("light desk")
    await here.say("light hall")
    await here.say("undo")

    assert lamps.lit == ["desk"]
    assert await here.say("undo") == "↩ Undone: desk is dark"
    assert await here.say("undo") == "There is nothing of yours to undo here."


async def test_changes_of_one_call_are_undone_in_reverse_order(room, lamps):
    here = room(*lamps.tools(), script=[[call("light_all")], [call("undo")]])
    await here.say("light them all")

    assert await here.say("undo") == "↩ Undone: hall is dark\n↩ Undone: desk is dark"


async def test_the_calls_of_one_message_are_undone_together(room, lamps):
    both = [call("light", lamp="desk"), call("light", lamp="hall")]
    here = room(*lamps.tools(), script=[[call("light", lamp="attic")], both, [call("undo")]])
    await here.say("light the attic")
    await here.say("light desk and hall")
    await here.say("undo")

    assert lamps.lit == ["attic"]


@pytest.mark.parametrize("other", [{"sender": "bob"}, {"chat": "work"}])
async def test_changes_of_other_people_and_chats_are_not_undone(room, lamps, other):
    here = room(*lamps.tools())
    await here.say("light desk")

    assert await here.say("undo", **other) == "There is nothing of yours to undo here."
    assert lamps.lit == ["desk"]


async def test_change_without_an_inverse_is_named_and_skipped(room, lamps):
    here = room(*lamps.tools())
    await here.say("light desk")
    await here.say("ring")

    assert (await here.say("undo")).startswith("I cannot undo that: ring")
    assert await here.say("undo") == "↩ Undone: desk is dark"


async def test_refused_inverse_is_reported_and_dropped(room, lamps):
    here = room(*lamps.tools())
    await here.say("light desk")
    lamps.refuses = RequestRefused("no_reminders")

    assert await here.say("undo") == "I could not undo that: There are no reminders here."
    assert await here.say("undo") == "There is nothing of yours to undo here."


async def test_failed_inverse_may_be_retried(room, lamps):
    here = room(*lamps.tools())
    await here.say("light desk")
    lamps.refuses = OSError("locked")
    await here.say("undo")
    lamps.refuses = None

    assert await here.say("undo") == "↩ Undone: desk is dark"


async def test_inverse_cannot_be_called_directly(room, lamps):
    here = room(*lamps.tools())
    lamps.lit.append("desk")
    result = await here.dispatch(call("dark", lamp="desk"))

    assert "no tool named 'dark'" in result.error
    assert "dark" not in [spec.name for spec in (await here.turn(here.message())).tools]


async def test_last_twenty_changes_are_stored(room, lamps):
    here = room(*lamps.tools())
    for number in range(25):
        await here.say(f"light lamp{number}")
    answers = [await here.say("undo") for _ in range(21)]

    assert answers[19] == "↩ Undone: lamp5 is dark"
    assert answers[20] == "There is nothing of yours to undo here."


async def test_change_of_an_agents_call_is_stored_once(room, lamps):
    here = room(*lamps.tools())
    task = await here.dispatch(call("light", lamp="desk"))

    @tool_function(name="helper")
    async def helper(ctx: CallContext) -> ToolResult:
        """Stand for an agent."""
        spawned = SpawnedTask(agent="helper", request="", answer="", steps=(), ok=True)
        return ToolResult(ok=True, text="done", receipts=task.receipts, spawned=spawned)

    here.router.registry.register(helper)
    await here.dispatch(call("helper"))
    await here.say("undo")

    assert await here.say("undo") == "There is nothing of yours to undo here."


async def test_change_that_could_not_be_stored_is_still_reported(room, lamps):
    class Broken:
        async def get(self, key):
            raise OSError("disk full")

        async def set(self, key, value, *, keep):
            raise OSError("disk full")

    here = room(*lamps.tools())
    here.policy.change_log._state = Broken()
    result = await here.dispatch(call("light", lamp="desk"))

    assert result.ok


@pytest.mark.parametrize("outcome", [{"is_unchanged": True, "text": "it is off"}, {"ending": "answered"}])
async def test_call_without_a_change_is_not_undone_before_the_last_change(room, lamps, outcome):
    @tool_function(returns="reply", changes_state=True, undo="dark", examples=["is it on"])
    async def ask() -> ToolResult:
        """Tell whether it is on."""
        return ToolResult(ok=True, **outcome)

    here = room(*lamps.tools(), ask)
    await here.say("light desk")
    await here.say("is it on")

    assert await here.say("undo") == "↩ Undone: desk is dark"


async def talk(*texts):
    """Return the answers of a new bot to `texts`; an empty one presses the last button of the first answer."""
    clock = StandingClock(NOON)
    platform = FakePlatform(clock)
    settings = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False), plugins=NO_PLUGINS)
    async with build_app(settings, platforms=[platform], clock=clock, database=Database("sqlite://")):
        for text in texts:
            await platform.say(text or platform.sent[0][1].choices[-1].says, is_private=True)
    return platform.texts


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("my time zone is Berlin", "my time zone is Tokyo"),
        ("quiet hours 22 to 7", "quiet hours 23 to 6"),
        ("keep messages for 7 days", "keep messages for 3 days"),
    ],
)
async def test_setting_is_not_undone_by_its_button_after_it_was_set_again(first, second):
    assert (await talk(first, second, ""))[-1].startswith("It has been changed again since then.")


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        ("resume the tea reminder", "is not paused"),
        ("me too for the tea reminder", "already reminds you"),
        ("done with tea", "already done"),
        ("forget all notes", "I remember nothing"),
    ],
)
async def test_request_that_changed_nothing_is_not_undone(request_text, answer):
    texts = await talk("remind me every day at 9 to drink tea", request_text, "undo")

    assert answer in texts[1]
    assert texts[2] == "↩ Took back “drink tea”: it is no longer set."


async def test_request_for_several_that_changed_nothing_is_not_undone():
    daily = ("remind me every day at 9 to drink tea", "remind me every day at 8 to eat")
    texts = await talk(*daily, "resume both", "undo")

    assert texts[2].count("is not paused") == 2
    assert texts[3] == "↩ Took back “eat”: it is no longer set."


@pytest.mark.parametrize(("name", "words"), [("tea", "drink tea"), ("eat", "eat")])
async def test_answer_for_several_begins_with_the_change_that_an_undo_names(name, words):
    daily = ("remind me every day at 9 to drink tea", "remind me every day at 8 to eat")
    texts = await talk(*daily, f"pause the {name} reminder", "resume both")

    assert texts[3].startswith("▶ Resumed")
    assert words in texts[3].splitlines()[0]
    assert "is not paused" in texts[3]
