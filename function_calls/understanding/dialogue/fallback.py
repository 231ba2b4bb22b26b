"""Answer messages to the bot that were not understood: with a hint for the nearest request, or with help."""

from function_calls.language.messages import knows, say
from function_calls.tools.calls import Turn
from function_calls.understanding.dialogue.utterance import Utterance
from function_calls.understanding.handlers.intent_handlers import find_probable_topic, find_topic_by_word
from function_calls.understanding.reading.lexicon import load_common_words
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.tool_calls import CallMaker
from services.reminders.model import Reminder

_LEAST_LIKELY = 0.25
"""The share of an intent that is worth a hint how to say it."""


def render_help(turn: Turn, *, searches_web: bool) -> str:
    """Return what the bot can do, with an example for each tool that works in this chat."""
    search = ("perplexity_search", "help_web") if searches_web else ("history_search", "help_chat")
    examples = (("reminder_set", "help_set"), ("reminder_list", "help_list"), search, ("summary", "help_missed"))
    maker = CallMaker(turn)
    keys = ("help", *(key for tool, key in examples if maker.offers(tool)))
    return "\n".join(say(turn.language, f"offline.{key}") for key in keys)


def render_hint(utterance: Utterance, *, searches_web: bool) -> str:
    """Return how to word the request nearest to the message, with the reminder's own text, else the help text."""
    turn, reading, reminders = utterance.turn, utterance.reading, utterance.chat_reminders
    topic = find_probable_topic(reading, least=_LEAST_LIKELY)
    if topic is None and reading.probability("help") >= _LEAST_LIKELY:
        topic = find_topic_by_word(reading, utterance.words)
    if topic == "ask" and not searches_web:
        topic = "find"
    if topic is None:
        common = load_common_words(utterance.language)
        mentioned = None if reminders is None else reminders.find_only_closest(reading.text, common)
        if mentioned is None:
            return render_help(turn, searches_web=searches_web)
        return say(turn.language, "near.any", content=mentioned.content, time=_format_time(turn, mentioned))
    near = f"near.{topic}"
    reminder = find_hinted_reminder(utterance) if knows(near) else None
    if reminder is None:
        return say(turn.language, "how.guess", how=say(turn.language, f"how.{topic}"))
    return say(turn.language, near, content=reminder.content, time=_format_time(turn, reminder))


def find_hinted_reminder(utterance: Utterance) -> Reminder | None:
    """Return the first reminder that the message names; None for none."""
    reminders = utterance.chat_reminders
    if reminders is None:
        return None
    names = extract_references(utterance.reading, utterance.words)
    return next((reminder for name in names for reminder in reminders.resolve(name)), None)


def _format_time(turn: Turn, reminder: Reminder) -> str:
    fires = reminder.next_fires
    return f"{fires[0].astimezone(turn.zone):%H:%M}" if fires else "-"
