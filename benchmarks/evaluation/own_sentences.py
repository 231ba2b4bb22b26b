"""The project's own labelled messages of groups: the calls, with their arguments, that each asks for."""

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
"""When all of them are said: a Wednesday."""
LANGUAGES = ("en", "zh")

_BETWEEN_NAMES = re.compile(r"[@,、，和\s]+|\band\b")
_DUE = datetime(2026, 3, 6, 17, 0, tzinfo=ZONE)
_HOME = ChatAddress(platform="console", chat_id="home")
_ANN = Person(id="ann", name="Ann")
_BOT = Person(id="bot", name="Bubbles", is_bot=True)


class WantedCall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A function and those of its arguments that are judged."""

    tool: str
    arguments: Mapping[str, object] = {}


class OwnSentence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message to a group, and the calls that it asks for; none where it asks for nothing or has to be asked about.

    `behind` are the messages that the same person wrote just before, `delivered` is the text of the reminder that the
    bot sent last, `reminders` are the texts of those of the chat, which are due on Friday at 17:00.
    """

    text: str
    addressed: bool = False
    behind: tuple[str, ...] = ()
    delivered: str = ""
    reminders: tuple[str, ...] = ()
    calls: tuple[WantedCall, ...] = ()


class ReadSentence(Struct, frozen=True, kw_only=True):
    """A sentence and what the offline interpreter made of it."""

    sentence: OwnSentence
    interpretation: Interpretation

    @property
    def is_right(self) -> bool:
        """Return whether exactly the wanted calls are made, with the wanted arguments."""
        made, wanted = self.interpretation.calls, self.sentence.calls
        pairs = zip(made, wanted, strict=False)
        return len(made) == len(wanted) and all(
            call.name == each.tool and _plain(each.arguments).items() <= _plain(call.arguments).items()
            for call, each in pairs
        )


def _plain(arguments: Mapping[str, object]) -> dict[str, object]:
    """Return arguments by what they mean: the names of people without the marks around them, any white space as one."""
    plain = {name: " ".join(value.split()) if isinstance(value, str) else value for name, value in arguments.items()}
    if isinstance(people := plain.get("person"), str):
        plain["person"] = frozenset(filter(None, _BETWEEN_NAMES.split(people)))
    return plain


def own_sentences(language: str) -> tuple[OwnSentence, ...]:
    """Return the sentences of `language`."""
    file = files(__package__).joinpath("cases", f"sentences_{language}.toml")
    return convert(tomllib.loads(file.read_text(encoding="utf-8"))["sentence"], tuple[OwnSentence, ...])


def read_all(sentences: Iterable[OwnSentence], language: str) -> list[ReadSentence]:
    """Read each sentence in a dialogue of its own."""
    return [ReadSentence(sentence=each, interpretation=_interpret(each, language)) for each in sentences]


def _interpret(sentence: OwnSentence, language: str) -> Interpretation:
    interpreter = OfflineInterpreter()
    known = ChatReminders(
        tuple(make_reminder(text, _DUE, language=language) for text in sentence.reminders), NOW, parse_all
    )
    for text in sentence.behind:
        interpreter.read(_turn(text, language, is_addressed=True))
    return interpreter.read(_turn(sentence.text, language, sentence.delivered, is_addressed=sentence.addressed), known)


def _turn(text: str, language: str, delivered: str = "", *, is_addressed: bool) -> Turn:
    message = ChatMessage(id="m1", address=_HOME, sender=_ANN, text=text, sent_at=NOW, is_addressed=is_addressed)
    tools = tuple(tool.spec for tool in built_in_registry())
    sent = replace(message, id="b1", sender=_BOT, text=f"⏰ {delivered}", is_addressed=False)
    return Turn(
        message=message,
        now=NOW,
        zone=ZONE,
        language=language,
        bot_name="Bubbles",
        tools=tools,
        recent=(sent,) if delivered else (),
    )
