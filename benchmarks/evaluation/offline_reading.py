"""Read single phrases and sentences of corpora without a model."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct
from pydantic import BaseModel

from benchmarks.evaluation.time_cases import TimeAnswer
from function_calls.models import PerplexityArgs, ReminderArgs, ReminderDeleteArgs, ReminderListArgs, SummaryArgs
from function_calls.tools.calls import Conversation, ToolSpec, Turn
from function_calls.understanding.dialogue.intent_decision import CAREFUL
from function_calls.understanding.interpreter import OfflineInterpreter
from function_calls.understanding.open_questions import OpenQuestion, OpenQuestions
from function_calls.understanding.reading.lexicon import load_lexicon
from function_calls.understanding.reading.message import MessageReading, Situation, load_models, read_message
from function_calls.understanding.reading.slots.contents import extract_content
from function_calls.understanding.reading.slots.people import extract_people
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.time_expressions import DateOrder, parse, parse_all
from services.time_expressions.resolve.zones import zone_of

SEARCH, _SET, _DELETE = "perplexity_search", "reminder_set", "reminder_delete"
_ZONE = ZoneInfo("Asia/Shanghai")
_SEARCHING = frozenset({"ask", "find"})
_FUNCTIONS: dict[str, type[BaseModel]] = {
    _SET: ReminderArgs,
    "reminder_list": ReminderListArgs,
    _DELETE: ReminderDeleteArgs,
    SEARCH: PerplexityArgs,
    "summary": SummaryArgs,
}
_TOOLS = (
    *(ToolSpec(name=name, description=name, parameters=args.model_json_schema()) for name, args in _FUNCTIONS.items()),
    *(ToolSpec(name=name, description=name, parameters={}) for name in ("reminder_update", "reminder_snooze")),
)
_CHANGES = {"reminder_snooze": "reminder_update"}
_UPDATES = frozenset({"move", "reword", "append", "skip", "until", "once", "keep_days", "add_days"})
"""Intents that change a reminder."""


class Understood(Struct, frozen=True, kw_only=True):
    """The tool that a sentence asks for, and the parts of a reminder, which are empty if they were not found.

    `when` are the words of a time, also of one that is not exact ("later").
    """

    tool: str
    content: str = ""
    person: str = ""
    when: str = ""
    rule: str = ""


def read_phrase(text: str, reference: datetime, language: str, order: str) -> TimeAnswer | None:
    """Return the best reading of the time in `text`, with recurrences below a minute, which reminders refuse.

    Times of the corpora have no zone; UTC is used for the zone of the speaker. The corpora label "5pm PST" as 17:00, in
    the zone that is named, so the answer is converted to that zone.
    """
    found = parse(
        text,
        reference.replace(tzinfo=UTC),
        language=language,
        order=DateOrder(order) if order else None,
        shortest_period=timedelta(seconds=1),
    ).best
    if found is None:
        return None
    start = (found.start.astimezone(zone_of(found.zone)) if found.zone else found.start).replace(tzinfo=None)
    rule = found.rrule or ""
    if rule and start.date() > reference.date() + timedelta(days=1):
        # The text names a later start; a default hour that has passed moves it to tomorrow at most.
        rule = f"DTSTART={start:%Y%m%d};{rule}"
    return TimeAnswer(start=start, rule=rule)


def read_sentence(text: str, language: str, now: datetime, *, is_addressed: bool = False) -> Understood | None:
    """Return the request of `text`, or None if there is none.

    The corpora do not label which questions are for an assistant. A question that the bot would look up if it were
    addressed counts as a search.
    """
    message = ChatMessage(
        id="1",
        address=ChatAddress(platform="corpus", chat_id="1"),
        sender=Person(id="1", name="Ann"),
        text=text,
        sent_at=now.replace(tzinfo=_ZONE),
        is_addressed=is_addressed,
    )
    turn = Turn(message=message, now=message.sent_at, zone=_ZONE, language=language, bot_name="bubbles", tools=_TOOLS)
    questions = OpenQuestions()
    interpretation = OfflineInterpreter(questions=questions).read(turn)
    key = Conversation(chat=message.address, person=message.sender).key
    question = questions.find_open(key, message.sent_at) or OpenQuestion(asks="content")

    def read_as(is_addressed: bool) -> MessageReading:
        situation = Situation(is_addressed=is_addressed)
        return read_message(text, message.sent_at, situation, load_models(language), parse_all, language)

    for call in interpretation.calls[:1]:
        tool = _CHANGES.get(call.name, call.name)
        return (
            _make_reminder(read_as(is_addressed), language, call.arguments) if tool == _SET else Understood(tool=tool)
        )
    if interpretation.must_reply:
        reading = read_as(is_addressed)
        if reading.intent == "set":  # the bot asks for the time
            return _make_reminder(reading, language, {"content": question.content, "person": question.person or ""})
        if reading.intent == "delete":  # the bot asks for the reminder
            return Understood(tool=_DELETE)
        if reading.intent in _UPDATES:
            return Understood(tool="reminder_update")
    addressed = read_as(is_addressed=True)
    is_asked = addressed.intent in _SEARCHING and addressed.intents[0][1] >= CAREFUL["ask"]
    return Understood(tool=SEARCH) if is_asked else None


def _make_reminder(reading: MessageReading, language: str, arguments: Mapping[str, object]) -> Understood:
    lexicon = load_lexicon(language)
    content = str(arguments.get("content") or extract_content(reading, lexicon))
    person = str(arguments.get("person") or extract_people(reading, lexicon) or "")
    return Understood(
        tool=_SET,
        content=content,
        person=person.replace(",", "").replace(" and ", " "),  # the corpora label each name
        when=reading.words("WHEN") or reading.words("EVENT") or reading.words("LEAD") or str(arguments.get("time", "")),
        rule=str(arguments.get("rrule") or ("" if arguments.get("type", "once") == "once" else arguments["type"])),
    )
