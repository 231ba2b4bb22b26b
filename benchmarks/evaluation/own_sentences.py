"""Load the project's own group messages, labelled with the calls they ask for, and read them without a model."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime
from importlib.resources import files
from zoneinfo import ZoneInfo

from msgspec import Struct, convert
from msgspec.structs import replace

from bot.app.registry import built_in_registry
from function_calls.tools.calls import Interpretation, Turn
from function_calls.understanding.interpreter import OfflineInterpreter
from function_calls.understanding.requests.chat_reminders import ChatReminders
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.time_expressions import parse_all
from tests.support.reminders import make_reminder

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 4, 10, 0, tzinfo=ZONE)
"""The time of all messages, a Wednesday."""
LANGUAGES = ("en", "zh")

_BETWEEN_NAMES = re.compile(r"[@,、，和\s]+|\band\b")
_DUE = datetime(2026, 3, 6, 17, 0, tzinfo=ZONE)
_HOME = ChatAddress(platform="console", chat_id="home")
_ANN = Person(id="ann", name="Ann")
_BOT = Person(id="bot", name="Bubbles", is_bot=True)


class WantedCall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call of a function, with the arguments that are judged."""

    tool: str
    arguments: Mapping[str, object] = {}


class OwnSentence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message to a group and the calls that it asks for, which are none if the bot has to ask back.

    `behind` are the messages that the same person wrote just before, `delivered` is the text of the last reminder that
    the bot sent, and `reminders` are the texts of the reminders of the chat, which are due on Friday at 17:00.
    """

    text: str
    addressed: bool = False
    behind: tuple[str, ...] = ()
    delivered: str = ""
    reminders: tuple[str, ...] = ()
    calls: tuple[WantedCall, ...] = ()


class SentenceReading(Struct, frozen=True, kw_only=True):
    """A sentence with its interpretation without a model."""

    sentence: OwnSentence
    interpretation: Interpretation

    @property
    def is_right(self) -> bool:
        """Return whether the calls are exactly the wanted ones, with the wanted arguments."""
        calls, wanted = self.interpretation.calls, self.sentence.calls
        pairs = zip(calls, wanted, strict=False)
        return len(calls) == len(wanted) and all(
            call.name == each.tool and _normalize(each.arguments).items() <= _normalize(call.arguments).items()
            for call, each in pairs
        )


def _normalize(arguments: Mapping[str, object]) -> dict[str, object]:
    """Return arguments with single spaces, and with a set of names for people."""
    normalized = {
        name: " ".join(value.split()) if isinstance(value, str) else value for name, value in arguments.items()
    }
    if isinstance(people := normalized.get("person"), str):
        normalized["person"] = frozenset(filter(None, _BETWEEN_NAMES.split(people)))
    return normalized


def load_own_sentences(language: str) -> tuple[OwnSentence, ...]:
    """Return the labelled sentences of `language`."""
    file = files(__package__).joinpath("cases", f"sentences_{language}.toml")
    return convert(tomllib.loads(file.read_text(encoding="utf-8"))["sentence"], tuple[OwnSentence, ...])


def read_sentences(sentences: Iterable[OwnSentence], language: str) -> list[SentenceReading]:
    """Read each sentence in a new dialogue."""
    return [SentenceReading(sentence=each, interpretation=_interpret(each, language)) for each in sentences]


def _interpret(sentence: OwnSentence, language: str) -> Interpretation:
    interpreter = OfflineInterpreter()
    known = ChatReminders(
        tuple(make_reminder(text, _DUE, language=language) for text in sentence.reminders), NOW, parse_all
    )
    for text in sentence.behind:
        interpreter.read(_make_turn(text, language, is_addressed=True))
    return interpreter.read(
        _make_turn(sentence.text, language, sentence.delivered, is_addressed=sentence.addressed), known
    )


def _make_turn(text: str, language: str, delivered: str = "", *, is_addressed: bool) -> Turn:
    message = ChatMessage(id="m1", address=_HOME, sender=_ANN, text=text, sent_at=NOW, is_addressed=is_addressed)
    tools = tuple(tool.spec for tool in built_in_registry())
    reminder_message = replace(message, id="b1", sender=_BOT, text=f"⏰ {delivered}", is_addressed=False)
    return Turn(
        message=message,
        now=NOW,
        zone=ZONE,
        language=language,
        bot_name="Bubbles",
        tools=tools,
        recent=(reminder_message,) if delivered else (),
    )
