"""`/api/reminders`: list, create and change the reminders of a room."""

import uuid
from datetime import timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse
from msgspec.structs import replace
from pydantic import Field, model_validator

from bot.http.core.bodies import IN_ROOM, Answer, Body
from bot.http.core.context import Context, HttpContext
from bot.http.core.errors import ErrorBody, HttpRefused
from bot.http.rooms.calls import Caller, call_tool, caller_with, create_turn, require_success
from bot.http.rooms.memberships import RoomReminderViewer, admit, enter_room
from bot.http.rooms.reminders import (
    ChangedReminderBody,
    ReminderBody,
    reminder_body,
    reminders_by_id,
    room_reminders,
)
from bot.platforms.web.frames import format_instant
from function_calls.language import recurrence_text
from function_calls.language.messages import LANGUAGES, say
from function_calls.models import ReminderArgs
from function_calls.tools.calls import Interpretation, ToolResult, Turn
from function_calls.tools.dispatch.execution import refusal_text
from function_calls.understanding.reminder_times import add_follow_up, refuse_past, schedule_from, time_reader
from services.kernel.errors import RequestRefused
from services.recurrence.fires import next_fires
from services.reminders.model import ReminderState
from services.reminders.service import ReminderService

REMINDER_ID = Annotated[str, Path(pattern=r"^[a-z0-9]{1,20}$", examples=["ptc7uz"])]
_PREFIX = {"en": "remind me: ", "zh": "提醒我", "es": "recuérdame "}
_DONE_WITHIN = timedelta(days=30)
_MAX_DONE_REMINDERS = 200
_MAX_NAMED = 200

routes = APIRouter(tags=["reminders"])


RoomCaller = Annotated[Caller, Depends(caller_with("reminders"))]


async def _admit_caller(context: Context, caller: RoomCaller) -> Caller:
    """Count a change as a message of the caller in the room."""
    await enter_room(context, caller.viewer, caller.session_id)
    admit(context, context.room.address(caller.session_id), caller.viewer.person.id)
    return caller


ReminderCaller = Annotated[Caller, Depends(_admit_caller)]
"""The caller of a request that changes reminders."""


class Reminders(Answer):
    """The reminders of a room, soonest first."""

    reminders: list[ReminderBody]


class NewReminderBody(Body):
    """A reminder in words, or in fields."""

    text: str | None = Field(None, max_length=2000, examples=["remind me tomorrow at 9 to call Ann"])
    content: str | None = Field(None, max_length=2000, description="The text of the reminder.")
    time: str | None = Field(None, max_length=100, description="`YYYY-MM-DD HH:MM`, `HH:MM`, or words for a time.")
    type: Literal["once", "daily", "weekly"] = "once"
    weekday: int | None = Field(None, ge=0, le=6, description="With `weekly`: 0 = Monday.")
    rrule: str | None = Field(None, max_length=500, description="A rule of RFC 5545, for other repetitions.")
    person: str | None = Field(None, max_length=100, description="The person to remind; by default the caller.")
    until_done: int | None = Field(None, ge=1, description="Minutes after which it is repeated until it is done.")
    urgent: bool | None = Field(None, description="Deliver it in quiet hours too.")

    @model_validator(mode="after")
    def _is_one_or_the_other(self) -> "NewReminderBody":
        if (self.text is None) == (self.content is None or self.time is None):
            raise ValueError("send text, or content and time")
        return self


class PreviewBody(Body):
    """Text that may describe a reminder."""

    text: str = Field(min_length=1, max_length=2000, examples=["every Monday at 8 stand-up"])


class ReminderChoice(Answer):
    """An answer to the question: its label, and the body that sets the reminder."""

    label: str
    body: NewReminderBody


class ReminderQuestion(ErrorBody):
    """A question, since the text fits several times; `choices` are the answers. Nothing was set."""

    choices: list[ReminderChoice]


class ReminderPreview(Answer):
    """The reminder that a text describes: its next fire (UTC), and its rule in words by language, none for once.

    `due_at` is null if the time is uncertain: `detail` has the reason, and `choices` are the possible times.
    """

    text: str = ""
    due_at: str | None = None
    repeat_words: dict[str, str] = Field(default_factory=dict)
    detail: str = ""
    choices: list[ReminderChoice] = Field(default_factory=list)


class ChangeBody(Body):
    """New values of a reminder."""

    text: str | None = Field(None, max_length=2000)
    time: str | None = Field(None, max_length=100)
    type: Literal["once", "daily", "weekly"] | None = None
    weekday: int | None = Field(None, ge=0, le=6)
    rrule: str | None = Field(None, max_length=500)
    occurrence: str | None = Field(
        None,
        max_length=100,
        description="The day of the one occurrence to move, `YYYY-MM-DD`.",
        examples=["2026-11-30"],
    )


class SnoozeBody(Body):
    """The minutes to snooze, or the time until which to snooze."""

    minutes: int | None = Field(None, ge=1, le=60 * 24 * 366)
    time: str | None = Field(None, max_length=100)


