"""Connect the web rooms: receive messages of the sockets and the HTTP API, send the bot's messages."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from loguru import logger
from msgspec import Struct
from msgspec.structs import replace

from bot.config.platform_catalog import PAGE
from bot.platforms.base import Capabilities, Health, HealthState, OutgoingMessage, Receive
from bot.platforms.kit.events import is_called
from bot.platforms.kit.markdown import defuse_mentions
from bot.platforms.web.answers import AnswerTracker, Finished, Stop
from bot.platforms.web.client_calls import ClientCalls
from bot.platforms.web.extras import Extras, ExtrasRepository
from bot.platforms.web.files import RoomFiles
from bot.platforms.web.frames import AttachmentShape, MessageShape, attachment_shape, author_shape
from bot.platforms.web.rooms import Room, Rooms, address_of
from bot.platforms.web.shapes import bot_message_id, client_id_of, due_shape, extras_of, message_shape, post_id
from services.history.service import HistoryService, record_once
from services.kernel.bounded import BoundedDict
from services.kernel.chat import Attachment, ChatAddress, ChatMessage, MessageEdited, MessageWithdrawn, Person, SentFile
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed, StorageFull
from services.kernel.state import StateStore
from services.language_model.ports import TextListener
from services.people.privacy import DeletedMessage

_REMEMBERED_KEYS: Final = 500
_MAX_REPORTED_DELETIONS: Final = 200  # a page shows no more of them, and a socket holds no more frames

_CAPABILITIES: Final = Capabilities(
    replies=True,
    takes_idempotency_key=True,
    choices=True,
    per_process=True,
)

RefreshReminders = Callable[[ChatAddress, float], None]
"""Publishes the reminders of a room if they have changed, after so many seconds."""
UsageOf = Callable[[ChatMessage], Awaitable[Mapping[str, int] | None]]
"""Returns the tokens that models used for a message; None if there were none."""
_DELIVERY_SECONDS: Final = 0.5


class IncomingPost(Struct, frozen=True, kw_only=True):
    """A message that a person posts in a room. `client_id` is the sender's id of it; a repeated one is ignored."""

    person: Person
    text: str
    client_id: str
    reply_to: str | None = None
    attachments: tuple[Attachment, ...] = ()


class PostResult(Struct, frozen=True, kw_only=True):
    """Result of a post. `finished` is the future of the bot's answer; None if the message is already handled."""

    message: ChatMessage
    answer_id: str
    finished: Finished | None
    is_new: bool = True


