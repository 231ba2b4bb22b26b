"""Select the messages to summarise: not commands, not the bot's own, not small talk."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from datetime import timedelta

from services.kernel.chat import ChatMessage
from services.summary.lexicon import is_cjk, lexicon, terms
from services.summary.model import Participant, SummaryWindow

_SLASH_COMMAND = re.compile(r"[/!][A-Za-z]\w*(?:@\w+)?(?:\s|$)")
_MENTION = re.compile(r"^@[^\s,，:：]+[\s,，:：]*")
_NAME_IN_FRONT = re.compile(r"^[^\s,，:：]{1,24}[,，:：]\s*")
_CALL = re.compile(r"^(?:@?[A-Za-z]+(?=[^\W\d_a-z])|\S{1,24}\s+)")
"""A word in front of a request, with which the bot may be called: "Bubbles 提醒我", "Bubbles提醒我"."""
_EDGES = " \t\r\n.,;!?~。，；！？～…"
_AND = re.compile(r"[,，、&]|\s(?:and|y|e)\s|[和与與跟]")  # between names
_MATCHED_LENGTH = 400
"""The length of the beginning of a text in which commands and instructions are matched."""
_ANSWERED_IN = timedelta(hours=1)
"""The longest time between a question and a message of another person that counts as its answer without a reply."""


def content_messages(messages: Iterable[ChatMessage], answered: Container[str] = ()) -> list[ChatMessage]:
    """Return the messages that people wrote to each other, in order.

    Exclude messages of bots, empty ones, commands and questions to the bot, and instructions to a language model.
    `answered` are the ids of messages that the bot answered, which were addressed to it.
    """
    return [message for message in messages if message.id not in answered and is_content(message)]


def find_answered(messages: Iterable[ChatMessage]) -> frozenset[str]:
    """Return the ids of the messages that a bot replied to."""
    return frozenset(message.reply_to for message in messages if message.sender.is_bot and message.reply_to is not None)


def is_content(message: ChatMessage) -> bool:
    """Return whether `message` was written by a person for people."""
    text = message.text.strip()
    if message.sender.is_bot or not text or _SLASH_COMMAND.match(text):
        return False
    if message.is_addressed and not message.is_private and lexicon().question.search(text):
        return False
    return not is_command(text) and lexicon().instruction.search(text[:_MATCHED_LENGTH]) is None


def is_command(text: str) -> bool:
    """Return whether all of `text`, except a mention or name at its beginning, is a request to the bot."""
    head = text.strip()[:_MATCHED_LENGTH]
    bare = _MENTION.sub("", head)
    forms = {head, bare, _NAME_IN_FRONT.sub("", bare)}
    return any(lexicon().command.fullmatch(form.strip(_EDGES)) for form in forms)


def is_request(message: ChatMessage) -> bool:
    """Return whether `message` asks something of the bot, other than to remember what it says."""
    if not message.is_for_bot:
        return is_command(message.text)
    text = message.text.strip()[:_MATCHED_LENGTH]
    called = _CALL.sub("", text)
    forms = (text, called, _CALL.sub("", called))  # "hey Bubbles …"
    return not any(map(lexicon().note.search, forms)) and any(is_command(form) or asks(form) for form in forms)


def asks(text: str) -> bool:
    """Return whether `text` is a question, or says that its author does not know something."""
    head = text.strip()[:_MATCHED_LENGTH]
    return lexicon().question.search(head) is not None or lexicon().inquiry.search(head) is not None


def asks_quantity(text: str) -> bool:
    """Return whether `text` asks when, or how many, how long and the like."""
    return lexicon().quantity_question.search(text[:_MATCHED_LENGTH]) is not None


def find_answers(question: ChatMessage, following: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return the replies to `question` among the messages after it, or else what another person soon said next."""
    others = [
        message
        for message in content_messages(following, find_answered(following))
        if message.sender.id != question.sender.id and not is_request(message)
    ]
    replies = [message for message in others if message.reply_to == question.id]
    statements = (message for message in others if message.reply_to is None and not asks(message.text))
    next_message = next(statements, None)
    if replies or next_message is None or next_message.sent_at - question.sent_at > _ANSWERED_IN:
        return replies
    return [next_message]


def is_chatter(text: str) -> bool:
    """Return whether all of `text` is thanks, assent or a greeting."""
    return not terms(text) or lexicon().chatter.fullmatch(text.strip(_EDGES)[:_MATCHED_LENGTH]) is not None


def narrow(messages: Sequence[ChatMessage], window: SummaryWindow) -> list[ChatMessage]:
    """Apply the filters of `window` that the source does not: end, thread of replies, person and topic."""
    narrowed = _is_before_end(messages, window)
    if window.thread_of is not None:
        narrowed = _thread(narrowed, window.thread_of)
    if window.person is not None:
        narrowed = [message for message in narrowed if _is_by(message, window.person)]
    if window.topic is not None:
        # "What did Ann say about the bill" may be answered in other words.
        narrowed = _filter_topic(narrowed, window.topic) or (narrowed if window.person is not None else [])
    return narrowed


def people(messages: Iterable[ChatMessage]) -> tuple[Participant, ...]:
    """Count messages by person, most first, with the latest name of each."""
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for message in messages:
        counts[message.sender.id] += 1
        names[message.sender.id] = message.sender.name
    return tuple(
        Participant(person_id=person_id, name=names[person_id], message_count=count)
        for person_id, count in counts.most_common()
    )


def _is_before_end(messages: Sequence[ChatMessage], window: SummaryWindow) -> list[ChatMessage]:
    """Keep messages before the end of `window`, by time and, because many platforms have whole seconds, by order."""
    if window.until is None:
        return list(messages)
    earlier = [message for message in messages if message.sent_at < window.until]
    at_the_end = [message for message in messages if message.sent_at == window.until]
    ids = [message.id for message in at_the_end]
    return earlier + (at_the_end[: ids.index(window.before)] if window.before in ids else [])


def _is_by(message: ChatMessage, person: str) -> bool:
    wanted = {each.strip().lstrip("@").casefold() for each in (person, *_AND.split(person))} - {""}
    sender = message.sender
    return not wanted.isdisjoint(each.casefold() for each in (sender.id, sender.name, sender.username))


def _thread(messages: Sequence[ChatMessage], start: str) -> list[ChatMessage]:
    """Keep the message `start`, the messages it replies to, and all replies to these."""
    answers = {message.id: message.reply_to for message in messages}
    chosen_ids: set[str] = set()
    place: str | None = start
    while place is not None and place not in chosen_ids:
        chosen_ids.add(place)
        place = answers.get(place)
    for message in messages:
        if message.reply_to in chosen_ids:
            chosen_ids.add(message.id)
    return [message for message in messages if message.id in chosen_ids]


def _filter_topic(messages: Sequence[ChatMessage], topic: str) -> list[ChatMessage]:
    """Keep messages that share a term with `topic`, and direct replies to them.

    A topic of a single Chinese character, which has no term, may occur anywhere in a message.
    """
    wanted = set(terms(topic))
    parts = (part.strip() for part in _AND.split(topic))
    characters = [part for part in parts if len(part) == 1 and is_cjk(part)]
    on_topic: list[ChatMessage] = []
    chosen_ids: set[str] = set()
    for message in messages:
        has_topic = any(each in message.text for each in characters) or not wanted.isdisjoint(terms(message.text))
        if message.reply_to in chosen_ids or has_topic:
            on_topic.append(message)
            chosen_ids.add(message.id)
    return on_topic
