"""Reminders over HTTP: creation, changes, occurrences and previews."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.config.settings import RouterSettings

ANN, LIN = {"name": "Ann"}, {"name": "Lin"}


async def add_reminder(api, text="remind me in 10 minutes to stretch"):
    answer = await api.post("/api/reminders", params=ANN, json={"text": text})
    assert answer.status_code == 201
    return answer.json()


@pytest.mark.parametrize("text", ["remind me in 10 minutes to stretch", "提醒我10分钟后伸展", "in 10 minutes stretch"])
async def test_a_reminder_is_set_from_words(api, text):
    reminder = await add_reminder(api, text)

    assert reminder["status"] == "active"
    assert reminder["created_by"] == "ann"
    assert [each["id"] for each in (await api.get("/api/reminders")).json()["reminders"]] == [reminder["id"]]


async def test_a_reminder_is_set_from_fields(api):
    fields = {"content": "tea", "time": "09:00", "type": "weekly", "weekday": 0}
    reminder = (await api.post("/api/reminders", params=ANN, json=fields)).json()

    assert (reminder["text"], reminder["start"][11:]) == ("tea", "09:00")
    assert reminder["repeat"].startswith("FREQ=WEEKLY")
    assert set(reminder["repeat_words"]) == {"en", "zh", "es"}


async def test_single_and_repeating_reminder_is_described_in_words(api):
    await add_reminder(api, "remind me in 10 minutes to take my pills until i say done")

    [reminder] = (await api.get("/api/reminders")).json()["reminders"]

    assert reminder["repeat_words"] == {
        "en": "every 10 minutes until done",
        "zh": "每 10 分钟，直到做完",
        "es": "cada 10 minutos hasta que esté hecho",
    }


@pytest.mark.parametrize(
    "body", [{}, {"text": "hello"}, {"content": "x"}, {"text": "a", "content": "b", "time": "09:00"}, {"odd": 1}]
)
async def test_unknown_reminder_is_refused(api, body):
    answer = await api.post("/api/reminders", params=ANN, json=body)

    assert answer.status_code == 422
    assert answer.json()["code"] in {"invalid", "reminder_not_understood"}


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("tomorrow at 6 take the pills until I say done", ["tomorrow at 06:00", "tomorrow at 18:00"]),
        ("明天6点给妈妈打电话", ["明天 06:00", "明天 18:00"]),
    ],
)
async def test_reminder_in_words_with_ambiguous_hour_asks_as_the_chat_does(api, text, labels):
    response = await api.post("/api/reminders", params=ANN, json={"text": text})

    assert (response.status_code, response.json()["code"]) == (409, "reminder_time_ambiguous")
    assert [each["label"] for each in response.json()["choices"]] == labels
    assert (await api.get("/api/reminders")).json()["reminders"] == []
    second = response.json()["choices"][1]
    reminder = (await api.post("/api/reminders", params=ANN, json=second["body"])).json()
    assert reminder["start"].endswith("18:00")
    assert ("until done" in reminder["repeat_words"].get("en", "")) == ("done" in text)


async def test_question_of_a_form_leaves_the_open_question_of_the_chat_alone(api):
    def sent(text):
        return api.post("/api/chat/send", json={"session_id": "lobby", "name": "Ann", "message": text})

    await sent("remind me tomorrow at 6 to call mum")
    await api.post("/api/reminders", params=ANN, json={"text": "tomorrow at 6 water the ficus"})
    await sent("2")

    [reminder] = (await api.get("/api/reminders")).json()["reminders"]
    assert (reminder["text"], reminder["start"][11:]) == ("call mum", "18:00")


async def test_reminder_in_words_without_time_is_asked_for_it(api):
    answer = await api.post("/api/reminders", params=ANN, json={"text": "call Lin"})

    assert answer.status_code == 422
    assert answer.json()["fields"]["text"] == "When should I remind you of “call Lin”?"


async def test_a_time_in_the_past_is_refused_with_its_reason(api):
    answer = await api.post("/api/reminders", params=ANN, json={"content": "x", "time": "2020-01-01 09:00"})

    assert answer.status_code == 422
    assert answer.json()["detail"]


async def test_the_same_idempotency_key_sets_one_reminder(api):
    for _ in range(2):
        headers = {"Idempotency-Key": "k1"}
        await api.post("/api/reminders", params=ANN, json={"text": "remind me in 10 minutes to eat"}, headers=headers)

    assert len((await api.get("/api/reminders")).json()["reminders"]) == 1


async def test_reminder_of_another_person_cannot_be_changed(api):
    reminder = await add_reminder(api)

    answer = await api.patch(f"/api/reminders/{reminder['id']}", params=LIN, json={"text": "evil"})

    assert answer.status_code == 403
    assert "Ann" in answer.json()["detail"]


async def test_reminder_is_changed_snoozed_paused_resumed_deleted_and_restored(api):
    address = f"/api/reminders/{(await add_reminder(api))['id']}"

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


async def test_last_change_is_undone(api):
    reminder = await add_reminder(api)

    await api.post("/api/reminders/undo", params=ANN)

    assert (await api.get("/api/reminders")).json()["reminders"] == []
    assert reminder["status"] == "active"


async def test_an_unknown_reminder_is_not_found(api):
    await add_reminder(api)

    for answer in (
        await api.delete("/api/reminders/zzzzzz", params=ANN),
        await api.post("/api/reminders/zzzzzz/restore", params=ANN),
    ):
        assert answer.status_code == 404


async def test_calendar_is_read_at_its_secret_address_until_revoked(api):
    await add_reminder(api)
    path = (await api.post("/api/reminders/feed")).json()["path"]

    calendar = await api.get(path)
    revoked = (await api.delete("/api/reminders/feed")).json()
    after = await api.get(path)

    assert calendar.headers["content-type"].startswith("text/calendar")
    assert "SUMMARY:stretch" in calendar.text
    assert revoked == {"count": 1}
    assert after.status_code == 404


async def test_changes_of_reminders_count_for_the_rate_limit_of_messages(api_of):
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


async def occurrences(api, since, until):
    params = {"since": since.isoformat(), "until": until.isoformat()}
    return await api.get("/api/reminders/occurrences", params=params)


async def test_every_occurrence_of_a_range_is_listed(api):
    await add_reminder(api, "every day at 9 remind me to water the ficus")
    now = api.context.clock.now()

    answer = (await occurrences(api, now, now + timedelta(days=40))).json()

    assert [each["at"][11:16] for each in answer["occurrences"]] == ["09:00"] * 40
    assert {(each["text"], each["is_sent"]) for each in answer["occurrences"]} == {("water the ficus", False)}
    assert answer["is_complete"]


async def test_occurrences_of_paused_reminders_are_left_out(api):
    reminder = await add_reminder(api, "every day at 9 remind me to water the ficus")
    await api.post(f"/api/reminders/{reminder['id']}/pause", params=ANN)
    now = api.context.clock.now()

    assert (await occurrences(api, now, now + timedelta(days=7))).json()["occurrences"] == []


async def test_last_day_of_all_has_occurrences_too(api):
    await add_reminder(api, "every day at 9 remind me to water the ficus")
    end = datetime(9999, 12, 31, 12, tzinfo=UTC)

    assert (await occurrences(api, end - timedelta(days=1), end)).status_code == 200


async def test_truncated_list_of_occurrences_is_marked_incomplete(api):
    await add_reminder(api, "remind me every 5 minutes to blink")
    await add_reminder(api, "every day at 9 remind me to water the ficus")
    now = api.context.clock.now()

    answer = (await occurrences(api, now, now + timedelta(days=30))).json()

    assert (len(answer["occurrences"]), answer["is_complete"]) == (2000, False)
    assert {each["text"] for each in answer["occurrences"]} == {"blink", "water the ficus"}


@pytest.mark.parametrize("days", [-1, 367])
async def test_range_that_ends_before_it_begins_or_is_too_long_is_refused(api, days):
    now = api.context.clock.now()

    answer = await occurrences(api, now, now + timedelta(days=days))

    assert (answer.status_code, answer.json()["code"]) == (422, "range_invalid")


@pytest.mark.parametrize(
    ("language", "text", "content", "repeat"),
    [
        ("en", "every Monday at 08:30 stand-up", "stand-up", "every Monday at 08:30"),
        ("zh", "每周一早上8点开站会", "开站会", "每周一 08:00"),
        ("es", "cada lunes a las 08:30 la reunión", "la reunión", "cada lunes a las 08:30"),
        ("en", "in 10 minutes stretch", "stretch", None),
    ],
)
async def test_preview_shows_the_parsed_time_and_sets_nothing(api, language, text, content, repeat):
    headers = {"Accept-Language": language}
    answer = await api.post("/api/reminders/preview", params=ANN, json={"text": text}, headers=headers)

    assert answer.status_code == 200
    preview = answer.json()
    assert preview["text"] == content
    assert preview["repeat_words"].get(language) == repeat
    assert preview["due_at"].endswith("Z")
    assert (await api.get("/api/reminders")).json()["reminders"] == []


async def test_preview_of_ambiguous_words_has_the_choices(api):
    words = {"text": "tomorrow at 6 take the pills"}
    preview = (await api.post("/api/reminders/preview", params=ANN, json=words)).json()

    assert preview["due_at"] is None
    assert [each["label"] for each in preview["choices"]] == ["tomorrow at 06:00", "tomorrow at 18:00"]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("hello", "When should I remind you of “hello”?"),
        ("remind me on 1 January 2020 at 9:00 to sleep", "passed"),
    ],
)
async def test_preview_says_why_no_time_is_certain(api, text, detail):
    preview = (await api.post("/api/reminders/preview", params=ANN, json={"text": text})).json()

    assert (preview["due_at"], preview["choices"]) == (None, [])
    assert detail in preview["detail"]


async def test_previews_do_not_count_as_messages(api_of):
    api = await api_of(router=RouterSettings(messages_per_minute=1))
    words = {"text": "in 10 minutes stretch"}

    codes = [(await api.post("/api/reminders/preview", params=ANN, json=words)).status_code for _ in range(5)]

    assert codes == [200] * 5


async def test_one_occurrence_is_moved_and_moved_back(api):
    fields = {"content": "tea", "time": "09:00", "type": "daily"}
    reminder = (await api.post("/api/reminders", params=ANN, json=fields)).json()
    first, second, third = reminder["next"][:3]
    span = {"since": first, "until": third}
    change = {"time": f"{second[:10]} 15:30", "occurrence": second[:10]}

    moved = await api.patch(f"/api/reminders/{reminder['id']}", params=ANN, json=change)

    assert moved.status_code == 200
    occurrences = (await api.get("/api/reminders/occurrences", params=span)).json()["occurrences"]
    assert f"{second[:10]}T15:30" in [each["at"][:16] for each in occurrences]
    assert second not in [each["at"] for each in occurrences]
    body = await api.post("/api/reminders/undo", params=ANN | {"change_id": moved.json()["change_id"]})
    assert body.status_code == 200
    occurrences = (await api.get("/api/reminders/occurrences", params=span)).json()["occurrences"]
    assert second in [each["at"] for each in occurrences]
    assert f"{second[:10]}T15:30" not in [each["at"][:16] for each in occurrences]


async def test_reminders_are_named_by_their_ids_when_they_are_over_too(api):
    kept, gone = await add_reminder(api), await add_reminder(api, "remind me in 20 minutes to drink")
    await api.delete(f"/api/reminders/{gone['id']}", params=ANN)

    answer = await api.get("/api/reminders", params={"ids": [gone["id"], kept["id"], "zzzzzz", "?"]})

    assert [(each["id"], each["status"]) for each in answer.json()["reminders"]] == [
        (gone["id"], "cancelled"),
        (kept["id"], "active"),
    ]


async def test_reminders_of_another_room_are_not_named_by_their_ids(api):
    reminder = await add_reminder(api)

    answer = await api.get("/api/reminders", params={"ids": [reminder["id"]], "session_id": "kitchen"})

    assert answer.json()["reminders"] == []


async def test_occurrences_at_the_end_of_the_calendar_are_refused(api):
    since = datetime(9999, 12, 31, 12, tzinfo=timezone(timedelta(hours=-14)))
    answer = await occurrences(api, since, since + timedelta(hours=1))

    assert (answer.status_code, answer.json()["code"]) == (422, "range_invalid")
