"""Replace slash commands by the sentences that they stand for."""

import re
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from bot.inbound.middleware import Next
from services.kernel.chat import ChatMessage
from services.kernel.text import language_of

_COMMAND: Final = re.compile(
    r"\s*/(?P<name>remind(?:me)?|提醒|reminders|summary|search|help)(?:@(?P<bot>[\w.-]+))?(?:\s+(?P<rest>.*))?",
    re.DOTALL | re.IGNORECASE,
)
# A time may come in front of what is to be done ("in 5 minutes tea"); "me" and 我 may have been typed already.
_SENTENCES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "remind": "remind me {rest}",
        "reminders": "list my reminders",
        "summary": "summarize {rest}",
        "search": "search {rest}",
        "help": "help",
    },
    "zh": {
        "remind": "提醒我{rest}",
        "reminders": "我有哪些提醒",
        "summary": "总结{rest}",
        "search": "搜索{rest}",
        "help": "帮助",
    },
}
_WHOLE: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {"remind": "help", "summary": "summarize the chat", "search": "help"},
    "zh": {"remind": "帮助", "summary": "总结一下", "search": "帮助"},
}
_STARTS_ALREADY: Final = re.compile(r"(me|us|everyone|@|我|大家|所有人)", re.IGNORECASE)
_REMIND: Final = frozenset({"remindme", "提醒"})
"""What people type in place of /remind."""
_COUNT: Final = re.compile(r"\d{1,4}")


def sentence_of(text: str, bot_name: str, language: str) -> str | None:
    """Return what the slash command `text` stands for; None when it is none, or is for another bot (`/help@other`)."""
    found = _COMMAND.fullmatch(text)
    if found is None or (found["bot"] or bot_name).casefold() != bot_name.casefold():
        return None
    said, rest = found["name"].casefold(), (found["rest"] or "").strip()
    name = "remind" if said in _REMIND else said
    language = language_of(rest, language)
    if not rest:
        return _WHOLE[language].get(name) or _SENTENCES[language][name]
    if name == "remind" and _STARTS_ALREADY.match(rest):
        return f"remind {rest}" if language == "en" else f"提醒{rest}"
    if name == "summary" and _COUNT.fullmatch(rest):
        return f"summarize the last {rest} messages" if language == "en" else f"总结最近{rest}条消息"
    return _SENTENCES[language][name].format(rest=rest)


class Commands:
    """Turns slash commands into sentences that are addressed to the bot. The history keeps what was typed."""

    def __init__(self, bot_name: str, language: str) -> None:
        self._bot_name = bot_name
        self._language = language

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass on the message, or its sentence."""
        sentence = sentence_of(message.text, self._bot_name, self._language)
        await call_next(message if sentence is None else replace(message, text=sentence, is_addressed=True))
