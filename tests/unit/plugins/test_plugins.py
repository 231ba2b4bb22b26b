"""Plugins: contributions, failures and access."""

import pytest

from function_calls.tools.calls import ToolCall
from tests.unit.plugins.conftest import DICE

pytestmark = pytest.mark.looptime

TAKEN = DICE.replace("throw_dice", "reminder_set")
NO_SCHEMA = DICE.replace("throw_dice()", "throw_dice(*things)")


async def test_a_file_with_a_function_is_a_plugin(rig):
    rig.write("dice", DICE)
    async with rig.running():
        answer = await rig.say("throw the dice")

    assert answer == "a four"


async def test_plugin_adds_its_contributions_in_setup(rig):
    rig.write(
        "polite",
        '''
        from msgspec.structs import replace

        from pydantic import BaseModel

        from function_calls.tools.calls import Reply
        from function_calls.registry import tool_function


        class Options(BaseModel):
            word: str


        class Words:
            def __init__(self, word):
                self.word = word


        @tool_function(returns="reply", examples=("the magic word",))
        async def magic_word(words: Words) -> str:
            """Say the magic word."""
            return words.word


        async def shout(message, call_next):
            await call_next(replace(message, text=message.text.removeprefix("pssst, ")))


        async def ping(turn):
            return Reply(text="pong") if turn.message.text == "/ping" else None


        def setup(add):
            add.services.append(Words(add.settings(Options).word))
            add.functions.append(magic_word)
            add.middlewares.append(shout)
            add.chat_commands.append(ping)
            add.tool_hooks.after.append(lambda call, context, result: replace(result, text=result.text + "!"))
        ''',
    )
    async with rig.running(options={"polite": {"word": "please"}}):
        answers = [await rig.say("pssst, the magic word"), await rig.say("/ping")]

    assert answers == ["please!", "pong"]


async def test_listeners_and_model_hooks_of_plugins_are_asked(rig):
    rig.write(
        "watcher",
        """
        from function_calls.tools.calls import Interpretation

        heard = []


        def remember(event):
            heard.append(event.data["tool"])


        def instead(turn):
            return Interpretation(answer="from the hook") if turn.message.text == "hook" else None


        def setup(add):
            add.listeners.append(("tool.start", remember))
            add.model_hooks.before.append(instead)
            add.services.append(Heard())


        class Heard:
            names = heard
        """,
    )
    async with rig.running(script=[[ToolCall(id="1", name="reminder_list", arguments={})]]) as app:
        assert await rig.say("hook") == "from the hook"
        await rig.say("my reminders")
        (service,) = (
            each
            for plugin in app.plugins.plugins
            for each in plugin.plugin.adds.services
            if type(each).__name__ == "Heard"
        )

    assert service.names == ["reminder_list"]


async def test_job_of_a_plugin_runs_beside_the_bot_and_is_restarted(rig):
    rig.write(
        "news",
        """
        from bot.platforms.base import OutgoingMessage
        from services.kernel.chat import ChatAddress

        tries = []


        async def tell(host):
            tries.append(1)
            if len(tries) < 3:
                raise ConnectionError("no news")
            await host.outbox.send(ChatAddress(platform="fake", chat_id="home"), OutgoingMessage(text="news!"))


        def setup(add):
            add.jobs.append(("news", tell))
        """,
    )
    async with rig.running():
        await rig.say("hello")
        await rig.clock.nap(10)

    assert rig.platform.texts[-1] == "news!"


async def test_a_function_without_the_mark_is_taken_too(rig):
    plain = DICE.replace('@tool_function(returns="reply", examples=("throw the dice", "掷骰子"))', "")
    rig.write("dice", plain + "\n\n    def setup(add):\n        add.functions.append(throw_dice)\n")
    async with rig.running():
        answer = await rig.say("/throw_dice")

    assert answer == "a four"


