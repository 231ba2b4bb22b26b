import pytest

from bot.settings import RouterSettings

ANN, LIN = {"name": "Ann"}, {"name": "Lin"}


async def made(api, text="remind me in 10 minutes to stretch"):
    answer = await api.post("/api/reminders", params=ANN, json={"text": text})
    assert answer.status_code == 201
    return answer.json()


@pytest.mark.parametrize("text", ["remind me in 10 minutes to stretch", "提醒我10分钟后伸展", "in 10 minutes stretch"])
async def test_a_reminder_is_set_from_words(api, text):
    reminder = await made(api, text)

    assert reminder["status"] == "active"
    assert reminder["created_by"] == "ann"
    assert [each["id"] for each in (await api.get("/api/reminders")).json()["reminders"]] == [reminder["id"]]


async def test_a_reminder_is_set_from_fields(api):
    fields = {"content": "tea", "time": "09:00", "type": "weekly", "weekday": 0}
    reminder = (await api.post("/api/reminders", params=ANN, json=fields)).json()

    assert (reminder["text"], reminder["start"][11:]) == ("tea", "09:00")
    assert reminder["repeat"].startswith("FREQ=WEEKLY")
    assert set(reminder["repeat_words"]) == {"en", "zh"}


async def test_what_comes_once_and_again_until_it_is_done_is_told_in_words(api):
    await made(api, "remind me in 10 minutes to take my pills until i say done")

    [reminder] = (await api.get("/api/reminders")).json()["reminders"]

    assert reminder["repeat_words"] == {"en": "every 10 minutes until done", "zh": "每 10 分钟，直到做完"}


@pytest.mark.parametrize(
    "body", [{}, {"text": "hello"}, {"content": "x"}, {"text": "a", "content": "b", "time": "09:00"}, {"odd": 1}]
)
async def test_what_names_no_reminder_is_refused(api, body):
    answer = await api.post("/api/reminders", params=ANN, json=body)

    assert answer.status_code == 422
    assert answer.json()["code"] in {"invalid", "reminder_not_understood"}


async def test_a_time_in_the_past_is_refused_with_its_reason(api):
    answer = await api.post("/api/reminders", params=ANN, json={"content": "x", "time": "2020-01-01 09:00"})

    assert answer.status_code == 422
    assert answer.json()["detail"]


async def test_the_same_idempotency_key_sets_one_reminder(api):
    for _ in range(2):
        headers = {"Idempotency-Key": "k1"}
        await api.post("/api/reminders", params=ANN, json={"text": "remind me in 10 minutes to eat"}, headers=headers)

    assert len((await api.get("/api/reminders")).json()["reminders"]) == 1


async def test_others_cannot_change_it(api):
    reminder = await made(api)

    answer = await api.patch(f"/api/reminders/{reminder['id']}", params=LIN, json={"text": "evil"})

    assert answer.status_code == 403
    assert "Ann" in answer.json()["detail"]


async def test_it_is_changed_put_off_paused_resumed_deleted_and_restored(api):
    address = f"/api/reminders/{(await made(api))['id']}"

    changed = (await api.patch(address, params=ANN, json={"text": "walk"})).json()
    put_off = (await api.post(f"{address}/snooze", params=ANN, json={"minutes": 60})).json()
    paused = (await api.post(f"{address}/pause", params=ANN)).json()
    resumed = (await api.post(f"{address}/resume", params=ANN)).json()
    deleted = (await api.delete(address, params=ANN)).json()
    restored = (await api.post(f"{address}/restore", params=ANN)).json()

    assert changed["text"] == "walk"
    assert put_off["due_at"] > changed["due_at"]
    assert [each["status"] for each in (paused, resumed, deleted, restored)] == [
        "paused",
        "active",
        "cancelled",
        "active",
    ]


async def test_the_last_change_is_taken_back(api):
    reminder = await made(api)

    await api.post("/api/reminders/undo", params=ANN)

    assert (await api.get("/api/reminders")).json()["reminders"] == []
    assert reminder["status"] == "active"


async def test_an_unknown_reminder_is_not_found(api):
    await made(api)

    for answer in (
        await api.delete("/api/reminders/zzzzzz", params=ANN),
        await api.post("/api/reminders/zzzzzz/restore", params=ANN),
    ):
        assert answer.status_code == 404


async def test_a_calendar_is_read_with_its_secret_address_until_that_is_taken_back(api):
    await made(api)
    path = (await api.post("/api/reminders/feed")).json()["path"]

    calendar = await api.get(path)
    revoked = (await api.delete("/api/reminders/feed")).json()
    after = await api.get(path)

    assert calendar.headers["content-type"].startswith("text/calendar")
    assert "SUMMARY:stretch" in calendar.text
    assert revoked == {"count": 1}
    assert after.status_code == 404


async def test_changes_of_reminders_have_the_pace_of_messages(api_of):
    api = await api_of(router=RouterSettings(messages_per_minute=3))
    statuses = [
        (
            await api.post("/api/reminders", params=ANN, json={"text": f"remind me in 10 minutes to do {number}"})
        ).status_code
        for number in range(5)
    ]
    other = await api.post("/api/reminders", params=LIN, json={"text": "remind me in 10 minutes to eat"})

    assert statuses == [201, 201, 201, 429, 429]
    assert other.status_code == 201
