"""Tell by names whether a message calls the bot, calls another person, or only mentions the bot."""

import re
from functools import cache

from function_calls.language.recognized_phrases import is_greeting
from function_calls.tools.calls import Turn
from function_calls.understanding.reading.lexicon import Lexicon, detect_language, load_lexicon
from function_calls.understanding.reading.message import QUESTION_ENDS
from function_calls.understanding.reading.names import find_members, find_name
from function_calls.understanding.reading.slots.small_words import match_any
from function_calls.understanding.reading.tokens import CLAUSE_MARK

_MAX_INTERJECTIONS = 3
"""The words of interjections that may stand in front of a name."""
_MAX_REPLY_LETTERS = 12
"""The most characters of a reply to an unknown message that may be for the bot."""
_END_MARKS = " .!?。！？~～"
_REPEATED_LETTER = re.compile(r"(.)\1+")


def addresses_bot(turn: Turn) -> bool:
    """Return whether a message is for the bot, or calls it by its name in the middle."""
    message = turn.message
    if message.is_for_bot:
        return True
    match = find_name(message.text, turn.bot_name)
    if match is None:
        return False
    is_last = not message.text[match.end() :].strip(_END_MARKS)
    is_first = _begins_sentence(message.text, match) or _follows_interjections(turn, match)
    return is_last or is_first or is_vocative(message.text, turn.bot_name)


def replies_to_unknown(turn: Turn) -> bool:
    """Return whether a message replies to an unknown one, which may be a reminder that is still being sent."""
    return turn.message.reply_to is not None and not addresses_bot(turn)


def replies_to_other_person(turn: Turn) -> bool:
    """Return whether a message replies to another person; "done" may reply to a reminder that is still being sent."""
    message = turn.message
    if message.reply_to is None or message.is_for_bot:
        return False
    is_recent = any(each.id == message.reply_to for each in turn.recent)
    return is_recent or len(message.text) > _MAX_REPLY_LETTERS


def is_vocative(text: str, name: str) -> bool:
    """Return whether a text calls the bot by its name, and does not only mention it."""
    bot = re.escape(name)
    call = rf"@{bot}|(?:^|[\s,，]){bot}\s*[,，:：!！?？~]|[,，]\s*{bot}\s*[.!?。！？~]*$"
    return re.search(call, text, re.IGNORECASE) is not None


def calls_person(turn: Turn) -> bool:
    """Return whether a message that does not name the bot calls another person of the chat: "and yes Bel, do"."""
    if addresses_bot(turn):
        return False
    people = find_members(turn) - {turn.message.sender.name}
    language = detect_language(turn.message.text, turn.language)
    text = _strip_interjections(turn.message.text.casefold().strip(_END_MARKS), language)
    words = load_lexicon(language)
    if _ends_with_title(text, words) or _begins_with_form_of_address(text, words):
        return True
    favours = f"(?:{match_any((*words.favours, *words.triggers))})"
    is_question = turn.message.text.rstrip().endswith(QUESTION_ENDS)
    behind_name = (rf"\s+(?:{favours}|)" if is_question else rf"\s+{favours}") if words.joint else rf"\s*{favours}"
    second_person = f"(?:{match_any(words.second_person)})"
    second_person = rf"\s+{second_person}\b" if words.joint else rf"\s*{second_person}"
    return any(
        re.match(rf"{name}\s*[,，:：]", text)
        or re.match(rf"{name}{behind_name}", words.fold(text))
        or re.search(rf"[,，。！!?？]\s*{name}{second_person}", words.fold(text))
        or re.search(rf"(?:[,，]|\s(?:{match_any(words.polite)}))\s*{name}(?:$|[,，])", text)
        for name in (re.escape(name.casefold()) for name in people if name)
    )


def calls_group(text: str, words: Lexicon) -> bool:
    """Return whether `text` begins with a call of the whole chat, alone or in a greeting: "morning team, …"."""
    end = CLAUSE_MARK.search(text)
    clause = words.fold(text[: end.start()]) if end else ""
    called = max((word for word in words.everyone if words.has_any((word,), clause)), key=len, default="")
    rest = clause.replace(called, "", 1).strip()
    return bool(called) and (not rest or is_greeting(rest))


def _ends_with_title(text: str, words: Lexicon) -> bool:
    """Return whether a question ends with a surname and a title: 能晚一天吗赵师傅."""
    ending = rf"(?:{match_any(words.question_particles)})\s*\w{{1,2}}(?:{match_any(words.titles)})$"
    return bool(words.titles) and re.search(ending, words.fold(text)) is not None


