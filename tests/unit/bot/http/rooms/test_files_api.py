"""Files in a room: uploads, downloads, limits and deletion."""

import asyncio
import errno
from datetime import timedelta

import pytest

from bot.config.settings import HttpSettings, RouterSettings
from bot.platforms.web import files as files_of_rooms
from bot.testing.models import ScriptedInterpreter
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolCall, ToolResult
from services.history.service import HistoryService
from services.kernel.chat import SentFile
from services.people.privacy import PrivacyService

PICTURE = b"\x89PNG" + bytes(100)
ADDRESS = "/api/chat/sessions/lobby/files"


@pytest.fixture
async def api(api_of, tmp_path):
    return await api_of(files=tmp_path / "files")


async def upload(api, name="desk.png", content=PICTURE):
    return await api.post(ADDRESS, params={"filename": name}, content=content)


async def test_a_picture_is_sent_shown_and_described_in_the_history(api):
    file = (await upload(api)).json()
    body = {"session_id": "lobby", "message": "", "attachments": [file], "client_id": "one"}
    await api.post("/api/chat/send", json=body)

    [entry] = (await api.get("/api/chat/sessions/lobby/log")).json()["messages"]
    [message] = await api.context.app.services.get(HistoryService).recent(api.context.room.address("lobby"))
    picture = await api.get(entry["attachments"][0]["url"])

    assert file["kind"] == "image"
    assert [each.description for each in message.attachments] == ["desk.png"]
    assert (picture.content, picture.headers["content-type"]) == (PICTURE, "image/png")
    assert picture.headers["content-disposition"].startswith("inline")
    assert "sandbox" in picture.headers["content-security-policy"]


async def test_anything_but_a_picture_is_only_downloaded(api):
    file = (await upload(api, "notes.txt", b"<script>alert(1)</script>")).json()

    answer = await api.get(file["url"])

    assert file["kind"] == "file"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("name", "content", "status", "code"),
    [
        ("page.html", b"<p>", 415, "file_type"),
        ("picture.svg", b"<svg>", 415, "file_type"),
        ("none", b"x", 415, "file_type"),
        ("empty.png", b"", 422, "file_empty"),
        ("large.png", bytes(2001), 413, "file_too_large"),
    ],
)
async def test_refused_file_has_a_reason(api_of, tmp_path, name, content, status, code):
    api = await api_of(files=tmp_path, http=HttpSettings(port=0, max_upload_kilobytes=2))

    answer = await upload(api, name, content)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert list(tmp_path.iterdir()) == []


async def test_size_limit_of_files_is_above_that_of_other_requests(api_of, tmp_path):
    api = await api_of(files=tmp_path, http=HttpSettings(port=0, max_body_kilobytes=1, max_upload_kilobytes=5))

    small, large = await upload(api, content=bytes(4000)), await upload(api, content=bytes(6000))
    other = await api.post("/api/chat/send", json={"session_id": "lobby", "message": "x" * 4000})

    assert [each.status_code for each in (small, large, other)] == [201, 413, 413]


async def test_operator_may_disable_uploads(api_of, tmp_path):
    api = await api_of(files=tmp_path, http=HttpSettings(port=0, max_upload_kilobytes=0))

    answer = await upload(api)

    assert (answer.status_code, answer.json()["code"]) == (403, "uploads_off")


async def test_file_is_deleted_with_its_message(api):
    file = (await upload(api)).json()
    body = {"session_id": "lobby", "message": "my desk", "attachments": [file], "name": "Ada"}
    answer = (await api.post("/api/chat/send", json=body)).json()

    await api.delete(f"/api/chat/sessions/lobby/messages/{answer['message_id']}?name=Ada")

    assert (await api.get(file["url"])).status_code == 404


async def test_file_of_another_person_is_not_deleted_with_ones_own_message(api):
    file = (await upload(api)).json()
    body = {"session_id": "lobby", "message": "my desk", "attachments": [file], "name": "Ada"}
    await api.post("/api/chat/send", json=body)
    answer = (await api.post("/api/chat/send", json=body | {"session_id": "other", "name": "Mallory"})).json()

    await api.delete(f"/api/chat/sessions/other/messages/{answer['message_id']}?name=Mallory")

    assert (await api.get(file["url"])).status_code == 200


