"""Resources of a plugin, which are closed at a stop or a replacement."""

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


def read_closing_log(rig, name="dice"):
    log = rig.folder / f"{name}.log"
    return log.read_text().splitlines() if log.exists() else []


async def test_resources_close_in_reverse_order(rig):
    rig.write("dice", OPENING)
    async with rig.running():
        answer = await rig.say("throw the dice")
        before = read_closing_log(rig)

    assert answer == "a four"
    assert (before, read_closing_log(rig)) == ([], ["the late one", "the first"])


@pytest.mark.parametrize("failing", ["lambda: 1 / 0", "exit", "3"])
async def test_close_error_does_not_stop_other_plugins(rig, failing):
    rig.write("dice", OPENING + f"    add.on_close.append({failing})\n")
    async with rig.running():
        pass

    assert read_closing_log(rig) == ["the late one", "the first"]


async def test_hanging_close_is_cancelled(rig):
    endless = OPENING.replace('closes("the late one")()', "import asyncio; await asyncio.Event().wait()")
    rig.write("dice", endless)
    async with rig.running():
        start = asyncio.get_running_loop().time()
    took = asyncio.get_running_loop().time() - start

    assert read_closing_log(rig) == ["the first"]
    assert took == pytest.approx(5, abs=0.5)


async def test_resources_of_a_failed_setup_are_closed(rig):
    rig.write("dice", OPENING + '    raise RuntimeError("no key")\n    ')
    async with rig.running():
        pass

    assert read_closing_log(rig) == ["the late one", "the first"]


async def test_a_newer_version_closes_the_older_one_and_each_is_closed_once(rig):
    rig.write("dice", OPENING)
    async with rig.running():
        rig.write("dice", OPENING.replace("the first", "the newer"))
        await rig.watch.check()
        after = read_closing_log(rig)

    assert after == ["the late one", "the first"]
    assert read_closing_log(rig) == [*after, "the late one", "the newer"]


async def test_a_version_that_is_not_taken_is_closed_and_the_older_one_stays_open(rig):
    rig.write("dice", OPENING)
    async with rig.running():
        source = OPENING.replace("the first", "the newer").replace("throw_dice", "reminder_set")
        rig.write("dice", source)
        await rig.watch.check()
        after = read_closing_log(rig)

    assert after == ["the late one", "the newer"]
    assert read_closing_log(rig) == [*after, "the late one", "the first"]


async def test_part_that_works_until_a_restart_is_not_closed_before(rig):
    working = (
        OPENING
        + """    add.jobs.append(("works", work))


    async def work(host):
        await host.clock.nap(3600)
    """
    )
    rig.write("dice", working)
    async with rig.running():
        rig.write("dice", OPENING.replace("the first", "the newer"))
        await rig.watch.check()
        after = read_closing_log(rig)

    assert after == []
    assert sorted(read_closing_log(rig)) == ["the first", "the late one", "the late one", "the newer"]


async def test_plugin_with_a_deleted_file_is_closed(rig):
    path = rig.write("dice", OPENING)
    async with rig.running():
        path.unlink()
        await rig.watch.check()
        after = read_closing_log(rig)

    assert after == read_closing_log(rig) == ["the late one", "the first"]


def test_inspecting_plugins_leaves_nothing_open(rig, tmp_path, capsys):
    rig.write("dice", OPENING)
    config = Path(tmp_path / "config.toml")
    config.write_text(f'[plugins]\nfolder = "{rig.folder.as_posix()}"\n')
    plugins.callback(config)

    assert "functions: throw_dice" in capsys.readouterr().out
    assert read_closing_log(rig) == ["the late one", "the first"]
