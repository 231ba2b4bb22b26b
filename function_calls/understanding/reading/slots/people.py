"""Extract the people to remind from the tagged words of a message."""

import re

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import MessageReading
from function_calls.understanding.reading.slots.small_words import EDGE, trim_marks

EVERYONE_ARGUMENT = "everyone"
"""The argument `person` for everyone in the chat."""
_MENTION = re.compile(r"(?<=[^\s,，、&])\s*@")
_JOINTS = (" and", "和", "跟", "与", "及", "、", ",", "，")


def extract_people(reading: MessageReading, words: Lexicon) -> str | None:
    """Return the people that are named, "everyone", or None for the sender alone."""
    people = [trim_marks(piece).removesuffix("'s").removesuffix("’s") for piece in reading.pieces("PERSON")]
    people = [_strip_article(_strip_prepositions(_strip_verb(name, words), words), words) for name in people]
    people = [_strip_word_behind(name, words) for name in people]
    if len(people) > 1:  # "recuérdanos a Ana y a mí": the verb says no more than the names
        people = [name for name in people if not has_pronoun(name, words, words.everyone_endings)] or people
    people = [name for name in people if any(map(str.isalnum, name))]  # no ")" of ";)"
    people = [name for name in people if not has_pronoun(name, words, words.oneself_endings)]
    if not people or all(_is_oneself(name, words) for name in people):
        return None
    excepted = next(filter(None, (_find_excepted(name, words) for name in people)), "")
    if excepted:
        return f"{EVERYONE_ARGUMENT} except {excepted}"
    for name in people:
        folded = words.fold(name).lstrip("@")
        if folded in words.both_of_us:
            return folded
        is_verb = has_pronoun(name, words, words.everyone_endings)
        if is_verb or folded in words.everyone or _is_whole_group(folded, words):
            return EVERYONE_ARGUMENT
    return ", ".join(dict.fromkeys(_MENTION.sub(_separate_mention, name) for name in people))


def _strip_verb(names: str, words: Lexicon) -> str:
    """Return Chinese names without the end of the verb in front of them: 只提|醒Momo和老K."""
    return names if words.joint else names.lstrip("".join(words.reminding)) or names


def _strip_word_behind(names: str, words: Lexicon) -> str:
    """Return names without "both", or the preposition that leads to the content, behind them: "everyone of"."""
    ahead, space, last = names.rpartition(words.joint) if words.joint else ("", "", "")
    is_both = last.casefold() in words.both and words.fold(names) not in words.both_of_us  # "Ann and Ben both"
    return ahead if space and (is_both or last.casefold() in words.prepositions) else names


def _strip_prepositions(names: str, words: Lexicon) -> str:
    """Return names without the prepositions and articles in front of each, and without the verb: "a mí y a Luz"."""
    text = names.split() if words.person_marks else []
    names_only: list[str] = []
    is_first, is_marked = True, False
    for word, following in zip(text, [*text[1:], ""], strict=False):
        is_article = is_marked and word in words.articles and following[:1].isupper()
        is_marked = is_first and word in words.person_marks
        is_first = word.endswith(",") or word in words.and_words
        if not (is_marked or is_article or words.fold(word) in words.reminding):
            names_only.append(word)
    names_only = names_only or text
    return " ".join(names_only) if len(names_only) < len(text) else names


def _strip_article(name: str, words: Lexicon) -> str:
    """Return a name without the article that stands in front of it where people speak so: "la Mari"."""
    article, _, rest = name.partition(" ")
    return rest if words.before_names and words.fold(article) in words.articles and rest[:1].isupper() else name


def has_pronoun(name: str, words: Lexicon, endings: tuple[str, ...]) -> bool:
    """Return whether a word is a verb such as "dímelo", with one of `endings`, which say whom it is for."""
    folded = words.fold(name)
    return folded.isalpha() and folded.startswith(words.asking_stems) and folded.endswith(endings)


def _is_oneself(name: str, words: Lexicon) -> bool:
    """Return whether a name is a pronoun for the person who asks: "me", 我."""
    folded = words.fold(name)
    return folded in words.oneself or (
        words.joint != "" and words.oneself.issuperset({*folded.split()} - {*words.person_marks})
    )


def _is_whole_group(name: str, words: Lexicon) -> bool:
    """Return whether a name means everyone in the chat: "all leaders", "the whole choir", "everyone and Kim"."""
    if any(name.startswith(f"{word}{words.joint}") for word in words.all_of):
        return True
    first, _, bare = name.partition(" ")
    if bare and first in words.everyone and bare.partition(" ")[0] in words.and_words:
        return True
    if bare and any(name.endswith(f" {word}") for word in words.whole_of):  # "coro completo"
        return True
    is_group = bare in words.everyone or any(bare.startswith(f"{word} ") for word in words.whole_of)
    return first in words.articles and is_group


def _separate_mention(mention: re.Match[str]) -> str:
    """Return the mark of a mention with a comma in front of it, where no other word joins it to the one before."""
    before = mention.string[: mention.start()]
    return mention[0] if before.endswith(_JOINTS) else f", {mention[0].strip()}"


def _find_excepted(name: str, words: Lexicon) -> str:
    """Return who is excepted from everyone: "Kim" of "everyone but Kim"; "" for nobody."""
    folded = words.fold(name)
    for word in words.exceptions:
        before, found, behind = f"{words.joint}{folded}".partition(f"{words.joint}{word}{words.joint}")
        if before and found and not words.joint and any(group.endswith(behind[1:]) for group in words.everyone):
            return name[: len(before)]  # 小李以外的人
        if behind and (not before or before.strip() in words.everyone):
            excepted = name[len(name) - len(behind) :].strip()
            for ending in (*words.exceptions, *words.everyone):
                excepted = excepted.removesuffix(ending)
            return excepted.strip(EDGE)
    return ""
