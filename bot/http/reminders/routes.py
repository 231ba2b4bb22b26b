"""`/api/reminders`: list, create and change the reminders of a room."""

import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse
from msgspec.structs import replace
from pydantic import Field, model_validator

from bot.http.core.bodies import IN_ROOM, Answer, Body
from bot.http.core.context import Context, HttpContext
from bot.http.core.errors import ErrorBody, HttpRefused
from bot.http.rooms.calls import Asked, call_tool, succeeded, turn_of
from bot.http.rooms.memberships import RoomReminderViewer, admit
from bot.http.rooms.reminders import (
    ChangedReminderBody,
    ReminderBody,
    reminder_body,
    reminders_named,
    room_reminders,
)
from bot.http.security.auth import NAME
from bot.platforms.web.frames import written
from function_calls.language import recurrence_text
from function_calls.language.messages import LANGUAGES, say
from function_calls.models import ReminderArgs
from function_calls.tools.calls import Interpretation, ToolResult, Turn
from function_calls.tools.dispatch.execution import refusal_text
from function_calls.understanding.reminder_times import nagging, refuse_past, schedule_from, time_reader
from services.kernel.errors import RequestRefused
from services.recurrence.fires import next_fires
from services.reminders.model import ReminderState, row_key
from services.reminders.service import ReminderService

REMINDER_ID = Annotated[str, Path(pattern=r"^[a-z0-9]{1,20}$", examples=["ptc7uz"])]
_PREFIX = {"en": "remind me: ", "zh": "提醒我", "es": "recuérdame "}
_LATELY = timedelta(days=30)
_MOST_LATELY = 200
_MOST_NAMED = 200

routes = APIRouter(tags=["reminders"])


async def _read_caller(
    request: Request, context: Context, viewer: RoomReminderViewer, session_id: IN_ROOM = "lobby", name: NAME = None
) -> Asked:
    """Read who asks for a change; it counts as a message in the room."""
    asked = Asked.of(request, viewer.named(name), session_id)
    admit(context, context.room.address(session_id), asked.viewer.person.id)
    return asked


ForReminders = Annotated[Asked, Depends(_read_caller)]
"""Who asks for something about the reminders of which room."""


class Reminders(Answer):
    """The reminders of a room, soonest first."""

    reminders: list[ReminderBody]


class NewReminderBody(Body):
    """A reminder in words, or in fields."""

    text: str | None = Field(None, max_length=2000, examples=["remind me tomorrow at 9 to call Ann"])
    content: str | None = Field(None, max_length=2000, description="What to be reminded of.")
    time: str | None = Field(None, max_length=100, description="`YYYY-MM-DD HH:MM`, `HH:MM`, or words for a time.")
    type: Literal["once", "daily", "weekly"] = "once"
    weekday: int | None = Field(None, ge=0, le=6, description="With `weekly`: 0 = Monday.")
    rrule: str | None = Field(None, max_length=500, description="A rule of RFC 5545, for other repetitions.")
    person: str | None = Field(None, max_length=100, description="Who is reminded, when it is not who asks.")
    until_done: int | None = Field(None, ge=1, description="Repeat every so many minutes until it is done.")
    urgent: bool | None = Field(None, description="Deliver it in quiet hours too.")

    @model_validator(mode="after")
    def _is_one_or_the_other(self) -> "NewReminderBody":
        if (self.text is None) == (self.content is None or self.time is None):
            raise ValueError("send text, or content and time")
        return self


class PreviewBody(Body):
    """Words that may be a reminder."""

    text: str = Field(min_length=1, max_length=2000, examples=["every Monday at 8 stand-up"])


class ReminderChoice(Answer):
    """One answer to the question: its label, and the body that sets the reminder when it is sent next."""

    label: str
    body: NewReminderBody


class ReminderQuestion(ErrorBody):
    """The words fit several times: `detail` asks which is meant, `choices` are the answers. Nothing was set."""

    choices: list[ReminderChoice]


class ReminderPreview(Answer):
    """A reminder as the words were read: its next fire (UTC) and the words of its rule by language, none for once.

    `due_at` is null where no time is certain: `detail` says why, and `choices` are the times that may be meant.
    """

    text: str = ""
    due_at: str | None = None
    repeat_words: dict[str, str] = Field(default_factory=dict)
    detail: str = ""
    choices: list[ReminderChoice] = Field(default_factory=list)


class ChangeBody(Body):
    """What is to be different about a reminder."""

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
    """For how long, or until when."""

    minutes: int | None = Field(None, ge=1, le=60 * 24 * 366)
    time: str | None = Field(None, max_length=100)


class Undone(Answer):
    """What was taken back, in words."""

    text: str


