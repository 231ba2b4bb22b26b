"""Readings of sentences with written tags, which tests interpret without weights."""

import re
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from function_calls.functions.preferences.models import QuietHoursArgs, TimeZoneArgs
from function_calls.functions.reminders.models import ReminderSnoozeArgs, ReminderStateArgs, ReminderUpdateArgs
from function_calls.models import ReminderArgs, ReminderDeleteArgs, ReminderListArgs, SummaryArgs, SummaryScheduleArgs
from function_calls.tools.calls import Interpretation, ToolCall, ToolSpec, Turn
from function_calls.understanding.handlers.intent_handlers import handle_intent
from function_calls.understanding.open_questions import OpenQuestion, OpenQuestions
from function_calls.understanding.reading.lexicon import load_lexicon
from function_calls.understanding.reading.message import MessageReading
from function_calls.understanding.reading.tokens import find_time_spans, mark_seconds, tokenize
from function_calls.understanding.requests.reminder_answers import ReminderAnswers
from function_calls.understanding.requests.request_context import RequestContext
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.time_expressions import parse_all

NOW = datetime(2026, 11, 24, 10, 0, tzinfo=ZoneInfo("Europe/London"))  # a Tuesday
_MODELS = {
    "reminder_set": ReminderArgs,
    "reminder_list": ReminderListArgs,
    "reminder_delete": ReminderDeleteArgs,
    "reminder_update": ReminderUpdateArgs,
    "reminder_state": ReminderStateArgs,
    "reminder_snooze": ReminderSnoozeArgs,
    "summary": SummaryArgs,
    "summary_schedule": SummaryScheduleArgs,
    "time_zone": TimeZoneArgs,
    "quiet_hours": QuietHoursArgs,
}
_TOOLS = tuple(
    ToolSpec(name=name, description=name, parameters=model.model_json_schema()) for name, model in _MODELS.items()
)
_TAGGED = re.compile(r"\{(?P<tag>[A-Z]+):(?P<words>[^}]*)\}|\|\| ")


def read_tagged(sentence: str, intent: str = "set", language: str = "en") -> MessageReading:
    """Return the reading of a sentence such as "remind {PERSON:me} {WHEN:at 5} to {CONTENT:call mum}".

    `|| ` stands where a further request begins.
    """
    text, spans, begins = "", [], []
    last = 0
    for found in _TAGGED.finditer(sentence):
        text += sentence[last : found.start()]
        if found["tag"] is None:
            begins.append(len(text))
        else:
            spans.append((len(text), len(text) + len(found["words"]), found["tag"]))
            text += found["words"]
        last = found.end()
    text += sentence[last:]
    return read_with_tags(text, spans, intent, language, begins)


def read_with_tags(
    text: str, spans: Sequence[tuple[int, int, str]], intent: str, language: str, begins: Sequence[int] = ()
) -> MessageReading:
    """Return the reading of `text` with the tags of `spans` (start, end, tag); requests begin at `begins`."""
    tokens = tokenize(text, find_time_spans(parse_all(text, mark_seconds(NOW), language=language)), {})
    tags = (
        next((tag for start, end, tag in spans if start < token.end and token.start < end), "O") for token in tokens
    )
    places = tuple(next(at for at, token in enumerate(tokens) if token.start >= begin) for begin in begins)
    return MessageReading(text, tokens, ((intent, 1.0),), tuple(tags), places)


def interpret_tagged(
    sentence: str | MessageReading,
    intent: str = "set",
    language: str = "en",
    *,
    last_set: dict[str, object] | None = None,
    last_here: dict[str, object] | None = None,
    question: OpenQuestion | None = None,
    may_point: bool = False,
    recent: tuple[ChatMessage, ...] = (),
) -> Interpretation | None:
    """Return the interpretation of a tagged sentence, or a reading, in an addressed message.

    `last_set` was set before by the person who asks, `last_here` by anybody in the chat.
    """
    reading = read_tagged(sentence, intent, language) if isinstance(sentence, str) else sentence
    message = make_message(reading.text, by="ann")
    turn = Turn(
        message=message,
        now=NOW,
        zone=ZoneInfo("Europe/London"),
        language=language,
        bot_name="bubbles",
        tools=_TOOLS,
        recent=recent,
    )
    request = RequestContext(
        turn=turn,
        reading=reading,
        words=load_lexicon(language),
        language=language,
        times=parse_all,
        answers=ReminderAnswers(turn, OpenQuestions(), "key"),
        question=question,
        last_set=None if last_set is None else ToolCall(id="before", name="reminder_set", arguments=last_set),
        last_here=None if last_here is None else ToolCall(id="here", name="reminder_set", arguments=last_here),
        is_addressed=True,
        may_point=may_point,
    )
    return handle_intent(request, lambda start: reading.intents)


def make_message(text: str, by: str) -> ChatMessage:
    """Return a message of the person called `by` to the bot."""
    return ChatMessage(
        id="m1",
        address=ChatAddress(platform="console", chat_id="home"),
        sender=Person(id=by, name=by),
        text=text,
        sent_at=NOW,
        is_addressed=True,
    )


def arguments_of(*args: object, **kwargs: object) -> list[dict[str, object]]:
    """Return the arguments of the calls of a tagged sentence; arguments as for `interpret_tagged`."""
    made = interpret_tagged(*args, **kwargs)  # type: ignore[arg-type]
    assert made is not None
    return [dict(call.arguments) for call in made.calls]
