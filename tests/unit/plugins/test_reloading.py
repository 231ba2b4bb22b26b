"""A plugin whose file changes while the bot runs."""

import asyncio

import pytest

from tests.unit.plugins.conftest import DICE

pytestmark = pytest.mark.looptime

BETTER = '''
    from function_calls.registry import tool_function


    @tool_function(returns="reply", examples=("throw the dice",))
    async def throw_dice(sides: int = 6) -> str:
        """Throw the dice."""
        return f"a {sides}"
    '''


async def test_new_version_replaces_the_old_one(rig):
    rig.write("dice", DICE)
    async with rig.running():
        rig.write("dice", BETTER)
        await rig.watch.check()
        answer = await rig.say("throw the dice")

    assert answer == "a 6"


async def test_schema_difference_is_reported(rig):
    rig.write("dice", DICE)
    async with rig.running():
        rig.write("dice", BETTER)
        await rig.watch.check()

    (report,) = rig.reports
    assert report.error == ""
    assert report.changes == ('~ throw_dice: + sides {"default": 6, "type": "integer"}',)


@pytest.mark.parametrize("broken", ["def broken(:", BETTER.replace("throw_dice", "reminder_set")])
async def test_the_old_version_stays_when_the_new_one_fails(rig, broken):
    rig.write("dice", DICE)
    async with rig.running():
        rig.write("dice", broken)
        await rig.watch.check()
        answer = await rig.say("throw the dice")

    assert answer == "a four"
    assert rig.reports[0].error


LAMP = """
    from function_calls.registry import tool_function


    @tool_function(returns="reply", undo="dark", examples=("light {lamp}",))
    async def light(lamp: str) -> str:
        \"\"\"Switch a lamp on.\"\"\"
        return f"{lamp} is on"


    @tool_function(returns="reply", is_only_for_undo=True)
    async def dark(lamp: str) -> str:
        \"\"\"Switch it off again.\"\"\"
        return f"{lamp} is off"
    """


async def test_plugin_with_its_own_inverse_is_replaced_too(rig):
    rig.write("lamp", LAMP)
    async with rig.running():
        rig.write("lamp", LAMP.replace("is off", "is dark"))
        await rig.watch.check()
        answers = await rig.say("light the hall"), await rig.say("undo")

    assert rig.reports[0].error == ""
    assert answers == ("the hall is on", "↩ Undone: the hall is dark")


async def test_new_version_with_an_invalid_inverse_is_refused(rig):
    rig.write("lamp", LAMP)
    async with rig.running():
        rig.write("lamp", LAMP.replace('undo="dark"', 'undo="drak"'))
        await rig.watch.check()
        answer = await rig.say("light the hall")

    assert "lamp.py:5" in rig.reports[0].error
    assert "undo='drak' is no function. Write undo='dark'." in rig.reports[0].error
    assert answer.startswith("the hall is on")


async def test_a_version_that_works_again_is_taken(rig):
    rig.write("dice", "def broken(:")
    async with rig.running():
        rig.write("dice", DICE)
        await rig.watch.check()
        answer = await rig.say("throw the dice")

    assert answer == "a four"


async def test_new_file_is_loaded_as_a_plugin_and_a_deleted_one_is_unloaded(rig):
    async with rig.running():
        path = rig.write("dice", DICE)
        await rig.watch.check()
        before = await rig.say("throw the dice")
        path.unlink()
        await rig.watch.check()
        after = await rig.say("throw the dice")

    assert before == "a four"
    assert "four" not in after


async def test_hooks_and_listeners_of_the_old_version_leave_with_it(rig):
    hooked = """
        from msgspec.structs import replace


        def setup(add):
            add.tool_hooks.after.append(lambda call, context, result: replace(result, text=result.text + " old"))
        """
    rig.write("dice", DICE)
    rig.write("hook", hooked)
    async with rig.running():
        rig.write("hook", hooked.replace(" old", " new"))
        await rig.watch.check()
        answer = await rig.say("throw the dice")

    assert answer == "a four new"


async def test_unchanged_files_are_not_reloaded(rig):
    rig.write("dice", DICE)
    async with rig.running():
        await rig.watch.check()

    assert rig.reports == []


async def test_new_limit_of_concurrent_calls_holds_after_a_reload(rig):
    busy = """
        import asyncio

        from function_calls.registry import tool_function

        running = most = 0


        @tool_function(returns="reply", max_concurrent=1, examples=("throw the dice",))
        async def throw_dice() -> str:
            \"\"\"Throw the dice.\"\"\"
            global running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(1)
            running -= 1
            return f"{most} at once"
        """

    async def throw_twice():
        say = rig.platform.say
        await asyncio.gather(*(say("throw the dice", chat=chat, is_private=True) for chat in ("ann", "bob")))
        return rig.platform.texts[-1]

    rig.write("dice", busy)
    async with rig.running():
        before = await throw_twice()
        rig.write("dice", busy.replace("max_concurrent=1", "max_concurrent=2"))
        await rig.watch.check()

        assert (before, await throw_twice()) == ("1 at once", "2 at once")