class Undone(Answer):
    """The text of an undo."""

    text: str


@routes.get("/api/reminders", operation_id="listed_api_reminders_get")
async def list_reminders(
    context: Context,
    _viewer: RoomReminderViewer,
    session_id: IN_ROOM = "lobby",
    state: Annotated[Literal["", "active", "paused", "done"], Query(description="Empty for the open ones.")] = "",
    ids: Annotated[
        list[str] | None, Query(max_length=_MAX_NAMED, description="Only these, open or over.", examples=["ptc7uz"])
    ] = None,
) -> Reminders:
    """List the open reminders of a room; with `state=done` those that were sent in the last 30 days and are done."""
    chat = context.room.address(session_id)
    if ids is not None:
        return Reminders(reminders=await reminders_by_id(context, chat, ids))
    if state == "done":
        rows = await context.reminders.sent_since(chat.key, context.clock.now() - _DONE_WITHIN, _MAX_DONE_REMINDERS)
        done = [context.finder.public(row) for row in rows if row.state is ReminderState.DONE]
        return Reminders(reminders=[reminder_body(each) for each in done])
    found = await room_reminders(context, chat)
    return Reminders(reminders=[each for each in found if state in {"", each["status"]}])


@routes.post(
    "/api/reminders",
    status_code=201,
    response_model=ChangedReminderBody,
    responses={409: {"model": ReminderQuestion, "description": "Which time is meant? Or a conflict."}},
)
async def create(body: NewReminderBody, context: Context, caller: ReminderCaller) -> ChangedReminderBody | JSONResponse:
    """Set a reminder from text, as in the chat, or from fields.

    If the text fits several times ("tomorrow at 8"), the response is 409 with a choice for each.
    """
    turn = await create_turn(context, replace(caller, text=body.text or ""))
    arguments = body.model_dump(exclude={"text"}, exclude_none=True) if body.text is None else None
    if arguments is None:
        interpreted = await _interpret_reminder(context, turn)
        if isinstance(interpreted, ReminderQuestion):
            return JSONResponse(interpreted.model_dump(exclude_none=True), status_code=409)
        arguments = interpreted
    return await _changed_reminder(context, await call_tool(context, turn, "reminder_set", arguments))


@routes.post("/api/reminders/preview")
async def preview(body: PreviewBody, context: Context, caller: RoomCaller) -> ReminderPreview:
    """Interpret text as a reminder without setting it, for a form that shows the result while you type."""
    turn = await create_turn(context, replace(caller, text=body.text))
    try:
        interpreted = await _interpret_reminder(context, turn)
        if isinstance(interpreted, ReminderQuestion):
            return ReminderPreview(detail=interpreted.detail, choices=interpreted.choices)
        args, ctx = ReminderArgs.model_validate(interpreted), context.app.turns.context(turn, 0)
        schedule = schedule_from(
            args, now=ctx.message_time, zone=ctx.zone, language=ctx.language, times=time_reader(ctx)
        )
        refuse_past(schedule, ctx)
    except HttpRefused as refused:
        return ReminderPreview(detail=refused.problems.get("text", ""))
    except RequestRefused as refused:
        return ReminderPreview(detail=refusal_text(turn.language, refused, ctx.now))
    schedule = add_follow_up(schedule, args.until_done)
    repeats = schedule.rule is not None or schedule.follow_up is not None
    return ReminderPreview(
        text=args.content,
        due_at=format_instant(next_fires(schedule, ctx.now, 1)[0]),
        repeat_words={each: recurrence_text.schedule_words(each, schedule) for each in LANGUAGES} if repeats else {},
    )


@routes.patch("/api/reminders/{reminder_id}")
async def change(
    reminder_id: REMINDER_ID, body: ChangeBody, context: Context, caller: ReminderCaller
) -> ChangedReminderBody:
    """Change the text or the times of a reminder."""
    values = body.model_dump(exclude={"text"})
    return await _change(context, caller, "reminder_update", reminder_id, content=body.text, **values)


@routes.post("/api/reminders/{reminder_id}/snooze")
async def snooze(
    reminder_id: REMINDER_ID, body: SnoozeBody, context: Context, caller: ReminderCaller
) -> ChangedReminderBody:
    """Snooze a reminder, or send it again later: by default in ten minutes."""
    time = f"in {body.minutes} minutes" if body.minutes is not None else body.time
    return await _change(context, caller, "reminder_snooze", reminder_id, time=time)


@routes.post("/api/reminders/{reminder_id}/pause")
async def pause(reminder_id: REMINDER_ID, context: Context, caller: ReminderCaller) -> ChangedReminderBody:
    """Pause a reminder."""
    return await _change(context, caller, "reminder_state", reminder_id, action="pause")


