"""spawn: a sub-agent that works in the workspace."""

from bot.testing.in_memory import build_in_memory
from bot.testing.models import ScriptedInterpreter, ScriptedModel, completion, requested
from bot.tools.stored.runner import RunLimits
from bot.tools.workspace.files import Workspace
from bot.tools.workspace.functions import WorkspaceFunctions, workspace_functions
from function_calls.tools.calls import ToolCall
from services.call_log.service import CallLog

TASK = "read notes.txt and say what it is about"


async def spawn(rig, model, *, sender):
    """Return the record of the call, made for `sender`."""
    tool = WorkspaceFunctions(Workspace(rig.files), RunLimits()).spawn(model)
    script = [[ToolCall(id="1", name="spawn", arguments={"request": TASK})], "done"]
    async with build_in_memory(
        rig.settings(folder=""),
        platforms=[rig.platform],
        functions=[tool],
        interpreter=ScriptedInterpreter(script),
        clock=rig.clock,
    ) as app:
        message = await rig.platform.say("please", sender=sender, is_private=True)
        (call,) = await app.services.get(CallLog).of_message(message.address, message.id)
    return call


async def test_sub_agent_works_with_the_functions_and_its_work_is_recorded(rig):
    (rig.files / "notes.txt").write_text("tea", encoding="utf-8")
    model = ScriptedModel([completion("", requested("read_file", path="notes.txt")), completion("It is about tea.")])

    task = (await spawn(rig, model, sender="ann"))["spawn_task"]

    assert (task["agent"], task["request"], task["answer"]) == ("spawn", TASK, "It is about tea.")
    assert [(call["name"], call["result"]) for call in task["tool_calls"]] == [
        ("read_file", "[File: notes.txt | Lines: 1]\n   1| tea")
    ]


async def test_others_than_owners_are_refused(rig):
    assert (await spawn(rig, ScriptedModel([]), sender="bob"))["status"] == "denied"


def test_without_a_model_it_is_not_offered(rig):
    assert [type(each).__name__ for each in workspace_functions(rig.settings(), None)] == ["WorkspaceFunctions"]
    assert len(workspace_functions(rig.settings(), ScriptedModel([]))) == 2
