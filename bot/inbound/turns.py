"""Build a turn from a message: language, zone, time, tools and earlier messages."""

from collections.abc import Mapping
from functools import partial
from typing import get_args

from msgspec import Struct

from bot.outbound.drafts import Drafts
from bot.outbound.outbox import Outbox, ProgressMessage
from bot.platforms.base import StreamsAnswers
from function_calls.conversation.slash_commands import free_text
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import StyleName, Turn
from function_calls.tools.confirmation.reply_scope import find_reply_scope
from function_calls.tools.context import CallContext, Services
from function_calls.tools.permission import Viewer
from function_calls.understanding.reading.lexicon import points_back
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.kernel.clock import Clock
from services.kernel.languages import detect_latin_language, language_of, latin_languages
from services.language_model.ports import TextListener
from services.people.chat_preferences import ChatPreferenceService
from services.people.zones import ZoneService

_DEFAULT_LANGUAGE = "en"
_LANGUAGE_HISTORY = 50
_REFERENCE_HISTORY = 20


def parse_call_style(name: str) -> StyleName | None:
    """Return `name` as a call style; None if there is no such style."""
    return next((each for each in get_args(StyleName) if each == name), None)


class TurnFactory(Struct, frozen=True, kw_only=True):
    """Builds turns and call contexts. `context_messages` is the number of earlier messages in a turn.

    `call_styles` are the configured call styles of chats by key; the preference of a chat overrides them.
    """

    bot_name: str
    language: str
    zones: ZoneService
    context_messages: int
    clock: Clock
    history: HistoryService
    calls: FunctionCallRouter
    services: Services
    outbox: Outbox
    drafts: Drafts
    call_styles: Mapping[str, StyleName]

    async def turn(self, message: ChatMessage) -> Turn:
        """Return the turn of `message`."""
        zone = await self.zones.zone_of(message.address, message.sender)
        preferences = await self.services.get(ChatPreferenceService).of(message.address)
        return Turn(
            message=message,
            now=self.clock.now().astimezone(zone),
            zone=zone,
            language=await self._language(message),
            bot_name=self.bot_name,
            tools=await self.calls.list_specs(Viewer.of(message)),
            recent=await self._recent_messages(message),
            on_text=self._listener(message),
            scope=await find_reply_scope(message, self.history),
            call_style=parse_call_style(preferences.call_style) or self.call_styles.get(message.address.key),
            instructions=preferences.instructions,
        )

    def context(self, turn: Turn, place: int) -> CallContext:
        """Build the context of the call at `place`; a redelivery of the message gives the same call id."""
        message, chat = turn.message, turn.message.address
        return CallContext(
            call_id=f"{chat.key}/{message.id}/{len(turn.steps)}.{place}",
            message=message,
            services=self.services,
            clock=self.clock,
            now=turn.now,
            zone=turn.zone,
            language=turn.language,
            policy=self.calls.policy,
            progress=ProgressMessage(self.outbox, chat, self.clock),
            link_of=partial(self.outbox.link, chat),
            members=partial(self.outbox.members, chat),
        )

    def _listener(self, message: ChatMessage) -> TextListener | None:
        """Return the listener for the streamed answer to `message`: the platform's own, else a draft."""
        platform = self.outbox.platforms.get(message.address.platform)
        if platform is not None and isinstance(platform, StreamsAnswers):
            return platform.listener(message)
        return self.drafts.listener(message)

    async def _language(self, message: ChatMessage) -> str:
        """Return the language of a message.

        If its words have none, it is one in Latin script that its sender or else others used before, or the bot's. For
        a message without words ("18:30") it is the sender's last one, or the bot's.
        """
        shown = self._detect_language(message)
        if shown and (shown != _DEFAULT_LANGUAGE or self._detect_latin_language(message)):
            return shown
        earlier = reversed(await self.history.recent(message.address, _LANGUAGE_HISTORY))
        if not shown:
            own = (self._detect_language(each) for each in earlier if each.sender.id == message.sender.id)
            return next(filter(None, own), self.language)
        written = [each for each in earlier if not each.sender.is_bot]
        written.sort(key=lambda each: each.sender.id != message.sender.id)
        usual = self.language if self.language in latin_languages() else shown
        return next(filter(None, map(self._detect_latin_language, written)), usual)

    def _detect_language(self, message: ChatMessage) -> str:
        """Return the language of the words of a message; "" if it has none."""
        return language_of(self._free_text(message), "")

    def _detect_latin_language(self, message: ChatMessage) -> str:
        """Return the language in Latin script of the common words of a message; "" if it has none."""
        return detect_latin_language(self._free_text(message), "")

    def _free_text(self, message: ChatMessage) -> str:
        text = free_text(message.text, self.bot_name)
        return text.casefold().replace(self.bot_name.casefold(), " ")

    async def _recent_messages(self, message: ChatMessage) -> tuple[ChatMessage, ...]:
        wanted = self.context_messages
        if points_back(message.text, self.language):  # the rules resolve the reference in these messages
            wanted = max(wanted, _REFERENCE_HISTORY)
        if not wanted:
            return ()
        return await self.history.before(message, wanted)
