"""Answer messages to the bot that were not understood: with a hint for the nearest request, or with help."""

import re

from function_calls.language.messages import knows, say
from function_calls.language.recognized_phrases import is_greeting
from function_calls.tools.calls import Interpretation, ToolCall, Turn
from function_calls.tools.confirmation.yes_no import parse_yes_no
from function_calls.understanding.acknowledgements import is_acknowledgement
from function_calls.understanding.dialogue.addressee_by_name import is_vocative, replies_to_other_person
from function_calls.understanding.dialogue.circumstances import has_trigger
from function_calls.understanding.dialogue.dialogue import Dialogue
from function_calls.understanding.dialogue.intent_choice import IntentChooser
from function_calls.understanding.dialogue.message_reader import MAX_TEXT_LENGTH
from function_calls.understanding.dialogue.utterance import Utterance
from function_calls.understanding.handlers.intent_handlers import find_probable_topic, find_topic_by_word
from function_calls.understanding.local_lookup import make_local_lookup
from function_calls.understanding.reading.lexicon import detect_language, load_lexicon
from function_calls.understanding.reading.message import (
    CERTAIN,
    NOTHING,
    QUESTION_MARKS,
    Situation,
    load_models,
    read_message,
)
from function_calls.understanding.reading.names import strip_calls, strip_names, trim
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.tool_calls import CallMaker
from services.reminders.model import Reminder
from services.time_expressions import ReadTimes

_BEGINNING_LENGTH = 80
"""The first characters of a message that is too long, which tell whether it is a request."""
_MIN_QUESTION_WORDS = 3
_SEARCHING_INTENTS = ("ask", "recall", "when_is")
_MIN_QUESTION_PROBABILITY = 0.3
"""The probability of a question for facts from which one is looked up."""
_MIN_SEARCH_PROBABILITY = 0.5
"""The probability of a search of the chat from which a question is looked up."""
_MIN_HELP_PROBABILITY = 0.2
"""The probability of a question about the bot from which one is not looked up."""
_CLAUSE_END = re.compile(r"[,，.。!！~～…]")
_MIN_TALK_PROBABILITY = 0.5
"""The probability from which a message that only names the bot is talk."""
_MIN_TOKENS_OF_TALK = 3
_MIN_TOPIC_PROBABILITY = 0.25
"""The share of an intent that is worth a hint how to say it."""


