"""A plugin whose file changes while the bot runs."""

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


async def test_a_new_version_takes_the_place_of_the_old_one(house):
    house.write("dice", DICE)
    async with house.running():
        house.write("dice", BETTER)
        await house.watch.look()
        answer = await house.say("throw the dice")

    assert answer == "a 6"


async def test_the_schema_difference_is_told(house):
    house.write("dice", DICE)
    async with house.running():
        house.write("dice", BETTER)
        await house.watch.look()

    (told,) = house.told
    assert told.error == ""
    assert told.changes == ('~ throw_dice: + sides {"default": 6, "type": "integer"}',)


@pytest.mark.parametrize("broken", ["def broken(:", BETTER.replace("throw_dice", "reminder_set")])
async def test_the_old_version_stays_when_the_new_one_fails(house, broken):
    house.write("dice", DICE)
    async with house.running():
        house.write("dice", broken)
        await house.watch.look()
        answer = await house.say("throw the dice")

    assert answer == "a four"
    assert house.told[0].error


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


async def test_a_plugin_with_an_inverse_of_its_own_is_exchanged_too(house):
    house.write("lamp", LAMP)
    async with house.running():
        house.write("lamp", LAMP.replace("is off", "is dark"))
        await house.watch.look()
        told = await house.say("light the hall"), await house.say("undo")

    assert house.told[0].error == ""
    assert told == ("the hall is on\n   (say “undo” to take it back)", "↩ Undone: the hall is dark")


async def test_a_newer_version_that_undoes_with_nothing_is_refused(house):
    house.write("lamp", LAMP)
    async with house.running():
        house.write("lamp", LAMP.replace('undo="dark"', 'undo="drak"'))
        await house.watch.look()
        answer = await house.say("light the hall")

    assert "lamp.py:5" in house.told[0].error
    assert "undo='drak' is no function. Write undo='dark'." in house.told[0].error
    assert answer.startswith("the hall is on")


async def test_a_version_that_works_again_is_taken(house):
    house.write("dice", "def broken(:")
    async with house.running():
        house.write("dice", DICE)
        await house.watch.look()
        answer = await house.say("throw the dice")

    assert answer == "a four"


async def test_a_new_file_is_a_new_plugin_and_a_deleted_one_is_gone(house):
    async with house.running():
        path = house.write("dice", DICE)
        await house.watch.look()
        before = await house.say("throw the dice")
        path.unlink()
        await house.watch.look()
        after = await house.say("throw the dice")

    assert before == "a four"
    assert "four" not in after


async def test_hooks_and_listeners_of_the_old_version_leave_with_it(house):
    hooked = """
        from msgspec.structs import replace


        def setup(add):
            add.tool_hooks.after.append(lambda call, context, result: replace(result, text=result.text + " old"))
        """
    house.write("dice", DICE)
    house.write("hook", hooked)
    async with house.running():
        house.write("hook", hooked.replace(" old", " new"))
        await house.watch.look()
        answer = await house.say("throw the dice")

    assert answer == "a four new"


async def test_files_that_stay_as_they_are_are_left_alone(house):
    house.write("dice", DICE)
    async with house.running():
        await house.watch.look()

    assert house.told == []
