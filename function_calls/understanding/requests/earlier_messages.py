"""Find the earlier message that "this" or "that" means, and the event or the text that it has."""

from datetime import timedelta
from itertools import takewhile

from function_calls.understanding.reading.names import find_name
from function_calls.understanding.reading.slots.time_words import make_time_words
from function_calls.understanding.reading.times import TimeWords, names_single_day
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.lead_events import find_words_behind_lead
from services.kernel.chat import ChatMessage

_RECENT = timedelta(minutes=10)
"""The greatest age of a message to which "this" or "that" refers."""
_MAX_QUOTE_LENGTH = 200
"""Characters of a message that becomes the content of a reminder."""
_MAX_REMARK_WORDS = 3


def refers_to_that(request: RequestContext) -> bool:
    """Return whether a request is about something that was named before: "2 days before that", "an hour earlier"."""
    words, reading = request.words, request.reading
    is_earlier = reading.has("LEAD") and request.has_phrase(words.earlier) and not request.has_phrase(words.ahead)
    is_content = not reading.has("CONTENT") and request.has_word(words.demonstratives)
    return (
        is_content or is_earlier or any(each.form in words.demonstratives for each in find_words_behind_lead(request))
    )


def read_event_before(request: RequestContext) -> TimeWords | None:
    """Return the only day of the earlier message that "that" means: "2 days before that"; None for none or several.

    It is the message right before, if the sender has written it or has set no reminder, else one of the sender since
    the request for their last reminder.
    """
    turn = request.turn
    if not refers_to_that(request):
        return None
    pointed = None if turn.recent and turn.recent[-1].sender.is_bot else _find_pointed_message(request)
    messages = [each for each in _list_messages_since_last(request) if each is not pointed]
    is_own = pointed is not None and pointed.sender.id == turn.message.sender.id
    for before in filter(None, [pointed if is_own or request.last_set is None else None, *messages]):
        times = request.read_times(before.text)
        best = times[0].best if len(times) == 1 else None
        if names_single_day(best):
            return make_time_words(before.text, times[0])
    return None


def _list_messages_since_last(request: RequestContext) -> list[ChatMessage]:
    """Return the messages of the last minutes that the person has written since setting a reminder, newest first."""
    turn, fold = request.turn, request.words.fold
    last = fold(request.last_content)
    own = (each for each in reversed(turn.recent) if each.sender.id == turn.message.sender.id)
    lately = takewhile(lambda each: turn.message.sent_at - each.sent_at <= _RECENT, own)
    return list(takewhile(lambda each: not last or last not in fold(each.text), lately))


def _find_pointed_message(request: RequestContext) -> ChatMessage | None:
    """Return the message that "this" means: the one replied to, or the last one of a person in the minutes before.

    A remark of a few words behind a message that names a day is passed over. A message to the bot is not meant.
    """
    turn, message = request.turn, request.turn.message
    if message.reply_to is not None:
        return next((each for each in turn.recent if each.id == message.reply_to), None)
    messages = [each for each in turn.recent if not each.sender.is_bot and message.sent_at - each.sent_at <= _RECENT]
    if not messages:
        return None
    last, *earlier = reversed(messages)
    is_remark = len(last.text.split()) <= _MAX_REMARK_WORDS and not request.read_times(last.text)
    times = [time.best for each in earlier[:1] if is_remark for time in request.read_times(each.text)]
    last = earlier[0] if any(best and best.has_day for best in times) else last
    return last if find_name(last.text, turn.bot_name) is None else None


def quote_pointed_message(request: RequestContext) -> str | None:
    """Return the text of the message that "this" means; None where it is not one of a person."""
    before = _find_pointed_message(request)
    if before is None or before.sender.is_bot:
        return None
    text = " ".join(before.text.split()).strip()
    is_long = len(text) > _MAX_QUOTE_LENGTH
    return f"{text[:_MAX_QUOTE_LENGTH].rsplit(' ', 1)[0]}…" if is_long else text
