"""Name the reminders that a request is about, in the form that `reminder_id` takes."""

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise, takewhile

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.lexicon import common_words
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.tag_repair import is_time
from function_calls.understanding.reading.times import halves
from function_calls.understanding.reading.tokens import clauses_of
from function_calls.understanding.requests.reference_resolution import SEVERAL, KnownReminders
from function_calls.understanding.requests.request_context import Asked
from services.kernel.chat import Person
from services.reminders.lookup.several import several_in
from services.reminders.model import EVERYONE, Reminder

LAST, IT = "last", "it"
_DAY = 24 * 60
_MOST_FIGURES = 3
_SHORT_ID = re.compile(r"(?=[a-z]*\d)[a-z][a-z0-9]{3}")
_WORD = re.compile(r"[a-z0-9]+")
_ARTICLES = frozenset({"the", "my", "our"})
_ENDS = frozenset({"please", "pls", "and", "to", "from", ",", ".", "!", "?", ";", "for", "until", "at", "on", "now"})
_FINAL = frozenset({"delete", "pause", "done", "leave"})
"""Intents for which a name must be right: another reminder would be lost."""
_OF_DAYS = frozenset({"skip", "delete", "done", "when_is", "list", "pause"})
"""Intents whose time tells which reminder is meant, not when it is to come."""
_CHANGED = frozenset({"WHEN", "LATER", "EARLIER", "PERSON", "UNTIL"})


def references_of(asked: Asked, *, may_be_several: bool = False) -> list[str]:
    """Return the reminders that are named; empty for the one spoken of last.

    `may_be_several` says that words for all of them may stand beside the name: "everything for tomorrow".
    """
    named = _named(asked, may_be_several=may_be_several)
    if asked.known is None:
        return named
    return _of_sender(named, asked, asked.known) or _known(named, asked, asked.known)


def named_reminder(asked: Asked) -> Reminder | None:
    """Return the one reminder that a request names, or else the one set last; None where it is not known."""
    if asked.known is None:
        return None
    references = references_of(asked)
    if references:
        found = [each for name in references for each in asked.known.named(name)]
    else:
        found = _last(asked, asked.known)
    return found[0] if len(found) == 1 else None


def _last(asked: Asked, known: KnownReminders) -> list[Reminder]:
    """Return the reminder set last by the person who asks, or by another person for them.

    Of two it is the one whose clock is nearer to the one that the request names.
    """
    contents = [
        None if call is None else call.arguments.get("content") for call in (asked.last_set, asked.last_of_other)
    ]
    own, other = ([each for each in _own(asked, known) if each.content == content] for content in contents)
    if len(own) != 1 or len(other) != 1:
        return own or other
    time = slots.one_time(asked.reading.pieces("WHEN"), asked.words, asked.read)
    if time is None or time.best is None or not time.best.has_clock:
        return other if _is_for(other[0], asked.turn.message.sender) else own
    named = halves(time.best) if is_clock_without_half(time.words) else (time.best,)
    clocks = [each.start.hour * 60 + each.start.minute for each in named]
    return min((other, own), key=lambda each: min(_distance(each[0], clock, asked.now) for clock in clocks))


def _distance(reminder: Reminder, clock: int, now: datetime) -> int:
    """Return the minutes between the clock of a reminder and `clock`, in minutes of a day."""
    if not reminder.next_fires:
        return _DAY
    due = reminder.next_fires[0].astimezone(now.tzinfo)
    apart = abs(due.hour * 60 + due.minute - clock)
    return min(apart, _DAY - apart)


