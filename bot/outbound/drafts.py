"""Show an answer while a model writes it, by editing one message at the rate that the platform allows."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from loguru import logger
from msgspec.structs import replace

from bot.outbound.outbox import Outbox
from bot.platforms.base import Capabilities, OutgoingMessage
from bot.platforms.kit.pieces import first_piece
from function_calls.grounding.claims import is_unproven
from function_calls.tools.calls import Reply, Turn
from services.kernel.chat import ChatMessage
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed
from services.language_model.ports import TextListener

_END: Final = re.compile(r"[.!?…][\"')\]]*(?=\s)|[。！？…][”’」』）]*|\n")

# An answer that is complete within this time is sent without a draft.
_FIRST_DRAFT_SECONDS: Final = 1.5
_ELLIPSIS: Final = " …"
_Key = tuple[str, str]


def complete_sentences(text: str) -> str:
    """Return `text` up to the end of its last whole sentence, in English or Chinese."""
    ends = [found.end() for found in _END.finditer(text)]
    return text[: ends[-1]].strip() if ends else ""


class Drafts:
    """Drafts of answers in progress, on platforms that edit messages."""

    def __init__(self, outbox: Outbox, clock: Clock, *, is_wanted: bool = True) -> None:
        self._outbox = outbox
        self._clock = clock
        self._is_wanted = is_wanted
        self._open: dict[_Key, Draft] = {}

    def listener(self, message: ChatMessage) -> TextListener | None:
        """Return the listener for the streamed answer to `message`; None if the platform cannot edit messages."""
        if not self._is_wanted or self._outbox.editor(message.address) is None:
            return None
        return partial(self._add, _key(message))

    @asynccontextmanager
    async def open(self, turn: Turn) -> AsyncIterator["Draft"]:
        """Open a draft of the answer to `turn`, which shows the text that the model streams."""
        key = _key(turn.message)
        draft = self._open[key] = Draft(turn, self._outbox, self._clock)
        try:
            yield draft
        finally:
            del self._open[key]
            await draft.stop()

    async def _add(self, key: _Key, text: str) -> None:
        draft = self._open.get(key)
        if draft is not None:
            draft.add(text)


class Draft:
    """An answer in progress.

    It shows whole sentences, except those that claim a change, which is confirmed only at the end.
    """

    def __init__(self, turn: Turn, outbox: Outbox, clock: Clock) -> None:
        self._turn = turn
        self._outbox = outbox
        self._clock = clock
        self._text = ""
        self._shown = ""
        self._message_id: str | None = None
        self._edits = 0
        self._showing: asyncio.Task[None] | None = None
        self._is_over = asyncio.Event()

    def add(self, text: str) -> None:
        """Append streamed text."""
        self._text += text
        if self._showing is None and not self._is_over.is_set():
            self._showing = asyncio.create_task(self._show(), name=f"draft for {self._turn.message.address}")

    async def stop(self) -> None:
        """Stop showing text, after the edit in progress."""
        self._is_over.set()
        if self._showing is not None:
            await asyncio.gather(self._showing, return_exceptions=True)

    async def finish(self, reply: Reply) -> None:
        """Edit the draft to the whole `reply`, or send it if there is no draft or the edit fails.

        Text beyond the length limit, and files, follow in another message. A private reply is never shown in the draft.
        """
        await self.stop()
        if self._message_id is None or not await self._show_whole(reply):
            await self._outbox.reply(self._turn.message.address, reply, key=self._key("answer"))

    async def _show_whole(self, reply: Reply) -> bool:
        """Edit the draft to the whole `reply`; return False if the reply is private or the edit fails."""
        address = self._turn.message.address
        whole = self._outbox.to_outgoing(address, reply)
        if whole.private_to is not None:
            await self._edit(OutgoingMessage(text=self._shown, reply_to=self._turn.message.id))
            return False
        head, rest = _split_reply(whole, self._capabilities)
        if not await self._edit(head):
            return False
        await self._outbox.record(address, whole, self._message_id)
        if rest is not None:
            await self._outbox.send_with_retries(address, rest, is_recorded=True)
        return True

    def _key(self, part: str) -> str | None:
        """Return the idempotency key of a part of this answer; it is the same if the turn runs again after a crash.

        None on platforms of this process, where a person can ask for the answer again.
        """
        message = self._turn.message
        if self._capabilities.per_process:
            return None
        return f"{part}:{message.address.key}/{message.id}{'/edited' if message.is_edited else ''}"

    @property
    def _capabilities(self) -> Capabilities:
        return self._outbox.platforms[self._turn.message.address.platform].capabilities

    async def _show(self) -> None:
        capabilities = self._capabilities
        pause = _FIRST_DRAFT_SECONDS
        while not await self._wait_over(pause):
            text = complete_sentences(self._text)
            if is_unproven(self._turn, text) or self._is_used_up(text, capabilities):
                return
            if text != self._shown and not await self._show_text(text):
                return
            pause = capabilities.seconds_between_edits

    async def _wait_over(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                return await self._is_over.wait()
        except TimeoutError:
            return False

    def _is_used_up(self, text: str, capabilities: Capabilities) -> bool:
        """Return whether the draft is full, or only the edit for the final text is left."""
        is_full = 0 < _safe_length(capabilities) < len(text) + len(_ELLIPSIS)
        return is_full or (0 < capabilities.max_edits <= self._edits + 1)

    async def _show_text(self, text: str) -> bool:
        """Show `text`; return whether the platform accepted it and can edit it."""
        address, message = self._turn.message.address, self._turn.message
        draft = OutgoingMessage(text=text + _ELLIPSIS, reply_to=message.id, idempotency_key=self._key("draft"))
        try:
            if self._message_id is None:
                self._message_id = await self._outbox.send_without_record(address, draft)
            else:
                await self._outbox.edit(address, self._message_id, draft)
                self._edits += 1
        except DeliveryFailed as failure:
            logger.bind(chat=str(address), message=message.id).debug("could not show a draft: {}", failure)
            return False
        self._shown = text
        return self._message_id is not None

    async def _edit(self, message: OutgoingMessage) -> bool:
        """Edit the draft to `message`, with retries; return whether that succeeded."""
        address, message_id = self._turn.message.address, self._message_id or ""
        change = partial(self._outbox.edit, address, message_id, message)
        return await self._outbox.retry(change, address) is None


def _key(message: ChatMessage) -> _Key:
    return message.address.key, message.id


def _safe_length(capabilities: Capabilities) -> int:
    """Return the characters that fit into one message after escaping, which at most doubles them."""
    return capabilities.max_length // 2


def _split_reply(whole: OutgoingMessage, capabilities: Capabilities) -> tuple[OutgoingMessage, OutgoingMessage | None]:
    """Return the final text of the draft, and the message with the rest and the files."""
    limit, text = _safe_length(capabilities), whole.text.strip()
    first, rest = first_piece(text, limit, people=whole.mentions) if 0 < limit < len(text) else (text, "")
    if not rest and not whole.files:
        return whole, None
    names = "\n".join(f"📎 {file.name}" for file in whole.files)
    head = replace(whole, text=first or names, files=(), choices=() if rest else whole.choices)
    following = replace(
        whole,
        text=rest or names,
        reply_to=None,
        choices=whole.choices if rest else (),
        mentions=tuple(person for person in whole.mentions if f"@{person.name}" in rest),
        mentions_everyone=False,
    )
    return head, following
