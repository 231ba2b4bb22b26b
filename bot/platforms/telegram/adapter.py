"""Connect to Telegram: receive by long polling or a webhook, send by the Bot API."""

import asyncio
import hmac
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Final

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import (
    AiogramError,
    ClientDecodeError,
    TelegramBadRequest,
    TelegramConflictError,
    TelegramMigrateToChat,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.methods import EditMessageText, SendMessage
from aiogram.types import BotCommand, Update
from aiogram.utils.token import TokenValidationError
from aiohttp import web
from loguru import logger
from msgspec.structs import replace
from pydantic import ValidationError

from bot.config.field_errors import SettingInvalid
from bot.config.platform_catalog import TelegramSettings
from bot.platforms.base import Capabilities, Command, OutgoingMessage
from bot.platforms.kit.adapter import NetworkPlatform, PlatformParts
from bot.platforms.kit.commands import MENU
from bot.platforms.kit.connection import Connection, ConnectionEnded, ConnectionRefusedForGood, listen
from bot.platforms.kit.events import mapping, mappings, number_of
from bot.platforms.kit.pieces import send_in_order
from bot.platforms.telegram import requests
from bot.platforms.telegram.client import Administrators, delivery_failed, send_file
from bot.platforms.telegram.wire import NAME, Account, name_of, to_incoming, to_moved, to_reactions
from function_calls.language.messages import Message
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress, ChatMoved, Person
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed

_WANTED: Final = ["message", "edited_message", "callback_query", "my_chat_member", "message_reaction"]
_SPARE_SECONDS = 15
# Less than the timeout of a poll.
_SPARE_TIME: Final = timedelta(seconds=10)
_QUIET_WEBHOOK: Final = timedelta(minutes=10)
_REMEMBERED_PEOPLE: Final = 10_000
_GONE: Final = {"left", "kicked"}
_PATH: Final = "/telegram"
_SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the name of the header


class TelegramPlatform(NetworkPlatform):
    """A bot account on Telegram."""

    name = NAME
    capabilities = Capabilities(
        replies=True,
        max_length=requests.MAX_LENGTH,
        choices=True,
        files=True,
        max_file_kilobytes=requests.MAX_FILE_KILOBYTES,
    )

    def __init__(
        self, settings: TelegramSettings, clock: Clock, bot_name: str, *, stale_after: timedelta | None = None
    ) -> None:
        self._settings = settings
        session = AiohttpSession(api=TelegramAPIServer.from_base(settings.api_url))
        self._bot = Bot(settings.token.get_secret_value(), session=session)
        quiet = _QUIET_WEBHOOK if settings.webhook_url else timedelta(seconds=settings.poll_seconds) + _SPARE_TIME
        probe = self._probe if settings.webhook_url else None
        super().__init__(clock, bot_name, Connection(NAME, clock, stale_after=stale_after or quiet, probe=probe))
        self._administrators = Administrators(self._bot, clock)
        self._people: BoundedDict[str, Person] = BoundedDict(_REMEMBERED_PEOPLE)
        self._me = Account(id=self._bot.id, username="", bot_name=bot_name, people=self._people)
        self._offset: int | None = None
        self._moved: dict[int, int] = {}
        self._commands: Sequence[Command] = MENU

    def set_commands(self, commands: Sequence[Command]) -> None:
        """Show `commands` in the menu."""
        self._commands = commands

    async def _close(self) -> None:
        await self._bot.session.close()

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send `message`, its files after its text, and return the id of its first piece."""
        pieces = [SendMessage.model_validate(request) for request in requests.messages(address, message)]
        texts = [partial(self._send, piece) for piece in pieces]
        files = [partial(send_file, self._bot, self._current_address(address), file) for file in message.files]
        return await send_in_order([*texts, *files], self._clock)

    async def edit(self, address: ChatAddress, message_id: str, message: OutgoingMessage) -> None:
        """Edit the message `message_id` to `message`."""
        if not message_id.isdecimal():  # a message of the group before it became a supergroup
            raise DeliveryFailed(f"message {message_id} cannot be edited", is_permanent=True)
        request = requests.edit_body(self._current_address(address), message_id, message)
        try:
            await self._bot(EditMessageText.model_validate(request))
        except AiogramError as error:
            if "message is not modified" not in str(error):
                raise delivery_failed(error) from error

    async def typing(self, address: ChatAddress) -> None:
        """Show that an answer is being written, for five seconds."""
        thread = None if address.thread_id is None else int(address.thread_id)
        chat_id = int(self._current_address(address).chat_id)
        try:
            await self._bot.send_chat_action(chat_id, "typing", message_thread_id=thread)
        except AiogramError as error:
            logger.bind(chat=str(address)).debug("could not show typing: {}", delivery_failed(error))

    async def is_member(self, address: ChatAddress, person_id: str) -> bool | None:
        """Return whether somebody is in a chat."""
        if not person_id.isdecimal():
            return None
        try:
            member = await self._bot.get_chat_member(int(self._current_address(address).chat_id), int(person_id))
        except TelegramBadRequest:
            return False  # this chat has never had such a member
        except AiogramError as error:
            raise delivery_failed(error) from error
        return member.status not in _GONE and getattr(member, "is_member", True)

    def link(self, address: ChatAddress, message_id: str) -> str | None:
        """Return the web address of a message; only supergroups have them."""
        return requests.link(address, message_id)

    async def _send(self, request: SendMessage) -> str:
        try:
            try:
                return await self._send_request(request)
            except TelegramMigrateToChat as moved:
                await self._take_move(to_moved(int(request.chat_id), moved.migrate_to_chat_id))
            return await self._send_request(request)
        except AiogramError as error:
            raise delivery_failed(error) from error

    async def _take_move(self, moved: ChatMoved) -> None:
        """Deliver that a group became a supergroup; from now on all messages go to its new number."""
        self._moved[number_of(moved.previous)] = number_of(moved.address)
        await self._deliver(moved)

    def _current_address(self, address: ChatAddress) -> ChatAddress:
        """Return the current address of a chat, whose number may have changed."""
        chat_id = number_of(address)
        return replace(address, chat_id=str(self._moved.get(chat_id, chat_id)))

    async def _send_request(self, request: SendMessage) -> str:
        chat_id = int(request.chat_id)
        sent = await self._bot(request.model_copy(update={"chat_id": self._moved.get(chat_id, chat_id)}))
        return str(sent.message_id)

    async def _session(self) -> None:
        try:
            await self._fetch_account()
            self._connection.note_received()
            await (self._listen() if self._settings.webhook_url else self._poll())
        except (TelegramUnauthorizedError, TelegramNotFound) as error:
            raise ConnectionRefusedForGood(Message("connection.telegram_token")) from error
        except TelegramRetryAfter as error:
            raise ConnectionEnded(error.message, retry_after=float(error.retry_after)) from error
        except TelegramConflictError as error:
            raise ConnectionEnded(Message("connection.telegram_conflict")) from error
        except AiogramError as error:
            raise ConnectionEnded(str(delivery_failed(error))) from error

    async def _fetch_account(self) -> None:
        """Fetch the bot's account, warn the operator of privacy mode, and set the menu of commands."""
        me = await self._bot.get_me()
        self._me = replace(self._me, id=me.id, username=me.username or "")
        if not me.can_read_all_group_messages:
            logger.bind(platform=NAME).warning(
                "privacy mode is on: in groups @{} sees only commands, replies and mentions of itself; to change it, "
                "send /setprivacy to @BotFather, choose Disable, then remove the bot from the group and add it again",
                me.username,
            )
        try:
            for chinese, language in ((False, None), (True, "zh")):
                offered = requests.commands(self._commands, chinese=chinese)
                menu = [BotCommand.model_validate(each) for each in offered]
                await self._bot.set_my_commands(menu, language_code=language)
        except TelegramBadRequest as error:  # such as for a function of a plugin; messages are read anyway
            logger.bind(platform=NAME).warning("Telegram refused the commands: {}", error.message)

    async def _poll(self) -> None:
        await self._bot.delete_webhook()
        seconds = self._settings.poll_seconds
        while True:
            try:
                updates = await self._bot.get_updates(
                    offset=self._offset,
                    timeout=seconds,
                    allowed_updates=_WANTED,
                    request_timeout=seconds + _SPARE_SECONDS,
                )
            except ClientDecodeError as error:
                await self._take_readable(mappings(mapping(error.data).get("result")), error)
                continue
            self._connection.note_received()
            for update in updates:
                await self._take(update)
                self._offset = update.update_id + 1  # the next request confirms this update

    async def _take_readable(self, updates: Sequence[Mapping[str, object]], error: ClientDecodeError) -> None:
        """Handle the `updates` that can be parsed, and log the others, which Telegram would repeat for a day.

        Raises:
            ClientDecodeError: `error`, where the answer has no updates.
        """
        numbers = [number for each in updates if isinstance(number := each.get("update_id"), int)]
        if not numbers:
            raise error
        self._connection.note_received()
        for update in filter(None, map(_parse_update, updates)):
            await self._take(update)
            self._offset = update.update_id + 1
        self._offset = max(numbers) + 1

    async def _listen(self) -> None:
        """Receive posted updates until cancelled; Telegram repeats those that fail."""
        settings, secret = self._settings, self._settings.webhook_secret.get_secret_value()
        async with listen(
            lambda router: router.add_post(_PATH, self._take_posted), settings.webhook_host, settings.webhook_port
        ):
            await self._bot.set_webhook(self._webhook_url, secret_token=secret, allowed_updates=_WANTED)
            await asyncio.Event().wait()

    async def _take_posted(self, request: web.Request) -> web.Response:
        """Handle an update with the secret, and refuse others; after an error Telegram repeats the update."""
        given, secret = request.headers.get(_SECRET_HEADER, ""), self._settings.webhook_secret.get_secret_value()
        if not hmac.compare_digest(given.encode(), secret.encode()):
            return web.Response(status=403)
        self._connection.note_received()
        update = _parse_update(await request.read())
        if update is not None:
            await self._take(update)
        return web.Response()

    @property
    def _webhook_url(self) -> str:
        return self._settings.webhook_url.rstrip("/") + _PATH

    async def _probe(self) -> None:
        """Check that Telegram still posts to this webhook, which is silent in quiet chats."""
        try:
            found = await self._bot.get_webhook_info()
        except AiogramError as error:
            raise ConnectionEnded(str(delivery_failed(error))) from error
        if found.url == self._webhook_url and not (found.last_error_message and found.pending_update_count):
            self._connection.note_received()

    async def _take(self, update: Update) -> None:
        pressed = update.callback_query.message if update.callback_query is not None else None
        parts = (update.message, update.edited_message, update.message_reaction, pressed)
        chat = next((each.chat for each in parts if each is not None), None)
        admins = await self._administrators.fetch(chat.id) if chat else ()
        user = update.message.from_user if update.message is not None else None
        if user is not None and user.username:  # mentions have only the user name of an account
            person = Person(id=str(user.id), name=name_of(user), is_bot=user.is_bot, username=user.username)
            self._people[user.username.lower()] = person
        incoming = to_incoming(update, self._me, self._clock.now(), admins)
        await (self._take_move(incoming) if isinstance(incoming, ChatMoved) else self._deliver(incoming))
        for reaction in to_reactions(update.message_reaction, admins) if update.message_reaction else ():
            await self._deliver(reaction)
        if update.callback_query is not None:
            await self._answer(update.callback_query.id)

    async def _answer(self, query_id: str) -> None:
        """Acknowledge a pressed button."""
        try:
            await self._bot.answer_callback_query(query_id)
        except AiogramError as error:
            logger.bind(platform=NAME).debug("could not answer a callback query: {}", delivery_failed(error))


def _parse_update(update: bytes | Mapping[str, object]) -> Update | None:
    """Return an update, as JSON or its object; None, with a log entry, where it has another form."""
    try:
        return Update.model_validate_json(update) if isinstance(update, bytes) else Update.model_validate(update)
    except ValidationError as error:  # its text quotes the update
        logger.bind(platform=NAME).error("could not parse an update: {} errors", error.error_count())
        return None


def create(parts: PlatformParts) -> TelegramPlatform:
    """Return the platform of the settings."""
    settings = parts.group(NAME, TelegramSettings)
    if settings.webhook_url and not settings.webhook_secret.get_secret_value():
        raise SettingInvalid("settings", "platforms.telegram.webhook_secret", "webhook_secret")
    try:
        return TelegramPlatform(settings, parts.clock, parts.bot_name)
    except TokenValidationError as error:
        raise SettingInvalid("settings", "platforms.telegram.token", "telegram_token") from error