def _known(named: list[str], asked: Asked, known: KnownReminders) -> list[str]:
    """Return the references that name a reminder which is there; a reason that was taken for one names none.

    A time that is taken back names the reminder set last, if that or none is then.
    """
    if not named:
        return []
    if asked.may_point and asked.last_set is not None and _takes_back(asked):
        times = [asked.words.as_time[1].format(time=name) if name.isdecimal() else name for name in named]
        found = [each for time in times for each in known.named(time)]
        is_last = not found or any(each.content == asked.last_set.arguments.get("content") for each in found)
        return [] if is_last else list(dict.fromkeys(each.id for each in found))
    if any(name.startswith("all ") for name in named):
        return named
    is_final = asked.reading.intent in _FINAL
    found_names = [name for name in named if known.has(name)]
    if found_names:
        return named if is_final else found_names
    close = known.closest(asked.words.joint.join(named), common_words(asked.language))
    when = asked.reading.words("OLD") or (asked.reading.words("WHEN") if asked.reading.intent in _OF_DAYS else "")
    close = known.due(when or asked.words.joint.join(named), close) if len(close) > 1 else close
    if len(close) == 1:
        return [close[0].id]
    return [] if asked.may_point and not is_final and _is_beside(asked) else named


def _of_sender(named: list[str], asked: Asked, known: KnownReminders) -> list[str]:
    """Return the reminder of the sender that "mine" means, or "my Friday one" among several; else an empty list.

    Of several that "mine" may mean, the one set last counts; otherwise the sender's name stands for all of them.
    """
    pieces, sender = slots.reference_pieces(asked.reading, asked.words), asked.turn.message.sender
    words = [asked.words.fold(piece).strip() for piece in pieces]
    if len(words) != 1 or len(named) > 1 or not asked.words.has_any(asked.words.own, words[0]):
        return []
    is_pronoun = words[0] in asked.words.own_one
    found = known.reminders if is_pronoun else known.named(named[0]) if named else ()
    own = [reminder for reminder in found if _is_for(reminder, sender)]
    if is_pronoun and len(own) > 1 and asked.last_set is not None:
        last = asked.last_set.arguments.get("content")
        own = [reminder for reminder in own if reminder.content == last] or own
    if len(own) == 1 and (is_pronoun or len(found) > 1):
        return [own[0].id]
    return [sender.name] if is_pronoun and own else []


def _takes_back(asked: Asked) -> bool:
    """Return whether a time beside the new one is all that names a reminder: "7, not 6"."""
    return asked.reading.has("OLD") and asked.reading.has("WHEN") and not asked.reading.has("REF")


def _is_beside(asked: Asked) -> bool:
    """Return whether another clause than that of the reference says what is to change: "at 8, I play chess at 9"."""
    tokens, tags = asked.reading.tokens, asked.reading.tags
    others = [clause for clause in clauses_of(tokens) if all(tags[at] != "REF" for at in clause)]
    said = [asked.words.joint.join(tokens[at].form for at in clause) for clause in others]
    is_changed = any(tags[at] in _CHANGED for clause in others for at in clause)
    return is_changed or any(asked.words.has_any(asked.words.change_it, text) for text in said)


def only_one(asked: Asked) -> str:
    """Return the reminder that a request without a name is about where it is not the one set last: "it" elsewhere.

    It is one of another person, or the only one for the person where neither they nor the bot have named one.
    """
    if asked.last_of_other is not None and asked.known is not None:
        meant = _last(asked, asked.known)
        return meant[0].id if len(meant) == 1 else IT
    if asked.known is None or asked.may_point or asked.last_set is not None:
        return IT
    found = [each for each in asked.known.reminders if _is_for(each, asked.turn.message.sender)]
    return found[0].id if len(found) == 1 else IT


def newest_shared(asked: Asked) -> Reminder | None:
    """Return the reminder set last that reminds the person who asks and others; None where none is known."""
    own = asked.turn.message.sender
    shared = [each for each in asked.known.reminders if _reminds(each, own)] if asked.known is not None else []
    others = [each for each in shared if not _is_for(each, own) or each.creator.id != own.id]
    return max(others, key=lambda each: each.created_at, default=None)


def _reminds(reminder: Reminder, person: Person) -> bool:
    name = person.name.casefold()
    people = reminder.targets or (reminder.creator,)
    return any(each.id in {EVERYONE, person.id} or each.name.lstrip("@").casefold() == name for each in people)