def _begins_with_form_of_address(text: str, words: Lexicon) -> bool:
    """Return whether a request begins with a word by which people call each other: "mum can you remind me"."""
    requests = match_any((*words.favours, *words.reminding))
    return (
        bool(words.forms_of_address)
        and re.match(rf"(?:{match_any(words.forms_of_address)}),?\s+(?:{requests})\b", text) is not None
    )


def speaks_about_bot(turn: Turn) -> bool:
    """Return whether a message says something about the bot: "maybe Bubbles could remind us".

    Behind a word that takes something back, the name calls the bot: "no sorry Bubbles was at 12".
    """
    match = find_name(turn.message.text, turn.bot_name)
    if match is None or turn.message.is_for_bot:
        return False
    words = load_lexicon(detect_language(turn.message.text, turn.language))
    before = f"{words.joint}{words.fold(turn.message.text[: match.start()]).rstrip(' ,')}"
    if before.endswith(tuple(f"{words.joint}{slip}" for slip in words.slips)):
        return False
    behind = words.fold(turn.message.text[match.end() :]).strip(" ,")
    return behind.startswith(words.about_bot) and words.second_person.isdisjoint(behind.split()[1:2])


def may_state_about_bot(turn: Turn) -> bool:
    """Return whether the bot's name may be the subject of a statement: "Bubbles got me up", "hi! Bubbles is our bot".

    A mention, a reply and a name with a mark behind it call the bot; so does a question.
    """
    match = _find_uncalled_name(turn)
    if match is None:
        return False
    words = load_lexicon(detect_language(turn.message.text, turn.language))
    behind = words.fold(turn.message.text[match.end() :]).replace("’", "'").lstrip(" ")
    return any(re.match(pattern, behind) for pattern in words.statements)


def may_mention_bot(turn: Turn) -> bool:
    """Return whether the words in front of the bot's name mention it without calling it: "run by Bubbles"."""
    from services.summary.content import asks

    match, text = _find_uncalled_name(turn), turn.message.text
    if match is None or asks(text):
        return False
    words = load_lexicon(detect_language(text, turn.language))
    return (
        bool(words.before_bot)
        and re.search(rf"\b(?:{words.before_bot})$", words.fold(text[: match.start()]).rstrip(" ")) is not None
    )


def _find_uncalled_name(turn: Turn) -> re.Match[str] | None:
    """Return the bot's name in a message of a group that is no mention, reply or question; None for none."""
    message = turn.message
    match = find_name(message.text, turn.bot_name)
    is_call = message.is_private or message.reply_to is not None or match is None or match[0].startswith("@")
    return None if is_call or message.text.rstrip().endswith(QUESTION_ENDS) else match


def _begins_sentence(text: str, match: re.Match[str]) -> bool:
    """Return whether the name is a mention, or no word stands right in front of it: "lovely! Bubbles remind me"."""
    before = text[: match.start()].rstrip()[-1:]
    return match[0].startswith("@") or not (before.isascii() and before.isalnum())


def _follows_interjections(turn: Turn, match: re.Match[str]) -> bool:
    """Return whether the sentence has only a few interjections in front of the name: "mmm", "ok so"."""
    text = turn.message.text
    language = detect_language(text, turn.language)
    words = load_lexicon(language)
    before = words.fold(CLAUSE_MARK.split(text[: match.start()])[-1]).split()
    is_short = 0 < len(before) <= _MAX_INTERJECTIONS
    if not is_short or speaks_about_bot(turn):
        return False
    return _load_interjections(language).issuperset(map(_collapse_letters, before))


def _strip_interjections(text: str, language: str) -> str:
    """Return `text` without the few interjections at its beginning that have no mark behind them: "ok so"."""
    words, known = text.split(" "), _load_interjections(language)
    begin = next((at for at, word in enumerate(words) if _collapse_letters(word) not in known), 0)
    return " ".join(words[begin:]) if begin <= _MAX_INTERJECTIONS else text


@cache
def _load_interjections(language: str) -> frozenset[str]:
    """Return the interjections of a language, with letters that people repeat written once."""
    return frozenset(map(_collapse_letters, load_lexicon(language).interjections))


def _collapse_letters(word: str) -> str:
    """Return `word` without the repetition of a letter: "mmm", "oooh"."""
    return _REPEATED_LETTER.sub(r"\1", word)
