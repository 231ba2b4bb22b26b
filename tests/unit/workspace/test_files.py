"""read_file and write_file, with the schemas and forms of the specification."""

import pytest

from bot.app.application import build_app
from function_calls.tools.calls import ToolCall
from services.call_log.service import CallLog
from services.kernel.errors import ConfigError

NAMES = {"read_file", "write_file", "exec", "memory", "workspace_restore"}


async def test_nothing_is_offered_without_a_folder(rig):
    async with rig.running(folder="") as app:
        assert not NAMES & {tool.name for tool in app.calls.registry}


async def test_folder_in_the_settings_offers_the_functions(rig):
    async with rig.running() as app:
        assert {tool.name for tool in app.calls.registry} >= NAMES


async def test_schema_of_read_file_is_that_of_the_specification(rig):
    async with rig.running() as app:
        schema = app.calls.registry.get("read_file").spec.parameters

    assert {name: each["type"] for name, each in schema["properties"].items()} == {
        "path": "string",
        "paths": "array",
        "start_line": "integer",
        "end_line": "integer",
        "show_line_numbers": "boolean",
    }
    assert schema["oneOf"] == [{"required": ["path"]}, {"required": ["paths"]}]
    assert "required" not in schema


async def test_file_is_read_with_its_number_of_lines_and_line_numbers(rig):
    (rig.files / "README.md").write_text("# CountBot\n\nCountBot is\n", encoding="utf-8")

    call = await rig.call("read_file", path="README.md")

    assert call["result"] == "[File: README.md | Lines: 3]\n   1| # CountBot\n   2| \n   3| CountBot is"


async def test_range_of_lines_is_read(rig):
    (rig.files / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")

    call = await rig.call("read_file", path="a.txt", start_line=2, end_line=3)

    assert call["result"] == "[File: a.txt | Lines: 2-3 of 3]\n   2| two\n   3| three"


async def test_absolute_path_in_the_folder_is_read(rig):
    (rig.files / "a.txt").write_text("one", encoding="utf-8")

    assert "one" in (await rig.call("read_file", path=str(rig.files / "a.txt")))["result"]


async def test_several_files_are_read_at_once_and_a_missing_one_is_reported(rig):
    (rig.files / "a.txt").write_text("one", encoding="utf-8")

    call = await rig.call("read_file", paths=["a.txt", "b.txt"], show_line_numbers=False)

    missing = "[File: b.txt | Error: b.txt cannot be read: No such file or directory]"
    assert call["result"] == f"[File: a.txt | Lines: 1]\none\n\n{missing}"


@pytest.mark.parametrize("arguments", [{}, {"path": "a.txt", "paths": ["a.txt"]}])
async def test_either_path_or_paths_is_given(rig, arguments):
    assert (await rig.call("read_file", **arguments))["status"] == "error"


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "link/secret.txt", "a\x00b", "."])
async def test_path_outside_of_the_folder_is_refused(rig, path):
    (rig.files.parent / "secret.txt").write_text("secret", encoding="utf-8")
    (rig.files / "link").symlink_to(rig.files.parent)

    call = await rig.call("read_file", path=path)

    assert (call["status"], call["result"]) == ("error", None)


async def test_file_is_written_appended_to_and_restored_by_undo(rig):
    file = rig.files / "notes" / "a.txt"
    write = {"path": "notes/a.txt", "content": "one\n"}
    append = {"path": "notes/a.txt", "content": "two\n", "mode": "append"}
    script = [
        [ToolCall(id="1", name="write_file", arguments=write)],
        "written",
        [ToolCall(id="2", name="write_file", arguments=append)],
        "written",
        [ToolCall(id="3", name="undo", arguments={})],
        [ToolCall(id="4", name="undo", arguments={})],
    ]
    seen = []
    async with rig.running(script):
        for text in ("write one", "append two", "undo", "undo"):
            await rig.platform.say(text, is_private=True)
            seen.append(file.read_text(encoding="utf-8") if file.exists() else None)

    assert seen == ["one\n", "one\ntwo\n", "one\n", None]


async def test_line_ends_of_a_file_stay_when_text_is_appended(rig):
    file = rig.files / "a.txt"
    file.write_bytes(b"one\r\ntwo\r\n")
    append = {"path": "a.txt", "content": "three\n", "mode": "append"}
    async with rig.running([[ToolCall(id="1", name="write_file", arguments=append)], "written"]):
        await rig.platform.say("append three", is_private=True)

    assert file.read_bytes() == b"one\r\ntwo\r\nthree\n"


async def test_folder_that_is_full_takes_no_more_files(rig):
    (rig.files / "large").write_bytes(bytes(1_000_000))

    call = await rig.call("write_file", options={"folder_megabytes": 1}, path="a.txt", content="one")

    assert "1 MB together" in call["error"]


@pytest.mark.parametrize("name", ["read_file", "write_file", "exec", "memory"])
async def test_others_than_owners_are_refused(rig, name):
    arguments = {
        "read_file": {"path": "a.txt"},
        "write_file": {"path": "a.txt", "content": ""},
        "exec": {"command": "ls"},
        "memory": {"action": "search"},
    }

    assert (await rig.call(name, sender="bob", **arguments[name]))["status"] == "denied"


@pytest.mark.parametrize("folder", ["data", "data/inside", ".", "data/plugins"])
async def test_folder_with_files_of_the_bot_is_refused(rig, folder):
    settings = rig.settings(folder=str(rig.data.parent / folder))

    with pytest.raises(ConfigError, match="must not contain each other"):
        async with build_app(settings, platforms=[rig.platform]):
            pass


async def test_fact_is_saved_found_and_forgotten_with_one_tool(rig):
    def memory(**arguments):
        return [ToolCall(id="1", name="memory", arguments=arguments)]

    script = [
        memory(action="save", text="the door code is 4711"),
        "saved",
        memory(action="search", text="door"),
        "found",
        memory(action="forget", text="door"),
        "forgotten",
        memory(action="search"),
    ]
    async with rig.running(script) as app:
        records = []
        for text in ("remember it", "search it", "forget it", "search again"):
            message = await rig.platform.say(text, is_private=True)
            records += await app.services.get(CallLog).of_message(message.address, message.id)

    assert [record["status"] for record in records] == ["success"] * 4
    assert "4711" in records[1]["result"]
    assert records[3]["result"] == '{"memories": []}'


async def test_search_of_the_facts_is_no_change_so_the_saved_one_can_be_undone(rig):
    def memory(**arguments):
        return [ToolCall(id="1", name="memory", arguments=arguments)]

    script = [memory(action="save", text="the door code is 4711"), "saved", memory(action="search"), "found"]
    async with rig.running(script) as app:
        for text in ("remember it", "search it", "/undo"):
            message = await rig.platform.say(text, is_private=True)
        records = await app.services.get(CallLog).of_message(message.address, message.id)

    assert [record["status"] for record in records] == ["success"] * 2  # of the undo, and of the call that it made
