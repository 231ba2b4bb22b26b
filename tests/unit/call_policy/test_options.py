"""Options of tools at dispatch: retries, limits, untrusted text and receipts."""

import asyncio
import itertools

import pytest

from function_calls.registry import tool_function
from function_calls.tools.calls import Receipt, ToolResult, UndoStep
from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused, ToolFailed
from tests.unit.call_policy.conftest import call


class Flaky:
    """A function that fails `failures` times before it works."""

    def __init__(self, failures, error):
        self.failures = failures
        self.error = error
        self.tries = 0

    def __call__(self):
        self.tries += 1
        if self.tries <= self.failures:
            raise self.error
        return "fetched"


def flaky_tool(work, **options):
    @tool_function(name="fetch", **options)
    async def fetch() -> str:
        """Fetch it."""
        return work()

    return fetch


@pytest.mark.looptime
@pytest.mark.parametrize("error", [ToolFailed("down"), RuntimeError("boom")])
async def test_idempotent_tool_is_retried(room, error):
    work = Flaky(2, error)
    result = await room(flaky_tool(work, idempotent=True, retries=2)).dispatch(call("fetch"))

    assert result.text == "fetched"
    assert work.tries == 3


@pytest.mark.looptime
async def test_pause_between_retries_grows(room):
    loop = asyncio.get_running_loop()
    times = []
    work = Flaky(3, ToolFailed("down"))

    def note_time():
        times.append(loop.time())
        return work()

    await room(flaky_tool(note_time, idempotent=True, retries=3)).dispatch(call("fetch"))
    pauses = [round(after - before, 2) for before, after in itertools.pairwise(times)]

    assert pauses == [0.2, 0.4, 0.8]


@pytest.mark.looptime
async def test_retries_are_limited_as_declared(room):
    work = Flaky(5, ToolFailed("down"))
    result = await room(flaky_tool(work, idempotent=True, retries=2)).dispatch(call("fetch"))

    assert not result.ok
    assert work.tries == 3


async def test_refusal_is_not_retried(room):
    work = Flaky(1, RequestRefused("no_reminders"))
    await room(flaky_tool(work, idempotent=True, retries=3)).dispatch(call("fetch"))

    assert work.tries == 1


async def test_state_of_a_failed_attempt_is_not_stored(room):
    tries = []

    @tool_function(idempotent=True, retries=1)
    async def note(ctx: CallContext) -> str:
        """Note it."""
        tries.append(ctx.state.get("half"))
        if len(tries) == 1:
            ctx.state["half"] = "done"
            raise ToolFailed("down")
        return "noted"

    await room(note).dispatch(call("note"))

    assert tries == [None, None]


@pytest.mark.looptime
async def test_parallel_calls_are_limited_as_declared(room):
    running, maximum = 0, 0

    @tool_function(max_concurrent=2)
    async def work() -> str:
        """Work."""
        nonlocal running, maximum
        running += 1
        maximum = max(maximum, running)
        await asyncio.sleep(1)
        running -= 1
        return "worked"

    here = room(work)
    results = await asyncio.gather(*(here.dispatch(call("work")) for _ in range(5)))

    assert maximum == 2
    assert all(result.ok for result in results)


@pytest.mark.looptime
async def test_waiting_for_a_place_uses_up_the_timeout(room):
    @tool_function(max_concurrent=1, timeout=1.5)
    async def work() -> str:
        """Work."""
        await asyncio.sleep(1)
        return "worked"

    here = room(work)
    first, second = await asyncio.gather(here.dispatch(call("work")), here.dispatch(call("work")))

    assert first.ok
    assert second.error == "Tool 'work' timed out after 1.5s"


async def test_results_of_a_tool_that_returns_untrusted_text_are_marked(room):
    @tool_function(returns_untrusted=True)
    async def browse() -> str:
        """Browse."""
        return "a page"

    assert (await room(browse).dispatch(call("browse"))).is_untrusted


async def test_a_change_without_a_receipt_is_given_one(room):
    @tool_function(changes_state=True)
    async def light_on() -> str:
        """Switch the light on."""
        return "on"

    assert (await room(light_on).dispatch(call("light_on"))).receipts == (Receipt(action="light_on", subject=""),)


async def test_an_inverse_named_by_the_options_is_put_into_the_receipt(room):
    @tool_function(undo="light_off")
    async def light_on(lamp: str) -> str:
        """Switch a lamp on."""
        return lamp

    (receipt,) = (await room(light_on).dispatch(call("light_on", lamp="desk"))).receipts

    assert receipt.undo == UndoStep(name="light_off", arguments={"lamp": "desk"})


async def test_an_inverse_may_be_made_from_the_result(room):
    def unfile(arguments, result):
        return UndoStep(name="unfile", arguments={"id": result.value["id"]})

    @tool_function(undo=unfile)
    async def file() -> ToolResult:
        """File it."""
        return ToolResult(ok=True, text="filed", value={"id": 7})

    (receipt,) = (await room(file).dispatch(call("file"))).receipts

    assert receipt.undo == UndoStep(name="unfile", arguments={"id": 7})


async def test_a_failed_change_has_no_receipt(room):
    @tool_function(changes_state=True, undo="light_off")
    async def light_on() -> str:
        """Switch the light on."""
        raise ToolFailed("no power")

    assert (await room(light_on).dispatch(call("light_on"))).receipts == ()