def _own(asked: Asked, known: KnownReminders) -> list[Reminder]:
    """Return the reminders that the person has set, or that remind them."""
    own = asked.turn.message.sender
    return [each for each in known.reminders if each.creator.id == own.id or _reminds(each, own)]


def _is_for(reminder: Reminder, person: Person) -> bool:
    name = person.name.casefold()
    people = reminder.targets or (reminder.creator,)
    return all(each.id == person.id or each.name.lstrip("@").casefold() == name for each in people)


def _named(asked: Asked, *, may_be_several: bool) -> list[str]:
    spared = [name for piece in asked.reading.pieces("SPARED") for name in _names(piece, asked)]
    if spared:
        return [f"all except {' and '.join(spared)}"]
    pieces = slots.reference_pieces(asked.reading, asked.words)
    definite = [each for each in pieces if each.strip().casefold() not in asked.words.indefinite]
    named = [name for each in definite for name in _names(each, asked)]
    named = list(dict.fromkeys(filter(None, named)))
    is_open = not named or named == [_days(asked)]
    if named == ["all"] or (is_open and may_be_several and _means_all(asked)):
        day = _days(asked) if may_be_several else ""
        return [f"all {day}" if day else "all"]
    return named or ([] if asked.reading.has("REF") else _untagged(asked))


def points(asked: Asked) -> bool:
    """Return whether a pronoun stands for the reminder: "cancel it"."""
    return asked.reading.has("REF") or asked.turn.message.reply_to is not None


def untagged_time(asked: Asked) -> str:
    """Return the words of the only time of a request, where it has no tag."""
    times = [token for token in asked.reading.tokens if is_time(token)]
    return asked.reading.text[times[0].start : times[0].end] if len(times) == 1 else ""


def _id(asked: Asked) -> str:
    """Return the id of a reminder among the words, or its first characters: letters and figures in one."""
    words = [asked.reading.text[token.start : token.end] for token in asked.reading.tokens if token.form == "id"]
    found = [match[0] for match in map(_SHORT_ID.fullmatch, _WORD.findall(asked.folded_text)) if match]
    return next(iter([*words, *found]), "")


def _behind_article(asked: Asked) -> str:
    """Return the words behind an article up to the end or a mark: "the dentist" of "cancel the dentist"."""
    forms = [token.form for token in asked.reading.tokens]
    first = next((at for at, form in enumerate(forms) if form in _ARTICLES), None)
    return "" if first is None else _name_from(first, first + 1, asked)


def _before_mark(asked: Asked) -> str:
    """Return the untagged characters in front of a word that points at a reminder: 检查行李 of 检查行李那个改到八点."""
    tokens, tags = asked.reading.tokens, asked.reading.tags
    if asked.words.joint or asked.reading.has("OLD") or asked.reading.intent == "list":
        return ""
    marks = [mark for mark in asked.words.reference_marks if mark not in asked.words.triggers]
    for clause in clauses_of(tokens):
        free = list(takewhile(lambda at: tags[at] == NO_TAG and not is_time(tokens[at]), clause))
        said = "".join(tokens[at].form for at in free)
        found = [(said.find(mark), mark) for mark in marks if not said.endswith(mark)]
        end = min((at for at, _ in found if at > 1), default=0)
        name = slots.reference_name(said[:end], asked.words)
        if len(name) > 1 and not name.startswith(asked.words.ahead):
            return name
    return ""


def _name_from(first: int, last: int, asked: Asked) -> str:
    """Return the name that begins with the token at `first` and has the untagged tokens from `last` on."""
    forms = [token.form for token in asked.reading.tokens]
    while last < len(forms) and asked.reading.tags[last] == "O" and forms[last] not in _ENDS:
        last += 1
    tokens = asked.reading.tokens[first:last]
    if not tokens or not asked.words.joint:
        return ""
    name = slots.reference_name(asked.reading.text[tokens[0].start : tokens[-1].end], asked.words)
    others = {*_ARTICLES, *asked.words.itself, *asked.words.indefinite, *asked.words.plural}
    return "" if name.casefold() in others else name


