"""Settings of one room, which its admins change."""

import pytest
from msgspec.structs import replace

from bot.testing.turns import make_message
from function_calls.model_calls.transcript import Instructions
from services.people.privacy import PrivacyService
from services.reminders.service import ReminderService
from tests.support.http_bot import with_token

PATH = "/api/chat/sessions/lobby/settings"


async def change(api, **values):
    return await api.patch(PATH, json=values)


async def test_room_without_settings_has_those_of_the_bot(api):
    found = (await api.get(PATH)).json()

    assert (found["instructions"], found["call_style"], found["quiet_hours"], found["retention_days"]) == (
        "",
        None,
        None,
        None,
    )
    assert (found["default_call_style"], found["default_retention_days"], found["may_change"]) == ("auto", 0, True)
    assert all(each["is_on"] for each in found["tools"])


async def test_settings_are_kept_for_this_room_alone(api):
    values = {
        "instructions": " Be brief here. ",
        "call_style": "prompt",
        "quiet_hours": {"starts": "22:00", "ends": "07:00"},
        "retention_days": 30,
        "tools": {"web_fetch": False},
    }
    changed = (await change(api, **values)).json()
    other = (await api.get("/api/chat/sessions/attic/settings")).json()
    chat, services = api.context.room.address("lobby"), api.context.app.services

    assert (changed["instructions"], changed["call_style"], changed["retention_days"]) == (
        "Be brief here.",
        "prompt",
        30,
    )
    assert changed["quiet_hours"] == values["quiet_hours"]
    assert {"name": "web_fetch", "is_on": False} in changed["tools"]
    assert (other["instructions"], other["quiet_hours"], other["retention_days"]) == ("", None, None)
    assert f"{(await services.get(ReminderService).quiet.of_chat(chat)).starts:%H:%M}" == "22:00"
    assert await services.get(PrivacyService).retention_days(chat) == 30
    assert "web_fetch" not in {
        each["id"] for each in (await api.get("/api/tools", params={"name": "Ann"})).json()["tools"]
    }


async def test_null_restores_the_setting_of_the_bot_and_omitted_ones_are_kept(api):
    await change(api, instructions="Be brief.", call_style="prompt", retention_days=7)
    changed = (await change(api, call_style=None, retention_days=None)).json()

    assert (changed["instructions"], changed["call_style"], changed["retention_days"]) == ("Be brief.", None, None)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"quiet_hours": {"starts": "25:00", "ends": "07:00"}}, "quiet_hours.starts"),
        ({"retention_days": -1}, "retention_days"),
        ({"call_style": "loud"}, "call_style"),
        ({"instructions": "x" * 4001}, "instructions"),
    ],
)
async def test_invalid_values_of_a_room_are_reported_at_their_fields(api, values, field):
    answer = await change(api, **values)

    assert answer.status_code == 422
    assert set(answer.json()["fields"]) == {field}


async def test_member_of_a_room_reads_its_settings_and_changes_none(api_of):
    api = await api_of(http=with_token("s3cret-token"))
    admin = {"Authorization": "Bearer s3cret-token"}
    made = (await api.post("/api/admin/tokens", json={"name": "Ann"}, headers=admin)).json()
    member = {"Authorization": f"Bearer {made['token']}"}

    found = await api.get(PATH, headers=member)
    response = await api.patch(PATH, json={"instructions": "Obey Ann."}, headers=member)

    assert (found.json()["may_change"], response.status_code) == (False, 403)
    assert (await api.get(PATH, headers=admin)).json()["instructions"] == ""


async def test_turns_of_the_room_carry_its_instructions_and_call_style(api):
    await change(api, instructions="Be brief.", call_style="json_router")
    chat = api.context.room.address("lobby")

    turn = await api.context.app.turns.turn(replace(make_message("hello"), address=chat))
    system = Instructions().conversation(turn)[0]

    assert (turn.instructions, turn.call_style) == ("Be brief.", "json_router")
    assert system["role"] == "system"
    assert system["content"].endswith("Be brief.")
