"""Telegram's Bot API on loopback: long polling with confirmed offsets, webhooks, sending, flood control.

async with TelegramServer() as server:
    bot = Bot(server.token, session=AiohttpSession(api=TelegramAPIServer.from_base(server.url)))

Source: https://core.telegram.org/bots/api
"""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable

from aiohttp import ClientSession, web

from tests.support.chat_servers import telegram_forms as forms
from tests.support.chat_servers.loopback import (
    JsonObject,
    LoopbackServer,
    SentMessage,
    answer,
    body_of,
    troubled,
    uploaded,
)
from tests.support.chat_servers.telegram_markup import MarkupBroken, visible_text

_MAX_LENGTH = 4096
_SENDING = ("sendMessage", "sendPhoto", "sendDocument")

Method = Callable[[JsonObject], Awaitable[object]]


class Refused(Exception):
    """The server refuses a request, as Telegram does with `error_code`, `description` and `parameters`."""

    def __init__(self, code: int, description: str, parameters: JsonObject | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters or {}


class TelegramServer(LoopbackServer):
    """A server with one bot. `say` sends a message of a person, `sent` has those of the bot.

    With `reads_all_groups` the bot's privacy mode is off. `supergroups` are the new numbers of groups by the old ones.
    """

    def __init__(self, *, reads_all_groups: bool = True) -> None:
        super().__init__()
        self.token = "1:loopback"
        self.reads_all_groups = reads_all_groups
        self.calls: list[tuple[str, JsonObject]] = []
        self.commands: list[object] = []
        self.webhook: JsonObject | None = None
        self.webhook_set = asyncio.Event()
        self.webhook_error = ""
        self.takes_photos = True
        self.refuses_commands = False
        self.supergroups: dict[str, int] = {}
        self._updates: list[JsonObject] = []
        self._update_ids = itertools.count(1)
        self._message_ids = itertools.count(100)
        self._arrived = asyncio.Event()
        self._pollers = 0

    def routes(self, router: web.UrlDispatcher) -> None:
        """Add one path for every method, as on the real server."""
        router.add_route("*", "/bot{token}/{method}", self._handle)

    def calls_of(self, method: str) -> list[JsonObject]:
        """Return the arguments of calls of `method`, in order."""
        return [body for name, body in self.calls if name == method]

    def clear_records(self) -> None:
        """Clear the recorded messages and requests."""
        super().clear_records()
        self.calls.clear()

    async def say(
        self,
        text: str,
        *,
        chat: str = "-100",
        sender: str = "7",
        name: str = "",
        is_bot: bool = False,
        more: JsonObject | None = None,
    ) -> JsonObject:
        """Send `text` as a person; `more` are further fields of the message."""
        message = forms.message(next(self._message_ids), text, chat=chat, sender=sender, name=name, is_bot=is_bot)
        message |= more or {}
        await self.update({"message": message})
        return message

    async def press(self, data: str, *, message_id: int, sender: str = "7", name: str = "") -> None:
        """Press the button with `data` under a message of the bot."""
        await self.update({"callback_query": forms.pressed(data, message_id, forms.user(sender, name=name))})

    async def react(
        self, message_id: str, before: list[str], after: list[str], *, sender: str = "7", name: str = ""
    ) -> None:
        """Change the reactions of a person to a message from `before` to `after`."""
        await self.update({"message_reaction": forms.reacted(message_id, before, after, forms.user(sender, name=name))})

    async def update(self, update: JsonObject) -> None:
        """Queue an update for the poller, or post it to the webhook."""
        complete = {"update_id": next(self._update_ids), **update}
        if self.webhook and self.webhook.get("url"):
            headers = {"X-Telegram-Bot-Api-Secret-Token": str(self.webhook.get("secret_token", ""))}
            async with ClientSession() as client, client.post(str(self.webhook["url"]), json=complete, headers=headers):
                return
        self._updates.append(complete)
        self._arrived.set()

    async def disconnect(self) -> None:
        """Break every connection, and forget the pollers."""
        self._arrived.set()
        await super().disconnect()

    async def _handle(self, request: web.Request) -> web.Response:
        method, body = request.match_info["method"], await body_of(request)
        self.calls.append((method, body))
        trouble = self.next_trouble() if method in _SENDING else None
        if request.match_info["token"] != self.token:
            return _refusal(401, "Unauthorized")
        try:
            if str(body.get("chat_id")) in self.supergroups:
                moved: JsonObject = {"migrate_to_chat_id": self.supergroups[str(body["chat_id"])]}
                raise Refused(400, "Bad Request: group chat was upgraded to a supergroup chat", moved)
            if trouble is None or trouble.is_taken:
                result = await self._methods().get(method, _refuse_method)(body)
        except Refused as error:
            return _refusal(error.code, error.description, error.parameters)
        return troubled(request, trouble) if trouble else answer({"ok": True, "result": result})

    def _methods(self) -> dict[str, Method]:
        return {
            "getMe": self._get_me,
            "getUpdates": self._get_updates,
            "sendMessage": self._send_message,
            "sendPhoto": self._send_photo,
            "sendDocument": self._send_document,
            "editMessageText": self._edit,
            "setMyCommands": self._set_commands,
            "setWebhook": self._set_webhook,
            "deleteWebhook": self._delete_webhook,
            "getWebhookInfo": self._webhook_info,
            "getChatMember": self._member,
            "getChatAdministrators": self._administrators,
            "sendChatAction": _done,
            "answerCallbackQuery": _done,
            "setMessageReaction": _done,
            "close": _done,
        }

    async def _get_me(self, _: JsonObject) -> object:
        return {**forms.BOT, "can_read_all_group_messages": self.reads_all_groups}

    async def _get_updates(self, body: JsonObject) -> object:
        if self.webhook and self.webhook.get("url"):
            raise Refused(409, "Conflict: can't use getUpdates method while webhook is active")
        if self._pollers:
            raise Refused(409, "Conflict: terminated by other getUpdates request; one bot instance only")
        offset = int(str(body.get("offset") or 0))
        self._updates = [update for update in self._updates if int(str(update["update_id"])) >= offset]
        self._pollers += 1
        try:
            if not self._updates:
                self._arrived.clear()
                async with asyncio.timeout(float(str(body.get("timeout") or 0)) or 0.05):
                    await self._arrived.wait()
        except TimeoutError:
            return []
        finally:
            self._pollers -= 1
        return self._updates[: int(str(body.get("limit") or 100))]

    async def _send_message(self, body: JsonObject) -> object:
        text = _visible_text(body)
        chat = str(body["chat_id"])
        if chat in self.closed_to_bot:
            raise Refused(403, "Forbidden: bot was kicked from the supergroup chat")
        sent = {**forms.message(next(self._message_ids), text, chat=chat), "from": forms.BOT}
        await self.sent.add(SentMessage(chat=chat, text=text, body=body, id=str(sent["message_id"])))
        return sent

    async def _send_photo(self, body: JsonObject) -> object:
        if not self.takes_photos:
            raise Refused(400, "Bad Request: PHOTO_INVALID_DIMENSIONS")
        size = {"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1}
        return await self._send_file(body, "photo", [size])

    async def _send_document(self, body: JsonObject) -> object:
        return await self._send_file(body, "document", {"file_id": "f", "file_unique_id": "u"})

    async def _send_file(self, body: JsonObject, kind: str, held: object) -> object:
        chat = str(body["chat_id"])
        if chat in self.closed_to_bot:
            raise Refused(403, "Forbidden: bot was kicked from the supergroup chat")
        sent: JsonObject = {**forms.message(next(self._message_ids), "", chat=chat), "from": forms.BOT, kind: held}
        message = SentMessage(chat=chat, text="", body=body, id=str(sent["message_id"]), files=uploaded(body))
        await self.sent.add(message)
        return sent

    async def _edit(self, body: JsonObject) -> object:
        text = _visible_text(body)
        self.sent.change(str(body["message_id"]), text)
        return {**forms.message(int(str(body["message_id"])), text, chat=str(body["chat_id"])), "from": forms.BOT}

    async def _set_commands(self, body: JsonObject) -> object:
        if self.refuses_commands:
            raise Refused(400, "Bad Request: BOT_COMMAND_INVALID")
        given = body["commands"]
        self.commands = json.loads(given) if isinstance(given, str) else list(given)  # type: ignore[call-overload]  # a list, unless it is a form's text
        return True

    async def _set_webhook(self, body: JsonObject) -> object:
        self.webhook = body
        self.webhook_set.set()
        return True

    async def _delete_webhook(self, _: JsonObject) -> object:
        self.webhook = None
        return True

    async def _webhook_info(self, _: JsonObject) -> object:
        url = str(self.webhook["url"]) if self.webhook else ""
        info = {"url": url, "has_custom_certificate": False, "pending_update_count": len(self._updates)}
        return {**info, "last_error_message": self.webhook_error} if self.webhook_error else info

    async def _member(self, body: JsonObject) -> object:
        if str(body["user_id"]) not in forms.MEMBERS:
            raise Refused(400, "Bad Request: user not found")
        return forms.member(str(body["user_id"]), is_admin=str(body["user_id"]) == forms.ADMIN)

    async def _administrators(self, _: JsonObject) -> object:
        return [forms.member(forms.ADMIN, is_admin=True)]


def _visible_text(body: JsonObject) -> str:
    """Return the visible text; refuse invalid texts as Telegram does."""
    text = str(body.get("text", ""))
    if body.get("parse_mode") == "HTML":
        try:
            text = visible_text(text)
        except MarkupBroken as broken:
            raise Refused(400, f"Bad Request: can't parse entities: {broken}") from broken
    if not text.strip():
        raise Refused(400, "Bad Request: message text is empty")
    if len(text.encode("utf-16-le")) // 2 > _MAX_LENGTH:
        raise Refused(400, "Bad Request: message is too long")
    return text


def _refusal(code: int, description: str, parameters: JsonObject | None = None) -> web.Response:
    refusal = {"ok": False, "error_code": code, "description": description, "parameters": parameters or {}}
    return answer(refusal, status=code)


async def _done(_: JsonObject) -> object:
    return True


async def _refuse_method(_: JsonObject) -> object:
    raise Refused(404, "Not Found")