@pytest.mark.parametrize(
    "text",
    [
        "import no_such_package",
        "def setup(add):\n    raise RuntimeError('boom')",
        "def broken(:",
        "import sys\nsys.exit('no key')",
        "async def setup(add):\n    add.functions.clear()",
        "def setup(add):\n    add.functions.append('dice')",
        TAKEN,
        NO_SCHEMA,
    ],
)
async def test_a_plugin_that_cannot_be_used_is_shown_and_the_others_work(rig, text):
    rig.write("broken", text)
    rig.write("dice", DICE)
    async with rig.running() as app:
        answer = await rig.say("throw the dice")
        errors = {each.plugin.name: bool(each.plugin.error) for each in app.plugins.plugins}
        listing = await rig.say("/plugins")

    assert answer == "a four"
    assert errors == {"broken": True, "dice": False}
    assert "broken does not work at the moment" in listing


async def test_error_of_a_plugin_stops_no_message(rig):
    rig.write("dice", DICE)
    rig.write(
        "failing",
        """
        async def fail(*things):
            raise RuntimeError("boom")


        def setup(add):
            add.middlewares.append(fail)
            add.chat_commands.append(fail)
            add.tool_hooks.after.append(fail)
            add.listeners.append(("*", fail))
            add.model_hooks.before.append(fail)
        """,
    )
    async with rig.running():
        answer = await rig.say("throw the dice")

    assert answer == "a four"


async def test_failing_hook_before_a_tool_stops_the_call(rig):
    rig.write("dice", DICE)
    rig.write(
        "guard",
        """
        async def fail(call, context):
            raise RuntimeError("boom")


        def setup(add):
            add.tool_hooks.before.append(fail)
        """,
    )
    async with rig.running():
        answer = await rig.say("throw the dice")

    assert "four" not in answer


async def test_dictionary_of_a_model_hook_lets_the_turn_pass(rig):
    rig.write(
        "closed",
        """
        def setup(add):
            add.model_hooks.before.append(lambda turn: {"answer": "closed"})
            add.model_hooks.after.append(lambda turn, made: {"answer": "closed"})
        """,
    )
    async with rig.running(script=["It is open."]):
        answer = await rig.say("is it open?")

    assert answer == "It is open."


async def test_wrong_options_name_the_key(rig):
    rig.write(
        "polite",
        """
        from pydantic import BaseModel, ConfigDict


        class Options(BaseModel):
            model_config = ConfigDict(extra="forbid")
            word: str = "please"


        def setup(add):
            add.settings(Options)
        """,
    )
    async with rig.running(options={"polite": {"wrod": "please"}}) as app:
        (plugin,) = app.plugins.plugins

    assert plugin.plugin.error == "settings: plugins.options.polite: wrod is unknown; did you mean word?"


async def test_a_plugin_that_is_disabled_is_not_even_imported(rig):
    rig.write("dice", "raise SystemExit('imported')")
    async with rig.running(disabled=("dice",)) as app:
        assert app.plugins.plugins == ()


async def test_a_chat_switches_a_plugin_off_and_on(rig):
    rig.write("dice", DICE)
    async with rig.running() as app:
        answers = [
            await rig.say("/plugins off dice"),
            await rig.say("throw the dice"),
            await rig.say("/plugins"),
            await rig.say("throw the dice", chat="office"),
            await rig.say("/plugins on dice"),
            await rig.say("throw the dice"),
        ]
        del app

    assert answers[0] == "The plugin dice is off in this chat. /plugins on dice switches it on again."
    assert "four" not in answers[1]
    assert "• dice (off in this chat): throw_dice" in answers[2]
    assert answers[3] == "a four"
    assert answers[5] == "a four"


async def test_only_admins_enable_and_disable_plugins_of_a_chat(rig):
    rig.write("dice", DICE)
    async with rig.running():
        await rig.platform.say("/plugins off dice", sender="bob")

    assert rig.platform.texts == ["Only an admin of this chat may switch plugins on or off."]
