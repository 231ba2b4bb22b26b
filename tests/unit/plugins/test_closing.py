"""What a plugin has opened is closed when the bot stops, and when a newer version takes its place."""

import asyncio
from pathlib import Path

import pytest

from bot.cli.plugins import plugins

pytestmark = pytest.mark.looptime

OPENING = '''
    from pathlib import Path

    from function_calls.registry import tool_function

    LOG = Path(__file__).with_suffix(".log")


    def closes(name):
        def close():
            with LOG.open("a") as log:
                print(name, file=log)

        return close


    async def closes_late():
        closes("the late one")()


    @tool_function(returns="reply", examples=("throw the dice",))
    async def throw_dice() -> str:
        """Throw the dice."""
        return "a four"


    def setup(add):
        add.functions.append(throw_dice)
        add.on_close.append(closes("the first"))
        add.on_close.append(closes_late)
    '''


def closed(house, name="dice"):
    log = house.folder / f"{name}.log"
    return log.read_text().splitlines() if log.exists() else []


async def test_what_was_opened_last_is_closed_first_once_everything_is_answered(house):
    house.write("dice", OPENING)
    async with house.running():
        answer = await house.say("throw the dice")
        before = closed(house)

    assert answer == "a four"
    assert (before, closed(house)) == ([], ["the late one", "the first"])


@pytest.mark.parametrize("failing", ["lambda: 1 / 0", "exit", "3"])
async def test_one_that_fails_leaves_the_others(house, failing):
    house.write("dice", OPENING + f"    add.on_close.append({failing})\n")
    async with house.running():
        pass

    assert closed(house) == ["the late one", "the first"]


async def test_one_that_never_ends_is_given_up(house):
    endless = OPENING.replace('closes("the late one")()', "import asyncio; await asyncio.Event().wait()")
    house.write("dice", endless)
    async with house.running():
        began = asyncio.get_running_loop().time()
    took = asyncio.get_running_loop().time() - began

    assert closed(house) == ["the first"]
    assert took == pytest.approx(5, abs=0.5)


async def test_what_a_setup_opened_before_it_failed_is_closed(house):
    house.write("dice", OPENING + '    raise RuntimeError("no key")\n    ')
    async with house.running():
        pass

    assert closed(house) == ["the late one", "the first"]


async def test_a_newer_version_closes_the_older_one_and_each_is_closed_once(house):
    house.write("dice", OPENING)
    async with house.running():
        house.write("dice", OPENING.replace("the first", "the newer"))
        await house.watch.look()
        after = closed(house)

    assert after == ["the late one", "the first"]
    assert closed(house) == [*after, "the late one", "the newer"]


async def test_a_version_that_is_not_taken_is_closed_and_the_older_one_stays_open(house):
    house.write("dice", OPENING)
    async with house.running():
        refused = OPENING.replace("the first", "the newer").replace("throw_dice", "reminder_set")
        house.write("dice", refused)
        await house.watch.look()
        after = closed(house)

    assert after == ["the late one", "the newer"]
    assert closed(house) == [*after, "the late one", "the first"]


async def test_what_works_on_until_a_restart_is_not_closed_before(house):
    working = (
        OPENING
        + """    add.jobs.append(("works", work))


    async def work(host):
        await host.clock.nap(3600)
    """
    )
    house.write("dice", working)
    async with house.running():
        house.write("dice", OPENING.replace("the first", "the newer"))
        await house.watch.look()
        after = closed(house)

    assert after == []
    assert sorted(closed(house)) == ["the first", "the late one", "the late one", "the newer"]


async def test_a_plugin_whose_file_is_gone_is_closed(house):
    path = house.write("dice", OPENING)
    async with house.running():
        path.unlink()
        await house.watch.look()
        after = closed(house)

    assert after == closed(house) == ["the late one", "the first"]


def test_a_look_at_the_plugins_leaves_nothing_open(house, tmp_path, capsys):
    house.write("dice", OPENING)
    config = Path(tmp_path / "config.toml")
    config.write_text(f'[plugins]\nfolder = "{house.folder.as_posix()}"\n')
    plugins.callback(config)

    assert "functions: throw_dice" in capsys.readouterr().out
    assert closed(house) == ["the late one", "the first"]