def _names(piece: str, asked: Asked) -> Iterator[str]:
    """Yield the references in a piece: each of several that are joined, those between the ends of a range."""
    if asked.words.fold(piece).strip() in asked.words.indefinite:
        return
    bare = slots.reference_name(piece, asked.words)
    if len(bare.split()) > 1 and SEVERAL.issuperset(bare.split()):
        bare = bare.split()[0]  # "them both"
    together = several_in(piece.strip())
    if together is not None and together.kind == "spoken" and bare == "all":
        yield piece.strip()
        return
    several = None if bare in {"", *SEVERAL} else several_in(bare) or together
    if several is None:
        yield _narrowed(bare, asked)
    elif several.kind == "each":
        yield from (slots.reference_name(each, asked.words) for each in several.references)
    else:
        yield piece.strip()


def _narrowed(name: str, asked: Asked) -> str:
    """Return "all" and what narrows it, where words for all of them begin a name: 所有喝水的."""
    folded = name.casefold()
    for word in sorted(asked.words.every, key=len, reverse=True):
        if folded.startswith(word + asked.words.joint) and len(name) > len(word):
            rest = slots.bare_time(slots.reference_name(name[len(word) :], asked.words), asked.words)
            return f"all {rest}" if rest and rest not in SEVERAL else "all"
    for word in sorted(asked.words.every, key=len, reverse=True) if not asked.words.joint else ():
        if folded.endswith(word) and len(name) > len(word):  # 后天的全部
            return f"all {slots.reference_name(name[: -len(word)], asked.words)}"
    return LAST if folded in asked.words.newest else name


def _is_each_time(asked: Asked) -> bool:
    """Return whether a word for "all" goes with a repetition in front of it: 每个工作日都."""
    forms = [token.form for token in asked.reading.tokens]
    return any(one.startswith("@rule") and other in asked.words.plural for one, other in pairwise(forms))


def _means_all(asked: Asked) -> bool:
    is_of_days = bool(_days(asked)) and asked.names(asked.words.plural)
    return asked.names(asked.words.every) or asked.names(asked.words.all) or is_of_days


def _days(asked: Asked) -> str:
    """Return the words of the days whose reminders are meant."""
    words = asked.reading.words("OLD") or asked.reading.words("WHEN")
    return slots.bare_time(words, asked.words)


def _untagged(asked: Asked) -> list[str]:
    """Return the words for several reminders, or the newest, or a number, among the words without a tag."""
    for meaning, words in (("both", asked.words.both), ("them", asked.words.them), ("all", asked.words.all)):
        is_report = meaning == "all" and asked.reading.intent == "done"  # "all watered"
        if is_report or asked.names(asked.words.always) or _is_each_time(asked):
            continue
        if asked.names(words):
            return [meaning]
    if asked.names(asked.words.newest):
        return [LAST]
    named = _id(asked) or _behind_article(asked) or _before_mark(asked)
    if named:
        return [named]
    numbers = [
        asked.reading.text[token.start : token.end]
        for token, tag in zip(asked.reading.tokens, asked.reading.tags, strict=True)
        if tag == "O" and token.form.isdecimal() and token.end - token.start <= _MOST_FIGURES
    ]
    return [str(int(number)) for number in numbers] or _like_untagged(asked)


def _like_untagged(asked: Asked) -> list[str]:
    """Return the only reminder whose content shares a word with those that have no tag."""
    pairs = zip(asked.reading.tokens, asked.reading.tags, strict=True)
    free = asked.words.joint.join(token.form if tag == "O" else "," for token, tag in pairs)
    if asked.known is None or asked.reading.has("REF"):
        return []
    like = asked.known.like(free, common_words(asked.language))
    return [] if like is None else [like.id]