@routes.get("/api/reminders")
async def listed(
    context: Context,
    _viewer: RoomReminderViewer,
    session_id: IN_ROOM = "lobby",
    state: Annotated[Literal["", "active", "paused", "done"], Query(description="Empty for the open ones.")] = "",
    ids: Annotated[
        list[str] | None, Query(max_length=_MOST_NAMED, description="Only these, open or over.", examples=["ptc7uz"])
    ] = None,
) -> Reminders:
    """Return the open reminders of a room; with `state=done` those that were said lately and are over."""
    chat = context.room.address(session_id)
    if ids is not None:
        return Reminders(reminders=await reminders_named(context, chat, ids))
    if state == "done":
        rows = await context.reminders.lately_sent(chat.key, context.clock.now() - _LATELY, _MOST_LATELY)
        over = [context.finder.public(row) for row in rows if row.state is ReminderState.DONE]
        return Reminders(reminders=[reminder_body(each) for each in over])
    found = await room_reminders(context, chat)
    return Reminders(reminders=[each for each in found if state in {"", each["status"]}])


@routes.post(
    "/api/reminders",
    status_code=201,
    response_model=ChangedReminderBody,
    responses={409: {"model": ReminderQuestion, "description": "Which time is meant? Or a conflict."}},
)
async def create(body: NewReminderBody, context: Context, asked: ForReminders) -> ChangedReminderBody | JSONResponse:
    """Set a reminder, from words as they are said in the chat or from fields.

    Words that fit several times ("tomorrow at 8") are answered with 409 and a choice for each, as the chat asks.
    """
    turn = await turn_of(context, replace(asked, said=body.text or ""))
    arguments = body.model_dump(exclude={"text"}, exclude_none=True) if body.text is None else None
    if arguments is None:
        understood = await _understood(context, turn)
        if isinstance(understood, ReminderQuestion):
            return JSONResponse(understood.model_dump(exclude_none=True), status_code=409)
        arguments = understood
    return await _changed_reminder(context, await call_tool(context, turn, "reminder_set", arguments))


@routes.post("/api/reminders/preview")
async def preview(
    body: PreviewBody,
    request: Request,
    context: Context,
    viewer: RoomReminderViewer,
    session_id: IN_ROOM = "lobby",
    name: NAME = None,
) -> ReminderPreview:
    """Read words as a reminder without setting it, for a form that shows what they mean while they are typed."""
    asked = Asked.of(request, viewer.named(name), session_id, said=body.text)
    turn = await turn_of(context, asked)
    try:
        understood = await _understood(context, turn)
        if isinstance(understood, ReminderQuestion):
            return ReminderPreview(detail=understood.detail, choices=understood.choices)
        args, ctx = ReminderArgs.model_validate(understood), context.app.turns.context(turn, 0)
        schedule = schedule_from(
            args, now=ctx.message_time, zone=ctx.zone, language=ctx.language, times=time_reader(ctx)
        )
        refuse_past(schedule, ctx)
    except HttpRefused as refused:
        return ReminderPreview(detail=refused.problems.get("text", ""))
    except RequestRefused as refused:
        return ReminderPreview(detail=refusal_text(turn.language, refused, ctx.now))
    schedule = nagging(schedule, args.until_done)
    repeats = schedule.rule is not None or schedule.follow_up is not None
    return ReminderPreview(
        text=args.content,
        due_at=written(next_fires(schedule, ctx.now, 1)[0]),
        repeat_words={each: recurrence_text.schedule_words(each, schedule) for each in LANGUAGES} if repeats else {},
    )


@routes.patch("/api/reminders/{reminder_id}")
async def change(
    reminder_id: REMINDER_ID, body: ChangeBody, context: Context, asked: ForReminders
) -> ChangedReminderBody:
    """Change the text or the times of a reminder."""
    arguments = {"reminder_id": reminder_id, "content": body.text} | body.model_dump(exclude={"text"})
    return await _run(context, asked, "reminder_update", arguments)


@routes.post("/api/reminders/{reminder_id}/snooze")
async def snooze(
    reminder_id: REMINDER_ID, body: SnoozeBody, context: Context, asked: ForReminders
) -> ChangedReminderBody:
    """Put a reminder off, or say again later what was said: ten minutes if nothing else is asked."""
    time = f"in {body.minutes} minutes" if body.minutes is not None else body.time
    arguments = {"reminder_id": reminder_id, "time": time}
    return await _run(context, asked, "reminder_snooze", arguments)


@routes.post("/api/reminders/{reminder_id}/pause")
async def pause(reminder_id: REMINDER_ID, context: Context, asked: ForReminders) -> ChangedReminderBody:
    """Keep a reminder silent."""
    return await _change(context, asked, "reminder_state", reminder_id=reminder_id, action="pause")


@routes.post("/api/reminders/{reminder_id}/resume")
async def resume(reminder_id: REMINDER_ID, context: Context, asked: ForReminders) -> ChangedReminderBody:
    """Let a paused reminder fire again."""
    return await _change(context, asked, "reminder_state", reminder_id=reminder_id, action="resume")


