"""Errors over HTTP while the disk is full."""

import json

import pytest

from bot.config.settings import ToolServerSettings

CHINESE = {"Accept-Language": "zh-CN"}
SOURCE = 'class Tools:\n    def greet(self) -> str:\n        """Greet."""\n        return "hi"\n' + "# a word\n" * 1000


def take_no_more(connection):
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


@pytest.fixture
async def full_api(api):
    """Return a client of a bot whose database cannot store anything."""
    await api.context.database.run(take_no_more)
    for number in range(20):  # what is free inside of the pages is used up
        body = {"content": f"{number} " + "x" * 400, "time": "in 3 hours"}
        if (await api.post("/api/reminders?session_id=attic", json=body)).status_code != 201:
            break
    return api


async def say(api, text, **headers):
    return await api.post("/api/chat/send", json={"session_id": "lobby", "message": text}, headers=headers)


async def test_reply_to_a_message_reports_the_full_disk(full_api):
    answer = (await say(full_api, "remind me in 10 minutes to stretch")).json()

    assert "My disk is full" in answer["reply"]["text"]
    assert answer["reply"]["reply_to"] == answer["message_id"]


async def test_last_event_of_a_stream_reports_the_full_disk(full_api):
    stream = (await say(full_api, "10分钟后提醒我伸展", Accept="text/event-stream")).text

    done = json.loads(stream.strip().rpartition("data: ")[2])
    assert "磁盘满了" in done["message"]["text"]
    assert done["message_id"] == done["message"]["id"]


async def test_existing_data_can_be_read(full_api):
    answer = (await say(full_api, "list my reminders")).json()

    assert "disk" not in answer["reply"]["text"]


@pytest.mark.parametrize("is_streamed", [True, False])
async def test_openai_client_gets_the_error_of_the_full_disk(full_api, is_streamed):
    body = {"messages": [{"role": "user", "content": "remind me in 10 minutes to stretch"}], "stream": is_streamed}

    answer = await full_api.post("/v1/chat/completions", json=body)

    assert answer.status_code == 200
    assert "My disk is full" in answer.text


async def test_call_that_cannot_store_fails_with_the_reason(full_api):
    answer = await full_api.post("/api/reminders", json={"text": "10分钟后提醒我伸展"}, headers=CHINESE)

    assert (answer.status_code, answer.json()["code"]) == (503, "disk_full")
    assert "磁盘满了" in answer.json()["detail"]


async def test_tool_that_cannot_store_is_refused_with_the_reason(full_api):
    arguments = {"content": "伸展" * 200, "time": "in 3 hours", "type": "once"}

    answer = await full_api.post("/api/tools/reminder_set/invoke", json={"arguments": arguments}, headers=CHINESE)

    assert (answer.status_code, answer.json()["code"]) == (503, "disk_full")
    assert "磁盘满了" in answer.json()["detail"]


async def test_request_that_must_store_is_refused_with_the_reason(api_of):
    api = await api_of(tool_servers=ToolServerSettings(python_tools=True))
    await api.context.database.run(take_no_more)
    form = {"id": "greeter", "name": "Greeter", "content": SOURCE, "meta": {"description": "Greets"}}

    answer = await api.post("/api/tools/create", json=form, headers=CHINESE)

    assert (answer.status_code, answer.json()["code"]) == (503, "disk_full")
    assert "磁盘满了" in answer.json()["detail"]


async def test_token_that_cannot_be_stored_is_not_returned(full_api):
    given = []
    while (answer := await full_api.post("/api/admin/tokens", json={"name": "Ann"})).is_success:
        given.append(answer.json()["id"])

    body = (await full_api.get("/api/admin/tokens")).json()
    assert (answer.status_code, answer.json()["code"]) == (503, "disk_full")
    assert [each["id"] for each in body["tokens"]] == given


async def test_edit_that_cannot_be_stored_is_refused_and_changes_nothing(api):
    sent = (await api.post("/api/chat/send", json={"session_id": "lobby", "message": "tea"})).json()
    await api.context.database.run(take_no_more)

    path = f"/api/chat/sessions/lobby/messages/{sent['message_id']}"
    answer = await api.patch(path, json={"text": "tea, " * 3000}, headers=CHINESE)

    [message, *_] = (await api.get("/api/chat/sessions/lobby/messages")).json()
    assert (answer.status_code, answer.json()["code"]) == (503, "disk_full")
    assert "磁盘满了" in answer.json()["detail"]
    assert message["content"] == "tea"
