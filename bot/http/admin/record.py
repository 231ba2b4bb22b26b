"""`/api/admin`: list calls, messages and turns of every chat from the call log."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from bot.http.admin.bodies import (
    CallEntry,
    CallPage,
    MessageEntry,
    MessagePage,
    Status,
    TurnEntry,
    TurnPage,
    TurnWithCalls,
)
from bot.http.core.bodies import as_json
from bot.http.core.context import Context
from bot.http.core.errors import HttpRefused
from bot.http.security.auth import needs
from bot.platforms.web.frames import format_instant
from function_calls.language.recurrence_text import rules_in_words
from services.call_log.model import CallRecord, parse_json
from services.call_log.service import CallLog
from services.kernel.chat import ChatAddress
from services.storage.messages.pages import MessageFilter
from services.storage.records.activity import CallFilter

BEFORE = Annotated[int | None, Query(ge=0, le=2**62, description="`next` of the page before.")]
LIMIT = Annotated[int, Query(ge=1, le=200)]
TEXT = Annotated[str, Query(max_length=200, description="Words that it contains.")]
CHAT = Annotated[str | None, Query(max_length=300, description="`platform:id` of a chat.")]
_CHAT = Annotated[str, Path(max_length=300, pattern=r"^[^:]+:.+$", examples=["web:lobby"])]

routes = APIRouter(prefix="/api/admin", tags=["admin"], dependencies=[Depends(needs("admin"))])


@routes.get("/tool-calls")
async def tool_calls(
    context: Context,
    q: TEXT = "",
    tool: Annotated[str | None, Query(max_length=200)] = None,
    status: Annotated[Status | None, Query()] = None,
    chat: CHAT = None,
    person: Annotated[str | None, Query(max_length=200)] = None,
    before: BEFORE = None,
    limit: LIMIT = 50,
) -> CallPage:
    """List the tool calls of all chats and interfaces, latest first."""
    await context.app.services.get(CallLog).drain()
    criteria = CallFilter(tool=tool, status=status, chat_key=chat, person_id=person, text=q)
    found = await context.activity.calls(criteria, before=before, limit=limit)
    next_page = str(found[-1].number) if len(found) == limit else None
    return CallPage(items=[_call(each.call) for each in found], next=next_page)


@routes.get("/messages")
async def messages(
    context: Context,
    q: TEXT = "",
    chat: CHAT = None,
    person: Annotated[str | None, Query(max_length=200)] = None,
    before: BEFORE = None,
    limit: LIMIT = 50,
) -> MessagePage:
    """List the messages of all chats, latest first."""
    criteria = MessageFilter(chat_key=chat, person=person, text=q)
    found = await context.messages.latest(criteria, before=before, limit=limit)
    next_page = str(found[-1].number) if len(found) == limit else None
    return MessagePage(items=[MessageEntry.model_validate(each.message) for each in found], next=next_page)


@routes.get("/turns")
async def turns(
    context: Context, q: TEXT = "", chat: CHAT = None, before: BEFORE = None, limit: LIMIT = 50
) -> TurnPage:
    """List the interpreted messages of all chats, latest first."""
    await context.app.services.get(CallLog).drain()
    found = await context.activity.turns(chat_key=chat, text=q, before=before, limit=limit)
    next_page = str(found[-1].number) if len(found) == limit else None
    return TurnPage(items=[TurnEntry.model_validate(each.turn) for each in found], next=next_page)


@routes.get("/turns/{chat}/{message_id}")
async def turn(chat: _CHAT, message_id: Annotated[str, Path(max_length=300)], context: Context) -> TurnWithCalls:
    """Return one turn with its calls."""
    log = context.app.services.get(CallLog)
    found = await log.turn(message_id, ChatAddress.of_key(chat))
    if found is None:
        raise HttpRefused(404, "not_found")
    calls = [_call(each) for each in await log.calls_of(found)]
    return TurnWithCalls(turn=TurnEntry.model_validate(found), calls=calls)


def _call(call: CallRecord) -> CallEntry:
    return CallEntry(
        id=call.id,
        name=call.tool_name,
        arguments=as_json(parse_json(call.arguments)),
        result=call.result,
        error=call.error,
        status=call.status,
        duration=round(call.duration_ms, 1),
        chat=call.address.key,
        message_id=call.message_id,
        user_message=call.user_message,
        person=call.person_id,
        route=call.route,
        model=call.model,
        said=call.said,
        repairs=list(call.repairs),
        receipts=list(call.receipts),
        tokens=call.charge.tokens,
        cost=call.charge.cost,
        spawn_task=None if call.spawn_task is None else as_json(parse_json(call.spawn_task)),
        rule_words=rules_in_words(f"{call.arguments} {call.result or ''} {call.error or ''}"),
        at=format_instant(call.at),
    )
