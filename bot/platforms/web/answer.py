"""Publish one answer in progress to its room as a stream of events."""

import asyncio
from collections.abc import Mapping
from typing import Final

from bot.platforms.web.frames import LONGEST_RESULT, CallShape, MessageShape, add_rule_words, changes_of
from bot.platforms.web.room import Room
from function_calls.tools.calls import ToolResult
from function_calls.tools.dispatch.execution import can_retry
from services.kernel.chat import ChatMessage

FLUSH_SECONDS: Final = 0.05
"""Pieces of text are gathered for so long before they are sent."""


class Answer:
    """The calls and the answer of the bot for one message, as the room gets them.

    `id` is the id of the message that the answer will be; it is the same if the question is handled again. `sent` is
    that message once it is said. `confirmed` are the earlier messages whose calls the question has said yes to.
    """

    def __init__(self, room: Room, question: ChatMessage) -> None:
        self.id = f"{question.id}.r"
        self.question = question
        self.calls: dict[str, CallShape] = {}
        self.confirmed: list[str] = []
        self.sent: MessageShape | None = None
        self.is_begun = False
        self.is_stopped = False
        self._room = room
        self._pieces: list[str] = []
        self._waiting: list[str] = []
        self._index = 0
        self._flushed_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_sent(self) -> bool:
        """Return whether the bot has sent it."""
        return self.sent is not None

    @property
    def text(self) -> str:
        """Return the text so far."""
        return "".join(self._pieces)

    def begin(self) -> None:
        """Tell the room once that something is coming."""
        if not self.is_begun:
            self.is_begun = True
            self._room.emit("start", {"message_id": self.id, "reply_to": self.question.id})

    async def hear(self, text: str) -> None:
        """Take a piece of the text, as a model writes it."""
        if self.is_sent or self.is_stopped:
            return
        self.begin()
        self._pieces.append(text)
        self._waiting.append(text)
        loop = asyncio.get_running_loop()
        wait = self._flushed_at + FLUSH_SECONDS - loop.time()
        if wait <= 0:
            self.flush()
        elif self._timer is None:
            self._timer = loop.call_later(wait, self.flush)

    def flush(self) -> None:
        """Publish the pending pieces."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._waiting:
            return
        delta = "".join(self._waiting)
        self._waiting.clear()
        self._flushed_at = asyncio.get_running_loop().time()
        self._room.emit("message", {"message_id": self.id, "index": self._index, "delta": delta, "content": delta})
        self._index += 1

    def done(self, text: str, finish_reason: str, usage: Mapping[str, int] | None = None) -> None:
        """Tell that the answer is complete; `text` overrules the pieces, `usage` counts tokens."""
        self._waiting.clear()
        self.flush()
        self._room.emit(
            "done",
            {
                "message_id": self.id,
                "reply_to": self.question.id,
                "text": text,
                "usage": usage,
                "finish_reason": finish_reason,
            },
        )

    def call_started(self, call_id: str, tool: str, arguments: object, at: str, timestamp: float) -> None:
        """Tell that a tool runs."""
        self.begin()
        call = CallShape(id=call_id, name=tool, arguments=arguments, started_at=at, status="running")
        add_rule_words(call)
        self.calls[call_id] = call
        self._room.emit(
            "tool_start",
            {"message_id": self.id, "call": call.copy()},
            top={"tool": tool, "arguments": arguments, "timestamp": timestamp},
        )

    def call_ended(self, call_id: str, tool: str, result: ToolResult) -> None:
        """Tell how a tool ended, also when it failed."""
        call = self.calls.setdefault(call_id, CallShape(id=call_id, name=tool, status="running"))
        call["status"] = "ok" if result.ok else result.failure
        call["duration_ms"] = round(result.duration_ms, 1)
        if result.ok:
            call["result"], call["truncated"] = shorten_result(result)
            call["text"] = result.text
            call["changes"] = changes_of((each.action, each.subject) for each in result.receipts)
        else:
            call["error"] = result.text or result.error
            call["retryable"] = can_retry(result)
        add_rule_words(call)
        shown = call.get("result", call.get("error"))
        self._room.emit(
            "tool_complete",
            {"message_id": self.id, "call": call.copy()},
            top={"tool": tool, "result": shown, "duration_ms": round(result.duration_ms)},
        )


def shorten_result(result: ToolResult) -> tuple[object, bool]:
    """Return the result of a tool, cut where it is very long, and whether it was cut."""
    value = result.for_model()
    text = value if isinstance(value, str) else str(value)
    if len(text) <= LONGEST_RESULT:
        return value, False
    return f"{text[:LONGEST_RESULT]}…", True