class WebPlatform:
    """The web rooms, by session id. `base_url` is the address of the page, once it is served.

    `files` stores attachments; without it files of the bot are only named.
    """

    name = PAGE

    def __init__(self, *, clock: Clock, bot_name: str, files: RoomFiles | None = None) -> None:
        self.files = files
        self.capabilities = replace(_CAPABILITIES, files=files is not None)
        self.bot = Person(id="bot", name=bot_name, is_bot=True)
        self.base_url = ""
        self.client_calls = ClientCalls()
        self._clock = clock
        self._since = clock.now()
        self._sent_keys: BoundedDict[str, str] = BoundedDict(_REMEMBERED_KEYS)
        self._extras = ExtrasRepository(clock)
        self.rooms = Rooms(self.bot, self._extras, clock, self.refresh_reminders)
        self.answers = AnswerTracker(self.rooms, self._extras, clock)
        self._refresh: RefreshReminders = lambda _chat, _seconds: None
        self._usage: UsageOf | None = None
        self._receive: Receive | None = None
        self._is_ready = asyncio.Event()
        self._is_attached = asyncio.Event()
        self._is_closed = asyncio.Event()
        self._history: HistoryService | None = None

    def attach(
        self,
        state: StateStore,
        history: HistoryService,
        stop: Stop,
        refresh: RefreshReminders,
        usage: UsageOf | None = None,
    ) -> None:
        """Attach the bot to the rooms: its state, its history, and the functions that rooms call."""
        self._extras.use_state(state)
        self._refresh = refresh
        self._usage = usage
        for room in self.rooms:
            self.refresh_reminders(room.session_id)
        self._history = history
        self.answers.attach(history, stop)
        self._is_attached.set()

    async def run(self, receive: Receive) -> None:
        """Serve until closed."""
        self._receive = receive
        self._is_ready.set()
        try:
            await self._is_closed.wait()
        finally:
            self._is_closed.set()

    def close(self) -> None:
        """End `run`."""
        self._is_closed.set()

    def refresh_reminders(self, session_id: str) -> None:
        """Publish changed reminders of a room."""
        self._refresh(self.address(session_id), 0.0)

    @property
    def health(self) -> Health:
        """Return the state: live while `run` is active."""
        running: HealthState = "live" if self._is_ready.is_set() else "connecting"
        return Health(state="stopped" if self._is_closed.is_set() else running, since=self._since)

    def room(self, session_id: str) -> Room:
        """Return the room of a session."""
        return self.rooms.open(session_id)

    def address(self, session_id: str) -> ChatAddress:
        """Return the chat that a session is."""
        return address_of(session_id)

    async def say(self, session_id: str, post: IncomingPost) -> PostResult:
        """Record a message of a person, publish it in the room, and pass it to the bot."""
        await self._is_ready.wait()
        message_id = post_id(post.client_id, post.person)
        message = ChatMessage(
            id=message_id,
            address=self.address(session_id),
            sender=post.person,
            text=post.text,
            sent_at=self._clock.now(),
            is_addressed=self._is_addressed(session_id, post),
            reply_to=post.reply_to,
            mentions=self.room(session_id).find_mentioned(post.text),
            attachments=await self._own(post.attachments, session_id, message_id),
        )
        self.room(session_id).remember(post.person)
        if self._history is None or self._receive is None:
            raise DeliveryFailed("the room is not open yet")
        if not await record_once(self._history, message):
            return await self._result_of_existing(session_id, message)
        await self._history.flush()  # the page shows the message as stored
        if message.attachments:
            shown = [attachment_shape(each) for each in message.attachments]
            await self._extras.room(message.address).set(message.id, Extras(attachments=shown))
        answer = self.answers.begin(message)
        self.room(session_id).emit("message_new", {"message": await self._person_message(message)})
        if message.is_addressed:
            await self.typing(message.address)
        finished = await self.answers.hand_over(message, self._receive)
        return PostResult(message=message, answer_id=answer.id, finished=finished)

    async def resume_message(self, message: ChatMessage) -> None:
        """Handle a message that an earlier run has recorded and published, once the bot is attached."""
        await self._is_attached.wait()
        if self._receive is None:
            raise DeliveryFailed("the room is not open yet")
        self.room(message.address.chat_id).remember(message.sender)
        self.answers.begin(message)
        await (await self.answers.hand_over(message, self._receive))

    async def _result_of_existing(self, session_id: str, message: ChatMessage) -> PostResult:
        """Return the result of a message that was posted before, and send it to its author again."""
        shape = await self._person_message(message)
        self.room(session_id).send_to(message.sender.id, "message_new", {"message": shape})
        finished = self.answers.find_result(message.address, message.id)
        return PostResult(message=message, answer_id=f"{message.id}.r", is_new=False, finished=finished)

    async def edit_own(self, session_id: str, message_id: str, text: str) -> None:
        """Edit a person's message to `text`.

        Raises:
            StorageFull: the disk is full.
        """
        address, at = self.address(session_id), self._clock.now()
        if self._history is not None:  # before delivery, so that the person gets the error
            await self._history.edit(address, message_id, text, at=at)
        await self._deliver(MessageEdited(address=address, message_id=message_id, text=text, at=at))

    async def withdraw(self, session_id: str, message_id: str) -> None:
        """Withdraw a person's message.

        Raises:
            StorageFull: the disk is full.
        """
        address, at = self.address(session_id), self._clock.now()
        if self._history is not None:  # before delivery, as for edits
            await self._history.delete(address, message_id, at=at)
        if self.files is not None:
            for each in (await self.extras(session_id, message_id)).attachments:
                await self.files.remove(each["url"])
        await self._deliver(MessageWithdrawn(address=address, message_id=message_id, at=at))
        self.room(session_id).emit("message_deleted", {"message_id": message_id})

    async def forget(self, gone: Sequence[DeletedMessage]) -> None:
        """Delete the files of deleted messages, and remove those from open pages."""
        for each in gone:
            session_id, message_id = each.address.chat_id, each.message_id
            shown = (await self.extras(session_id, message_id)).attachments
            if self.files is not None:
                for url in {*each.files, *(attachment["url"] for attachment in shown)}:
                    await self.files.remove(url)
            await self._extras.room(each.address).set(message_id, Extras())
        for each in gone[-_MAX_REPORTED_DELETIONS:]:
            if each.address.chat_id in self.rooms:
                self.room(each.address.chat_id).emit("message_deleted", {"message_id": each.message_id})

    async def put_reaction(self, session_id: str, message_id: str, person: Person, emoji: str) -> None:
        """Add a person's emoji to a message, or remove it if it is there."""
        before = await self.extras(session_id, message_id)
        extras = replace(before, reactions={each: [*people] for each, people in before.reactions.items()})
        extras.react(person.id, emoji)
        await self._extras.room(self.address(session_id)).set(message_id, extras)
        event_data = {"message_id": message_id, "reactions": extras.reactions, "who": person.id, "emoji": emoji}
        self.room(session_id).emit("reaction", event_data)

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send a message to a room. The same idempotency key again is the same message."""
        room = self.room(address.chat_id)
        known = None if message.idempotency_key is None else self._sent_keys.get(message.idempotency_key)
        if known is not None:
            return known
        answer = self.answers.find(address, message.reply_to)
        if answer is not None and answer.sent is not None:
            answer = None
        message_id = answer.id if answer is not None else bot_message_id(message.idempotency_key)
        extras = extras_of(message, self._clock.now())
        if self.files is not None:
            extras.attachments = await self._attach(self.files, message.files, address.chat_id, message_id)
        if answer is not None:
            extras.confirmed = [*answer.confirmed]
        await self._extras.room(address).set(message_id, extras)
        shape = self._bot_message(message_id, message, extras)
        if answer is not None:
            answer.flush()
            shape["tool_calls"] = [call.copy() for call in answer.calls.values()]
            answer.sent = shape
        room.emit("message_new", {"message": shape})
        for notice in message.notices:
            room.emit("reminder_fired", {"reminder": due_shape(notice, self._clock.now())})
        if message.notices:
            self._refresh(address, _DELIVERY_SECONDS)  # when the delivery is recorded
        if answer is not None and answer.is_begun:
            usage = None if self._usage is None or not answer.text else await self._usage(answer.question)
            answer.finish(shape["text"], "stop", usage)
        if message.idempotency_key is not None:
            self._sent_keys[message.idempotency_key] = message_id
        return message_id

    async def edit(self, address: ChatAddress, message_id: str, message: OutgoingMessage) -> None:
        """Edit a message of the bot."""
        extras = extras_of(message, self._clock.now())
        before = await self.extras(address.chat_id, message_id)
        extras = replace(
            extras,
            reactions=before.reactions,
            reminder=extras.reminder or before.reminder,
            confirmed=before.confirmed,
        )
        await self._extras.room(address).set(message_id, extras)
        shape = self._bot_message(message_id, message, extras)
        changed = {key: value for key, value in shape.items() if key not in {"tool_calls", "ts", "client_id"}}
        self.room(address.chat_id).emit("message_updated", {"message": {**changed, "edited": True}})

    async def typing(self, address: ChatAddress) -> None:
        """Show for six seconds that the bot is writing."""
        event_data = {"who": author_shape(self.bot), "on": True, "expires_in": 6}
        self.room(address.chat_id).send_transient("typing", event_data)

    def link(self, address: ChatAddress, message_id: str) -> str | None:
        """Return a link to the message; None where the address of the page is not known."""
        return f"{self.base_url}/?room={address.chat_id}#{message_id}" if self.base_url else None

    def listener(self, message: ChatMessage) -> TextListener | None:
        """Return the listener that gets the answer to `message` as it is written."""
        answer = self.answers.find(message.address, message.id)
        return None if answer is None else answer.add_text

    async def extras(self, session_id: str, message_id: str) -> Extras:
        """Return the extras of a message."""
        return await self._extras.room(self.address(session_id)).get(message_id)

    async def _attach(
        self, files: RoomFiles, sent: Sequence[SentFile], session_id: str, message_id: str
    ) -> list[AttachmentShape]:
        """Store the files of a message of the bot; on a full disk the message is sent without them."""
        try:
            stored = [await files.keep(each.name, each.content) for each in sent]
            own = await self._own(stored, session_id, message_id)
        except StorageFull as error:
            logger.bind(chat=session_id, message=message_id).error("could not store the files of a message: {}", error)
            return []
        return [attachment_shape(each) for each in own]

    async def _own(self, attachments: Sequence[Attachment], session_id: str, message_id: str) -> tuple[Attachment, ...]:
        """Assign files to a message and return its attachments; a file of another message has no address."""
        if self.files is None:
            return tuple(attachments)
        owner = f"{session_id} {message_id}"
        has = [await self.files.take(each.url, owner) for each in attachments]
        return tuple(each if is_own else replace(each, url=None) for each, is_own in zip(attachments, has, strict=True))

    async def _person_message(self, message: ChatMessage) -> MessageShape:
        extras, author = await self.extras(message.address.chat_id, message.id), author_shape(message.sender)
        reply_to = message.reply_to
        return message_shape(message.id, author, message.text, message.sent_at, reply_to=reply_to, extras=extras)

    def _bot_message(self, message_id: str, message: OutgoingMessage, extras: Extras) -> MessageShape:
        author, now, text = author_shape(self.bot), self._clock.now(), defuse_mentions(message.text)
        return message_shape(message_id, author, text, now, reply_to=message.reply_to, extras=extras)

    def _is_addressed(self, session_id: str, post: IncomingPost) -> bool:
        """Return whether a post names the bot, replies to it, or is by the only person; files without text are not."""
        if not post.text.strip():
            return False
        is_answer = post.reply_to is not None and client_id_of(post.reply_to) is None
        return not self.room(session_id).has_others(post.person) or is_answer or is_called(post.text, self.bot.name)

    async def _deliver(self, change: MessageEdited | MessageWithdrawn) -> None:
        await self._is_ready.wait()
        if self._receive is None:
            raise DeliveryFailed("the room is closed")
        await (await self._receive(change))