@routes.delete("/api/reminders/{reminder_id}")
async def delete(reminder_id: REMINDER_ID, context: Context, asked: ForReminders) -> ChangedReminderBody:
    """Delete a reminder; `restore` takes that back."""
    return await _change(context, asked, "reminder_delete", reminder_id=reminder_id)


@routes.post("/api/reminders/{reminder_id}/restore")
async def restore(reminder_id: REMINDER_ID, context: Context, asked: ForReminders) -> ReminderBody:
    """Take a delete back."""
    chat, reminders = context.room.address(asked.session_id), context.app.services.get(ReminderService)
    restored = await reminders.restore(chat, asked.viewer.person, reminder_id)
    context.room.refresh_reminders(asked.session_id)
    return reminder_body(restored)


@routes.post("/api/reminders/undo")
async def undo(
    context: Context,
    asked: ForReminders,
    change_id: Annotated[str, Query(max_length=40, description="Of the answer to a change, or of a button.")] = "",
) -> Undone:
    """Take back one change of yours in this room, or, without its id, what you changed last, wherever you did."""
    turn = await turn_of(context, asked)
    arguments = {"change_id": change_id} if change_id else {}
    return Undone(text=succeeded(await call_tool(context, turn, "undo", arguments)).text)


async def _run(context: HttpContext, asked: Asked, tool: str, arguments: Mapping[str, object]) -> ChangedReminderBody:
    turn = await turn_of(context, asked)
    given = {key: value for key, value in arguments.items() if value is not None}
    return await _changed_reminder(context, await call_tool(context, turn, tool, given))


async def _change(
    context: HttpContext, asked: Asked, tool: str, *, reminder_id: str, **arguments: str
) -> ChangedReminderBody:
    turn = await turn_of(context, asked)
    result = await call_tool(context, turn, tool, {"reminder_id": reminder_id, **arguments})
    return await _shape(context, reminder_id, succeeded(result))


async def _understood(context: HttpContext, turn: Turn) -> dict[str, object] | ReminderQuestion:
    """Read the words of `turn` as a reminder: the arguments that set it, or the question which time is meant.

    Raises:
        HttpRefused: the words name no reminder, or no time.
    """
    asked = ""
    for prefix in ("", _PREFIX.get(turn.language, _PREFIX["en"])):
        words = _with_words(turn, prefix + turn.message.text)
        read = await context.app.offline.interpret(_in_own_conversation(words))
        arguments = _reminder_in(read)
        if arguments is not None:
            return arguments
        if read.choices:
            return await _question(context, words, read)
        asked = read.answer
    problem = asked or say(turn.language, "http.reminder_not_understood")
    raise HttpRefused(422, "reminder_not_understood", problems={"text": problem})


async def _question(context: HttpContext, turn: Turn, asked: Interpretation) -> ReminderQuestion:
    """Turn the interpreter's question into one whose answers need no memory: each choice is a whole reminder."""
    choices: list[ReminderChoice] = []
    for choice in asked.choices:
        apart = _in_own_conversation(turn)
        await context.app.offline.interpret(apart)
        answered = await context.app.offline.interpret(_with_words(apart, choice.says))
        arguments = _reminder_in(answered)
        if arguments is not None:
            choices.append(ReminderChoice(label=choice.label, body=NewReminderBody.model_validate(arguments)))
    if not choices:
        raise HttpRefused(422, "reminder_not_understood", problems={"text": asked.answer})
    detail = say(turn.language, "http.reminder_time_ambiguous", content=choices[0].body.content)
    return ReminderQuestion(code="reminder_time_ambiguous", detail=detail, hint="", choices=choices)


def _reminder_in(read: Interpretation) -> dict[str, object] | None:
    call = next((each for each in read.calls if each.name == "reminder_set"), None)
    return None if call is None else dict(call.arguments)


def _in_own_conversation(turn: Turn) -> Turn:
    """Put `turn` in a conversation of its own: words of a form neither answer nor replace a question of the chat."""
    address = replace(turn.message.address, chat_id=f"form-{uuid.uuid4().hex}")
    return replace(turn, message=replace(turn.message, address=address))


def _with_words(turn: Turn, words: str) -> Turn:
    return replace(turn, message=replace(turn.message, text=words))


async def _changed_reminder(context: HttpContext, result: ToolResult) -> ChangedReminderBody:
    value = succeeded(result).value
    reminder_id = value.get("id") if isinstance(value, dict) else None
    if not isinstance(reminder_id, str):
        raise HttpRefused(422, "call_failed", why=result.text)
    return await _shape(context, reminder_id, result)


async def _shape(context: HttpContext, reminder_id: str, result: ToolResult) -> ChangedReminderBody:
    key = row_key(reminder_id)
    row = None if key is None else await context.reminders.get(key)
    if row is None:
        raise HttpRefused(404, "not_found")
    changes = [each.change_id for each in result.receipts if each.change_id]
    shape = reminder_body(context.finder.public(row))
    return ChangedReminderBody(**shape, change_id=changes[-1] if changes else None)
