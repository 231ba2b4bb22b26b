"""Convert turns and calls to rows, and back."""

import json

import msgspec
import sqlalchemy as sa

from services.call_log.model import CallRecord, CompletionRecord, TurnRecord, UsageCost
from services.kernel.chat import Person
from services.storage.engine.column_values import address_of, from_micros, to_micros


def turn_columns(turn: TurnRecord) -> dict[str, object]:
    """Return the columns of a turn."""
    used = turn.charge
    return {
        "chat_key": turn.address.key,
        "thread_id": turn.address.thread_id,
        "message_id": turn.message_id,
        "person_id": turn.person.id,
        "person_name": turn.person.name,
        "person_is_admin": turn.person.is_admin,
        "text": turn.text,
        "at": to_micros(turn.at),
        "zone": turn.zone,
        "language": turn.language,
        "route": turn.route,
        "rounds": turn.rounds,
        "outcome": turn.outcome,
        "is_addressed": turn.is_addressed,
        "is_private": turn.is_private,
        "completions": completions_text(turn.completions),
        "tokens": used.tokens,
        "cost": used.cost,
        "reply": turn.reply,
        "fallback": turn.fallback,
        "error": turn.error,
        "duration_ms": turn.duration_ms,
    }


def turn_of(row: sa.RowMapping) -> TurnRecord:
    """Return the turn of a row."""
    return TurnRecord(
        address=address_of(row["chat_key"], row["thread_id"]),
        message_id=row["message_id"],
        person=Person(id=row["person_id"], name=row["person_name"], is_admin=bool(row["person_is_admin"])),
        text=row["text"],
        at=from_micros(row["at"]),
        zone=row["zone"],
        language=row["language"],
        route=row["route"],
        rounds=row["rounds"],
        outcome=row["outcome"],
        is_addressed=bool(row["is_addressed"]),
        is_private=bool(row["is_private"]),
        completions=msgspec.json.decode(row["completions"], type=tuple[CompletionRecord, ...]),
        reply=row["reply"],
        fallback=row["fallback"],
        error=row["error"],
        duration_ms=row["duration_ms"],
    )


def call_columns(call: CallRecord) -> dict[str, object]:
    """Return the columns of a call."""
    return {
        "id": call.id,
        "session_id": call.address.key,
        "thread_id": call.address.thread_id,
        "message_id": call.message_id,
        "person_id": call.person_id,
        "user_message": call.user_message,
        "tool_name": call.tool_name,
        "arguments": call.arguments,
        "result": call.result,
        "error": call.error,
        "status": call.status,
        "duration_ms": call.duration_ms,
        "timestamp": to_micros(call.at),
        "route": call.route,
        "round": call.round,
        "repairs": json.dumps(call.repairs, ensure_ascii=False) if call.repairs else "[]",
        "said": call.said,
        "ending": call.ending,
        "receipts": json.dumps(call.receipts, ensure_ascii=False) if call.receipts else "[]",
        "model": call.model,
        "prompt_tokens": call.charge.prompt_tokens,
        "completion_tokens": call.charge.completion_tokens,
        "cached_tokens": call.charge.cached_tokens,
        "cost": call.charge.cost,
        "spawn_task": call.spawn_task,
    }


def call_of(row: sa.RowMapping) -> CallRecord:
    """Return the call of a row."""
    return CallRecord(
        id=row["id"],
        address=address_of(row["session_id"], row["thread_id"]),
        message_id=row["message_id"],
        person_id=row["person_id"],
        user_message=row["user_message"],
        tool_name=row["tool_name"],
        arguments=row["arguments"],
        result=row["result"],
        error=row["error"],
        status=row["status"],
        duration_ms=row["duration_ms"],
        at=from_micros(row["timestamp"]),
        route=row["route"],
        round=row["round"],
        repairs=tuple(json.loads(row["repairs"])),
        said=row["said"],
        ending=row["ending"],
        receipts=tuple((action, subject) for action, subject in json.loads(row["receipts"])),
        model=row["model"],
        charge=UsageCost(
            prompt_tokens=row["prompt_tokens"],
            completion_tokens=row["completion_tokens"],
            cached_tokens=row["cached_tokens"],
            cost=row["cost"],
        ),
        spawn_task=row["spawn_task"],
    )


def completions_text(completions: tuple[CompletionRecord, ...]) -> str:
    """Return completions as JSON."""
    return msgspec.json.encode(completions).decode()