class FallbackAnswers:
    """Answers messages without a request that is understood: with a hint, help or a lookup, or not at all."""

    def __init__(self, times: ReadTimes, dialogue: Dialogue, intents: IntentChooser, *, searches_web: bool) -> None:
        self._times = times
        self._dialogue = dialogue
        self._intents = intents
        self._searches_web = searches_web

    def answer(self, utterance: Utterance) -> Interpretation:
        """Return the answer to a message without a request: a hint, help, a lookup, or nothing for talk and thanks."""
        turn = utterance.turn
        text = strip_names(turn.message.text, (turn.bot_name,))
        is_for_bot = turn.message.is_for_bot
        asks_for_help = utterance.is_addressed and utterance.reading.intent == "help" and utterance.reading.is_question
        if not is_for_bot and (asks_for_help or self._intents.asks_for_change(utterance)):
            return Interpretation(answer=render_hint(utterance, searches_web=self._searches_web), must_reply=True)
        is_thanks = is_acknowledgement(text) or _is_remark_behind_thanks(text, utterance)
        if not is_for_bot or is_thanks or _is_talk(utterance):
            return Interpretation()
        if parse_yes_no(turn.message.text, turn.bot_name) is not None:
            return Interpretation(answer=say(turn.language, "offline.nothing_open"), must_reply=True)
        calls = self._look_up(utterance, query=trim(strip_calls(text, turn.bot_name)))
        if calls:
            return Interpretation(calls=calls)
        return Interpretation() if _is_only_reply_to_bot(turn) else self._give_hint(utterance)

    def _give_hint(self, utterance: Utterance) -> Interpretation:
        """Return a hint; the reminder that it names is the one that "4pm" or "it" then means."""
        turn, reminder = utterance.turn, find_hinted_reminder(utterance)
        if reminder is not None and utterance.reading.intent == "move":
            shown = CallMaker(turn).call("reminder_list", {"filter": reminder.id})
            self._dialogue.note(utterance.key, turn, (shown,))
        return Interpretation(answer=render_hint(utterance, searches_web=self._searches_web))

    def _look_up(self, utterance: Utterance, query: str) -> tuple[ToolCall, ...]:
        """Return the calls that look up the answer to a question: in the web, or in the chat."""
        from services.summary.content import asks

        reading, maker = utterance.reading, CallMaker(utterance.turn)
        is_long = sum(token.form.isalnum() for token in reading.tokens) >= _MIN_QUESTION_WORDS
        has_mark = is_long and reading.text.rstrip().endswith(QUESTION_MARKS)
        is_search = reading.probability("find") >= _MIN_SEARCH_PROBABILITY and asks(reading.text)
        is_asked = (
            has_mark or is_search or sum(map(reading.probability, _SEARCHING_INTENTS)) >= _MIN_QUESTION_PROBABILITY
        )
        is_about_bot = reading.probability("help") > max(_MIN_HELP_PROBABILITY, reading.probability("ask"))
        if not is_asked or is_about_bot or not maker.offers("perplexity_search"):
            return ()
        here = () if self._searches_web else make_local_lookup(utterance.turn, query)
        return here or (maker.call("perplexity_search", {"query": query}),)

    def answer_unread(self, turn: Turn) -> Interpretation:
        """Return the answer to a message that the models do not read: too long, only a sign, or for others."""
        is_long = len(turn.message.text) > MAX_TEXT_LENGTH
        if not turn.message.is_for_bot and not (is_long and self._is_request(turn)):
            return Interpretation()
        if is_long:
            return Interpretation(answer=say(turn.language, "offline.too_long", limit=MAX_TEXT_LENGTH), must_reply=True)
        if is_acknowledgement(strip_names(turn.message.text, (turn.bot_name,))) or _is_only_reply_to_bot(turn):
            return Interpretation()
        return Interpretation(answer=render_help(turn, searches_web=self._searches_web))

    def _is_request(self, turn: Turn) -> bool:
        """Return whether a message that is too long begins as a request to be reminded, for nobody else."""
        if replies_to_other_person(turn):
            return False
        text = turn.message.text[:_BEGINNING_LENGTH]
        language = detect_language(text, turn.language)
        models = load_models(language)
        situation = Situation(is_addressed=False)
        reading = read_message(text, turn.message_time, situation, models, self._times, language)
        return reading.probability("set") >= CERTAIN and has_trigger(reading, load_lexicon(language))


def _is_remark_behind_thanks(text: str, utterance: Utterance) -> bool:
    """Return whether a message begins with thanks and surely asks for nothing: "thanks, you saved my day"."""
    is_question = text.rstrip().endswith(QUESTION_MARKS)
    is_talk = utterance.reading.probability(NOTHING) >= CERTAIN
    return is_talk and not is_question and is_acknowledgement(_CLAUSE_END.split(text.strip(" ,，:："), maxsplit=1)[0])


def _is_talk(utterance: Utterance) -> bool:
    """Return whether a message names the bot but speaks about it: it asks nothing and is probably for people."""
    from services.summary.content import asks

    message, reading, words = utterance.turn.message, utterance.reading, utterance.words
    if message.is_private or message.reply_to is not None or len(reading.tokens) < _MIN_TOKENS_OF_TALK:
        return False
    orders = tuple(f"{phrase}{words.joint}" for phrase in words.calling)  # "tell me"
    is_order = words.joint.join([*reading.forms, ""]).startswith(orders)
    calls_bot = is_vocative(message.text, utterance.turn.bot_name) or is_greeting(reading.text)
    has_second_person = not words.second_person.isdisjoint(reading.forms)
    if asks(message.text) or is_order or calls_bot or has_second_person:
        return False
    return reading.probability(NOTHING) >= _MIN_TALK_PROBABILITY


def _is_only_reply_to_bot(turn: Turn) -> bool:
    """Return whether a message is for the bot only as a reply to it: people talk to each other there."""
    message = turn.message
    names_bot = turn.bot_name.casefold() in message.text.casefold()
    return message.reply_to is not None and not message.is_private and not names_bot


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
    topic = find_probable_topic(reading, minimum=_MIN_TOPIC_PROBABILITY)
    if topic is None and reading.probability("help") >= _MIN_TOPIC_PROBABILITY:
        topic = find_topic_by_word(reading, utterance.words)
    if topic == "ask" and not searches_web:
        topic = "find"
    if topic is None:
        common = utterance.common_words
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
    """Return the clock at which a reminder comes next, in the zone of the sender; "-" where it comes no more."""
    fires = reminder.next_fires
    return f"{fires[0].astimezone(turn.zone):%H:%M}" if fires else "-"
