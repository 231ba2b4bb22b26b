"""Format due reminders and send them by the outbox, without a model; retry those that a chat refused."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from loguru import logger
from msgspec import Struct
from msgspec.structs import replace

from bot.outbound.outbox import Outbox
from bot.platforms.base import OutgoingMessage
from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.tools.confirmation.buttons import FIRED, STOP, buttons
from services.kernel.chat import ChatAddress, Choice, Person
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed
from services.people.member_names import is_unresolved
from services.reminders.delivery.worker import DeliveryWorker
from services.reminders.model import EVERYONE, DueNotice, ReminderAction

Digest = Callable[[DueNotice], Awaitable[str]]
"""Writes the text of a due summary."""

PrivateChat = Callable[[str, str], Awaitable[ChatAddress | None]]
"""Returns the private chat of a platform with a person (id); None if there is none."""

_RETRY_INTERVAL: Final = timedelta(hours=1)
"""Minimum time between attempts in one chat."""

BlockedChats = dict[str, datetime | None]
"""The chats that refuse messages of the bot, by key, with the time of the next attempt; None for the next message."""

_MINUTE = 60


class ReminderNotifier(Struct, frozen=True, kw_only=True):
    """Sends the reminder service's notices to the chats.

    `blocked` collects chats that refuse messages; `on_delivered` gets the delay of each delivery.
    """

    outbox: Outbox
    clock: Clock
    late_after: timedelta
    digest: Digest
    private_chat: PrivateChat
    blocked: BlockedChats
    on_delivered: Callable[[timedelta], None] | None = None

    async def deliver(self, notice: DueNotice) -> str | None:
        """Send `notice` to its chat, mentioning its recipients."""
        return await self.deliver_together([notice], notice.idempotency_key)

    async def deliver_together(self, notices: Sequence[DueNotice], idempotency_key: str) -> str | None:
        """Send `notices`, all of one chat, in one message."""
        reminders = [notice for notice in notices if notice.action is ReminderAction.SAY]
        head = self._heading(reminders)
        lines = [self._format(notice) if head is None else self._format_line(notice) for notice in reminders]
        lines += [await self.digest(notice) for notice in notices if notice.action is ReminderAction.SUMMARY]
        return await self._send(notices, "\n".join([head, *lines] if head else lines), idempotency_key)

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        """Report to the chat, else to the creator, that `notice` could not be delivered.

        Raises:
            DeliveryFailed: the report could not be delivered either.
        """
        text = say(notice.language, "reminder.undeliverable", id=notice.reminder_id, content=notice.content, why=reason)
        message = OutgoingMessage(text=text, mentions=(notice.creator,))
        try:
            await self.outbox.send(notice.address, message)
        except DeliveryFailed:
            self.blocked.setdefault(notice.address.key)
            private = await self.private_chat(notice.address.platform, notice.creator.id)
            if private is None or private.key == notice.address.key:
                raise
            await self.outbox.send(private, message)

    async def _send(self, notices: Sequence[DueNotice], text: str, key: str) -> str | None:
        people = {person.id: person for notice in notices for person in _people_to_mention(notice)}
        message = OutgoingMessage(
            text=self._mark_repeat(notices, text),
            mentions=tuple(person for person in people.values() if person.id != EVERYONE),
            mentions_everyone=EVERYONE in people,
            idempotency_key=key,
            notices=tuple(notices),
            choices=_buttons_of(notices),
        )
        message_id = await self.outbox.send(notices[0].address, message)
        if self.on_delivered is not None:
            for notice in notices:
                self.on_delivered(self.clock.now() - notice.due_at)
        return message_id

    def _mark_repeat(self, notices: Sequence[DueNotice], text: str) -> str:
        """Mark `text` as a possible repeat on platforms without idempotency keys."""
        platform = self.outbox.platforms.get(notices[0].address.platform)
        drops_repeats = platform is not None and platform.capabilities.takes_idempotency_key
        if drops_repeats or not any(notice.may_be_repeat for notice in notices):
            return text
        return f"{text}\n{say(notices[0].language, 'reminder.may_be_repeat')}"

    def _heading(self, notices: Sequence[DueNotice]) -> str | None:
        """Return the heading for several notices that are all late; None otherwise."""
        if not all(self._is_late(notice) for notice in notices) or len(notices) <= 1:
            return None
        reason = "held" if all(notice.was_held for notice in notices) else "late"
        return say(notices[0].language, f"reminder.together_{reason}", count=len(notices))

    def _format(self, notice: DueNotice) -> str:
        text = self._due_text(notice)
        if notice.repeats_every is None:
            return text
        every = date_format.count(notice.language, "minute", round(notice.repeats_every.total_seconds() / _MINUTE))
        return say(notice.language, "reminder.due_until_done", said=text, every=every)

    def _due_text(self, notice: DueNotice) -> str:
        reason = "_held" if notice.was_held else ""
        fields = {"who": _names_of(notice), "content": notice.content}
        if notice.missed:
            return say(notice.language, f"reminder.due_missed{reason}", missed=notice.missed, **fields)
        if self._is_late(notice):
            return say(notice.language, f"reminder.due_late{reason}", when=self._when(notice), **fields)
        return say(notice.language, "reminder.due", **fields)

    def _format_line(self, notice: DueNotice) -> str:
        """Return the line of a late notice under a heading."""
        fields = {"who": _names_of(notice), "content": notice.content, "when": self._when(notice)}
        if notice.missed:
            return say(notice.language, "reminder.line_missed", missed=notice.missed, **fields)
        return say(notice.language, "reminder.line_late", **fields)

    def _is_late(self, notice: DueNotice) -> bool:
        return self.clock.now() - notice.due_at > self.late_after

    def _when(self, notice: DueNotice) -> str:
        now = self.clock.now().astimezone(notice.due_at.tzinfo)
        return date_format.moment(notice.language, notice.due_at, now)


def _people_to_mention(notice: DueNotice) -> tuple[Person, ...]:
    """Return the people whom a notice mentions; a summary mentions nobody."""
    if notice.action is not ReminderAction.SAY:
        return ()
    return tuple(person for person in notice.recipients if not is_unresolved(person))


def _names_of(notice: DueNotice) -> str:
    """Return the names in front of the text, which the platform turns into mentions."""
    return f"{date_format.targets(notice.language, notice.recipients)} "


def _buttons_of(notices: Sequence[DueNotice]) -> tuple[Choice, ...]:
    """Return the buttons of a single reminder; with several the target would be ambiguous."""
    if len(notices) != 1 or notices[0].action is not ReminderAction.SAY:
        return ()
    notice = notices[0]
    comes_again = notice.is_recurring or notice.repeats_every is not None
    names = (*FIRED, STOP) if comes_again else FIRED
    concerned = {each.id: each for each in (notice.creator, *notice.targets) if each.id != EVERYONE}
    offered = buttons(notice.language, names, concerned.values())
    if notice.repeats_every is not None and any(each.id == EVERYONE for each in notice.targets):
        return (replace(offered[0], for_people=()), *offered[1:])  # anybody may press "done"
    return offered


class DeliveryRetry(Struct, frozen=True, kw_only=True):
    """Retries the undelivered reminders of a chat when a message arrives from it.

    Platforms do not report that the bot may write again, and some not that it was added again.
    """

    worker: DeliveryWorker
    blocked: BlockedChats
    clock: Clock

    async def load_blocked(self) -> None:
        """Load the chats that were blocked in earlier runs."""
        for key in await self.worker.chats_with_failures():
            self.blocked.setdefault(key)

    def is_due(self, chat: ChatAddress) -> bool:
        """Return whether `chat` is blocked and the next attempt is due."""
        retry_at = self.blocked.get(chat.key)
        return chat.key in self.blocked and (retry_at is None or self.clock.now() >= retry_at)

    async def resume(self, chat: ChatAddress) -> None:
        """Retry the undelivered reminders of `chat`; the next attempt is due in an hour."""
        self.blocked[chat.key] = self.clock.now() + _RETRY_INTERVAL
        try:
            count = await self.worker.retry_failed(chat)
        except Exception as error:  # noqa: BLE001 - the next message or start tries again
            logger.bind(chat=str(chat)).opt(exception=error).error("retrying undelivered reminders failed")
            return
        if not count:
            self.blocked.pop(chat.key, None)
