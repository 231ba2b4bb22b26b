"""Tell the clauses of a request that ask from the remarks beside them."""

import re
from collections.abc import Iterable
from itertools import pairwise

from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.reminder_words import find_pairs, find_stems
from function_calls.understanding.reading.slots.references import normalize_reference
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.tokens import Token, is_time, split_clauses
from function_calls.understanding.requests.people import list_own_reminders
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.model import Reminder

INDEFINITE = frozenset({"a", "an", "un", "una"})


def find_asking_time(request: RequestContext) -> str:
    """Return the words of the only time of the clauses that ask; "" for none or several."""
    return request.reading.with_tokens(list_asking_places(request)).only_time


def find_asking_text(request: RequestContext) -> str:
    """Return the words of the clauses that ask, not those of a reason: "pause it, we're all together"."""
    return join_forms(list_asking_places(request), request)


def list_asking_places(request: RequestContext) -> list[int]:
    """Return the places of the tokens of the clauses with tags; of all clauses where none has one."""
    clauses, tags = split_clauses(request.reading.tokens), request.reading.tags
    tagged = [clause for clause in clauses if any(tags[at] != NO_TAG for at in clause)]
    return [at for clause in tagged or clauses for at in clause]


def join_forms(places: Iterable[int], request: RequestContext) -> str:
    """Return the forms of the tokens at `places` as text."""
    return request.words.joint.join(request.reading.tokens[at].form for at in places)


def list_untagged_times(request: RequestContext) -> list[str]:
    """Return the words of the times of a request that are no part of it."""
    return [request.reading.text_of(token) for token in request.reading.untagged if is_time(token)]


def find_remark(request: RequestContext) -> str:
    """Return the text around the only request of a message: "the cake, they are closed on Friday, make it Thursday"."""
    before, found, after = request.turn.message.text.partition(request.reading.text)
    return f"{before} {after}" if found and not request.is_part else ""


def join_remarks(request: RequestContext) -> str:
    """Return the text around the request, and its clauses that neither tell what is asked nor point at a reminder."""
    reading = request.reading
    tokens, tags = reading.tokens, reading.tags
    beside = [
        reading.text_of(tokens[clause[0]], tokens[clause[-1]])
        for clause in split_clauses(tokens)
        if {tags[at] for at in clause} <= {NO_TAG, "REF"}
    ]
    pointing = [piece for piece in reading.pieces("REF") if not normalize_reference(piece, request.words)]
    remarks = [remark for remark in beside if not any(piece in remark for piece in pointing)]
    return " ".join([find_remark(request), *remarks])


def list_tokens_of_remarks(request: RequestContext) -> list[Token]:
    """Return the tokens of untagged clauses that say something beside the one that asks: "smith moved to 11, …"."""
    tokens, tags, words = request.reading.tokens, request.reading.tags, request.words
    clauses = split_clauses(tokens)
    untagged = [[tokens[at] for at in clause] for clause in clauses if all(tags[at] == NO_TAG for at in clause)]
    naming = (*words.triggers, *words.reference_marks)
    return [
        token
        for clause in (untagged if len(untagged) < len(clauses) else [])
        if (forms := [each.form for each in clause if not each.form.isdecimal()])
        if not words.has_any(naming, words.joint.join(forms))
        if not are_function_words(forms, words)
        for token in clause
    ]


def find_closest_to_remark(remark: str, request: RequestContext) -> Reminder | None:
    """Return the only reminder that shares a word with a remark, which may be about anything."""
    words = request.words
    ignored = {*words.copulas_of_events, *words.second_person, *words.skipping, *words.removing}
    common = request.common_words | ignored
    return request.find_closest(remark, ignored) if find_stems(remark, common) or find_pairs(remark, common) else None


def find_by_remark(request: RequestContext) -> list[str]:
    """Return the id of the only reminder that shares a word with a remark beside "it": "signed already, bin that"."""
    closest = find_closest_to_remark(join_remarks(request), request)
    if closest is None and request.words.joint:  # "puppies leave on Monday so stop that reminder"
        start = min((start for start, _ in request.reading.spans("REF")), default=0)
        ahead = [token.form for token in request.reading.untagged if token.start < start and not is_time(token)]
        closest = find_closest_to_remark(request.words.joint.join(ahead), request)
    return [] if closest is None else [closest.id]


def names_unknown_matter(request: RequestContext, fewest: int = 2) -> bool:
    """Return whether words beside "it" name a thing that none of `fewest` reminders is about: "the slip is signed, …".

    A thing has an article in front; in Chinese it stands ahead of the person who has done it or of a word such as 不用.
    """
    own = [] if request.discussed_reminder is not None and fewest > 1 else list_own_reminders(request)
    words, common = request.words, request.common_words
    remark = words.fold(join_remarks(request))
    if len(own) < fewest or find_closest_to_remark(remark, request) is not None:
        return False
    if words.joint:
        definite = words.articles - INDEFINITE
        neighbours = pairwise(re.findall(r"\w+", remark))
        return any(article in definite and noun not in common for article, noun in neighbours)
    letters = {*remark} - common
    if any(letters & {*each.content} for each in own):
        return False
    marks = (*words.oneself, *words.exclusion_endings)
    clauses = filter(None, re.split(r"[\s,，。；！？]+", remark))
    return any(min((clause.find(mark) for mark in marks if mark in clause), default=0) > 1 for clause in clauses)