class Painter:
    @tool_function(returns="reply")
    async def plot(self) -> ToolResult:
        """Draw a plot."""
        plot = SentFile(name="plot.png", media_type="image/png", content=PICTURE)
        return ToolResult(ok=True, text="Here it is.", files=(plot,))


async def test_a_file_of_the_bot_is_shown_with_its_answer(api_of, tmp_path):
    script = ScriptedInterpreter([[ToolCall(id="1", name="plot", arguments={})]])
    api = await api_of(files=tmp_path, interpreter=script, functions=[Painter()])

    response = await api.post("/api/chat/send", json={"session_id": "lobby", "message": "plot it"})
    [attachment] = response.json()["reply"]["attachments"]

    assert attachment["kind"] == "image"
    assert (await api.get(attachment["url"])).content == PICTURE


async def test_files_of_a_forgotten_person_are_deleted_with_messages_and_answers(api_of, tmp_path):
    calls = [[ToolCall(id=name, name=name, arguments={})] for name in ("plot", "forget_me")]
    script = ScriptedInterpreter(["Nice tea.", *calls, "Shall I?"])
    api = await api_of(files=tmp_path / "files", interpreter=script, functions=[Painter()])
    own = (await upload(api)).json()
    others = (await upload(api, "tea.png")).json()
    for who, file, text in (("Ben", others, "my tea"), ("Ada", own, "plot it, please, Bubbles")):
        body = {"session_id": "lobby", "message": text, "attachments": [file], "name": who}
        response = await api.post("/api/chat/send", json=body)
    plot = response.json()["reply"]["attachments"][0]

    for text in ("Bubbles, forget me", "yes, forget me"):
        await api.post("/api/chat/send", json={"session_id": "lobby", "message": text, "name": "Ada"})

    assert [(await api.get(each["url"])).status_code for each in (own, plot, others)] == [404, 404, 200]


async def test_files_are_deleted_with_expired_messages(api):
    file = (await upload(api)).json()
    body = {"session_id": "lobby", "message": "my desk", "attachments": [file]}
    await api.post("/api/chat/send", json=body)
    privacy, now = api.context.app.services.get(PrivacyService), api.context.clock.now()

    await privacy.set_retention_days(api.context.room.address("lobby"), 1)
    await privacy.purge(now)
    before = (await api.get(file["url"])).status_code
    await privacy.purge(now + timedelta(days=2))

    assert (before, (await api.get(file["url"])).status_code) == (200, 404)


async def test_unused_uploads_of_a_person_are_limited(api_of, tmp_path):
    http = HttpSettings(port=0, max_upload_kilobytes=10, max_unused_upload_kilobytes=30)
    api = await api_of(files=tmp_path / "files", http=http)

    answers = await asyncio.gather(*(upload(api, content=bytes(9_000)) for _ in range(10)))
    statuses = sorted(each.status_code for each in answers)
    refusal = next(each for each in answers if each.status_code == 429)

    assert statuses == [201] * 3 + [429] * 7
    assert refusal.json()["code"] == "uploads_unused"
    assert size_of(tmp_path / "files") < 30_000


async def test_files_that_a_message_uses_do_not_count_as_unused(api_of, tmp_path):
    http = HttpSettings(port=0, max_upload_kilobytes=10, max_unused_upload_kilobytes=10)
    api = await api_of(files=tmp_path / "files", http=http)

    for number in range(3):
        response = await upload(api, content=bytes(9_000))
        body = {"session_id": "lobby", "message": "", "attachments": [response.json()], "client_id": f"m{number}"}
        await api.post("/api/chat/send", json=body)

        assert response.status_code == 201


async def test_uploads_count_as_messages_of_the_person(api_of, tmp_path):
    api = await api_of(files=tmp_path / "files", router=RouterSettings(messages_per_minute=2))

    assert [(await upload(api, content=b"x")).status_code for _ in range(3)] == [201, 201, 429]


async def test_upload_without_room_on_the_disk_is_answered_503(api, monkeypatch):
    def write(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files_of_rooms, "_write", write)

    answer = await upload(api)

    assert (answer.status_code, answer.json()["code"]) == (503, "disk_full")


def size_of(folder):
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
