"""`/api/chat/sessions/{id}/settings`: instructions, call style, tools, quiet hours and retention of a room."""

from datetime import time
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from bot.http.core.bodies import SESSION, Answer, Body
from bot.http.core.context import Context, HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.rooms.calls import tool_viewer
from bot.http.rooms.memberships import RoomViewer
from bot.http.security.auth import ApiViewer
from bot.inbound.turns import parse_call_style
from function_calls.tools.calls import StyleName
from function_calls.tools.policy import CallPolicy
from services.kernel.chat import ChatAddress
from services.people.chat_preferences import MAX_INSTRUCTIONS_LENGTH, ChatPreferences, ChatPreferenceService
from services.people.privacy import MAX_RETENTION_DAYS, PrivacyService
from services.people.zones import ZoneService
from services.reminders.quiet_hours import QuietHours
from services.reminders.service import ReminderService

routes = APIRouter(prefix="/api/chat/sessions", tags=["chat"])

_CLOCK_TIME = r"^([01]\d|2[0-3]):[0-5]\d$"


class QuietHoursBody(Body):
    """Hours in which only urgent reminders are sent; they may span midnight."""

    starts: str = Field(pattern=_CLOCK_TIME, examples=["22:00"])
    ends: str = Field(pattern=_CLOCK_TIME, examples=["07:00"])


class RoomSettingsBody(Body):
    """New settings of a room; fields that are left out stay, null returns to the settings of the bot."""

    instructions: str | None = Field(None, max_length=MAX_INSTRUCTIONS_LENGTH, examples=["Be brief here."])
    call_style: StyleName | None = Field(None, description="Call style of models in the room.")
    quiet_hours: QuietHoursBody | None = None
    retention_days: Annotated[int, Field(ge=0, le=MAX_RETENTION_DAYS)] | None = Field(
        None, description="Days that messages are stored; 0 for ever."
    )
    tools: dict[Annotated[str, Field(max_length=200)], bool] | None = Field(
        None, max_length=500, description="Tools to switch on (true) or off here, by name."
    )


class ToolSwitch(Answer):
    """A tool; `is_on` unless it is switched off in the room."""

    name: str
    is_on: bool


class RoomSettings(Answer):
    """The settings of a room, null if those of the bot apply; `may_change` if you may change them."""

    instructions: str
    call_style: StyleName | None
    quiet_hours: QuietHoursBody | None
    retention_days: int | None
    tools: list[ToolSwitch]
    default_call_style: StyleName
    default_quiet_hours: str
    default_retention_days: int
    has_model: bool
    may_change: bool


@routes.get("/{session_id}/settings")
async def room_settings(session_id: SESSION, context: Context, viewer: RoomViewer) -> RoomSettings:
    """Return the settings of a room."""
    return await _settings_of(context, viewer, session_id)


@routes.patch("/{session_id}/settings")
async def change_room_settings(
    session_id: SESSION, body: RoomSettingsBody, context: Context, viewer: RoomViewer
) -> RoomSettings:
    """Change settings of a room, for its admins and the bot's owners."""
    chat, services = context.room.address(session_id), context.app.services
    if not _may_change(context, viewer, session_id):
        raise HttpRefused(403, "scope_missing", scope="admin")
    given = body.model_fields_set
    if given & {"instructions", "call_style"}:
        await _set_preferences(context, chat, body)
    if "quiet_hours" in given:
        await services.get(ReminderService).quiet.set_for_chat(
            chat, await _to_quiet_hours(context, chat, body.quiet_hours)
        )
    if "retention_days" in given:
        await services.get(PrivacyService).set_retention_days(chat, body.retention_days)
    for name, is_on in (body.tools or {}).items():
        await _policy(context).switches.switch(chat, name, is_on=is_on)
    return await _settings_of(context, viewer, session_id)


async def _to_quiet_hours(context: HttpContext, chat: ChatAddress, given: QuietHoursBody | None) -> QuietHours | None:
    """Convert quiet hours, in the time zone of the chat."""
    if given is None:
        return None
    zone = await context.app.services.get(ZoneService).of_chat(chat)
    return QuietHours(starts=time.fromisoformat(given.starts), ends=time.fromisoformat(given.ends), zone=zone.key)


async def _set_preferences(context: HttpContext, chat: ChatAddress, body: RoomSettingsBody) -> None:
    service = context.app.services.get(ChatPreferenceService)
    before, given = await service.of(chat), body.model_fields_set
    instructions = (body.instructions or "").strip() if "instructions" in given else before.instructions
    call_style = body.call_style or "" if "call_style" in given else before.call_style
    await service.set(chat, ChatPreferences(instructions=instructions, call_style=call_style))


async def _settings_of(context: HttpContext, viewer: ApiViewer, session_id: str) -> RoomSettings:
    chat, services, settings = context.room.address(session_id), context.app.services, context.settings
    preferences = await services.get(ChatPreferenceService).of(chat)
    hours = await services.get(ReminderService).quiet.of_chat(chat)
    return RoomSettings(
        instructions=preferences.instructions,
        call_style=parse_call_style(preferences.call_style),
        quiet_hours=None
        if hours is None
        else QuietHoursBody(starts=f"{hours.starts:%H:%M}", ends=f"{hours.ends:%H:%M}"),
        retention_days=await services.get(PrivacyService).own_retention_days(chat),
        tools=await _tools(context, viewer, session_id),
        default_call_style=settings.model.chat_function_calling.get(chat.key, settings.model.function_calling),
        default_quiet_hours=settings.reminders.quiet_hours,
        default_retention_days=settings.history.retention_days,
        has_model=context.app.interpreters.has_model,
        may_change=_may_change(context, viewer, session_id),
    )


async def _tools(context: HttpContext, viewer: ApiViewer, session_id: str) -> list[ToolSwitch]:
    """List the tools of the room, including those that are switched off."""
    caller = tool_viewer(context, viewer, session_id)
    off = await _policy(context).switches.off_in(caller.chat)
    offered = [spec.name for spec in await context.app.calls.list_specs(caller)]
    return [ToolSwitch(name=name, is_on=name not in off) for name in sorted({*offered, *off})]


def _may_change(context: HttpContext, viewer: ApiViewer, session_id: str) -> bool:
    return "admin" in viewer.scopes or _policy(context).may_switch_tools(tool_viewer(context, viewer, session_id))


def _policy(context: HttpContext) -> CallPolicy:
    policy = context.app.calls.policy
    if policy is None:
        raise RuntimeError("the calls of the bot have no policy")
    return policy