@routes.post("/api/reminders/{reminder_id}/resume")
async def resume(reminder_id: REMINDER_ID, context: Context, caller: ReminderCaller) -> ChangedReminderBody:
    """Resume a paused reminder."""
    return await _change(context, caller, "reminder_state", reminder_id, action="resume")


@routes.delete("/api/reminders/{reminder_id}")
async def delete(reminder_id: REMINDER_ID, context: Context, caller: ReminderCaller) -> ChangedReminderBody:
    """Delete a reminder; `restore` undoes it."""
    return await _change(context, caller, "reminder_delete", reminder_id)


@routes.post("/api/reminders/{reminder_id}/restore")
async def restore(reminder_id: REMINDER_ID, context: Context, caller: ReminderCaller) -> ReminderBody:
    """Restore a deleted reminder."""
    chat, reminders = context.room.address(caller.session_id), context.app.services.get(ReminderService)
    restored = await reminders.restore(chat, caller.viewer.person, reminder_id)
    context.room.refresh_reminders(caller.session_id)
    return reminder_body(restored)


@routes.post("/api/reminders/undo")
async def undo(
    context: Context,
    caller: ReminderCaller,
    change_id: Annotated[
        str, Query(max_length=40, description="From the response to a change, or from a button.")
    ] = "",
) -> Undone:
    """Undo one of your changes in this room or, without an id, your last change in any room."""
    turn = await create_turn(context, caller)
    arguments = {"change_id": change_id} if change_id else {}
    return Undone(text=require_success(await call_tool(context, turn, "undo", arguments)).text)


async def _change(
    context: HttpContext, caller: Caller, tool: str, reminder_id: str, **arguments: object
) -> ChangedReminderBody:
    """Call a tool with those of the arguments that are not None, and return the changed reminder."""
    turn = await create_turn(context, caller)
    given = {key: value for key, value in arguments.items() if value is not None}
    result = await call_tool(context, turn, tool, {"reminder_id": reminder_id, **given})
    return await _changed_reminder(context, result, reminder_id)


async def _interpret_reminder(context: HttpContext, turn: Turn) -> dict[str, object] | ReminderQuestion:
    """Interpret the text of `turn` as a reminder; return the arguments that set it, or a question for its time.

    Raises:
        HttpRefused: the text has no reminder, or no time (422).
    """
    answer = ""
    for prefix in ("", _PREFIX.get(turn.language, _PREFIX["en"])):
        prefixed = _with_text(turn, prefix + turn.message.text)
        interpretation = await context.app.interpreters.rules.interpret(_in_own_conversation(prefixed))
        arguments = _reminder_in(interpretation)
        if arguments is not None:
            return arguments
        if interpretation.choices:
            return await _question(context, prefixed, interpretation)
        answer = interpretation.answer
    problem = answer or say(turn.language, "http.reminder_not_understood")
    raise HttpRefused(422, "reminder_not_understood", problems={"text": problem})


async def _question(context: HttpContext, turn: Turn, question: Interpretation) -> ReminderQuestion:
    """Convert a question of the interpreter to one without state: each choice is a complete reminder."""
    choices: list[ReminderChoice] = []
    for choice in question.choices:
        separate = _in_own_conversation(turn)
        await context.app.interpreters.rules.interpret(separate)
        arguments = _reminder_in(await context.app.interpreters.rules.interpret(_with_text(separate, choice.says)))
        if arguments is not None:
            choices.append(ReminderChoice(label=choice.label, body=NewReminderBody.model_validate(arguments)))
    if not choices:
        raise HttpRefused(422, "reminder_not_understood", problems={"text": question.answer})
    detail = say(turn.language, "http.reminder_time_ambiguous", content=choices[0].body.content)
    return ReminderQuestion(code="reminder_time_ambiguous", detail=detail, hint="", choices=choices)


def _reminder_in(interpretation: Interpretation) -> dict[str, object] | None:
    call = next((each for each in interpretation.calls if each.name == "reminder_set"), None)
    return None if call is None else dict(call.arguments)


def _in_own_conversation(turn: Turn) -> Turn:
    """Move `turn` to a new conversation, so that it neither answers nor replaces a question in the chat."""
    address = replace(turn.message.address, chat_id=f"form-{uuid.uuid4().hex}")
    return replace(turn, message=replace(turn.message, address=address))


def _with_text(turn: Turn, text: str) -> Turn:
    return replace(turn, message=replace(turn.message, text=text))


async def _changed_reminder(context: HttpContext, result: ToolResult, changed_id: str = "") -> ChangedReminderBody:
    """Return the reminder that a call created or changed; a result without its id is about `changed_id`."""
    value = require_success(result).value
    row = await context.find_reminder(value.get("id", changed_id) if isinstance(value, dict) else changed_id)
    if row is None:
        raise HttpRefused(404, "not_found")
    changes = [receipt.change_id for receipt in result.receipts if receipt.change_id]
    body = reminder_body(context.finder.public(row))
    return ChangedReminderBody(**body, change_id=changes[-1] if changes else None)
