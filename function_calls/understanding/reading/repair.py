"""Correct tags of a request to be reminded by what must be there: a content, a time, and whole names.

The tagger decides word by word. Where it found no content or no time, words that it left untagged are one, if their
place in the sentence says so.
"""

from collections.abc import Collection, Iterator, Sequence

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.tokens import Token

_MARKS = frozenset(",.;:!?，。；：！？、\n")
_LONGEST_NAME = 4


def repaired(reading: MessageReading, words: Lexicon, wrong: str, *, is_addressed: bool) -> MessageReading:
    """Return `reading`, of a request to be reminded, with its tags corrected; `wrong` are words of no possible time.

    What stands in front of a request may be its content only where the bot is addressed.
    """
    draft = _Draft(reading, words)
    draft.tag_impossible(wrong)
    draft.free_words_beside_times()
    draft.part_names()
    draft.tag_time()
    if not draft.has("CONTENT"):
        draft.tag_content(may_be_ahead=is_addressed)
    return MessageReading(reading.text, reading.tokens, reading.intents, tuple(draft.tags))


class _Draft:
    """The tags of a reading while they are corrected."""

    def __init__(self, reading: MessageReading, words: Lexicon) -> None:
        self.tags = list(reading.tags)
        self._tokens = reading.tokens
        self._forms = [token.form for token in reading.tokens]
        self._text = reading.text
        self._words = words

    def has(self, tag: str) -> bool:
        return tag in self.tags

    def tag_impossible(self, time: str) -> None:
        """Tag the words of a time that does not exist, so that they are not taken for content."""
        start = self._text.find(time) if time else -1
        for at, token in enumerate(self._tokens):
            if start <= token.start < start + len(time):
                self.tags[at] = "WHEN"

    def free_words_beside_times(self) -> None:
        """Make words that are no part of a time content where they are tagged as one: room b4."""
        for first, last in self._runs("WHEN"):
            if not any(_is_time(form) for form in self._forms[first:last]):
                continue
            for at in range(first, last):
                form = self._forms[at]
                is_word = form.isalpha() and not form.isdigit() and form not in self._words.time_words
                if is_word and self._words.joint and form not in self._words.around_time:
                    self.tags[at] = "CONTENT"

    def part_names(self) -> None:
        """Let a name end behind a pronoun: 我遛狗 is not one."""
        if self._words.joint:
            self._gather_names()
            return
        for first, last in self._runs("PERSON"):
            name = "".join(self._forms[first:last])
            pronoun = next((word for word in self._pronouns() if name.startswith(word) and name != word), "")
            rest = name[len(pronoun) :]
            if pronoun and not rest.startswith(self._words.behind_oneself) and not self._is_named(first, last):
                for at in range(first + len(pronoun), last):
                    self.tags[at] = "CONTENT"

    def _pronouns(self) -> list[str]:
        return sorted(self._words.oneself, key=len, reverse=True)

    def _is_named(self, first: int, last: int) -> bool:
        return any("@" in form for form in self._forms[first:last])

    def _gather_names(self) -> None:
        """Tag whole names behind "remind": "sam, kim and me"."""
        asked = next((at for at, form in enumerate(self._forms) if form in self._words.reminding), None)
        if asked is None:
            return
        end = asked + 1
        while end < len(self._forms) and self._may_be_named(end):
            end += 1
        region = range(asked + 1, end)
        is_bounded = end < len(self._forms)
        is_person = any(self.tags[at] == "PERSON" for at in region)
        is_list = any(self._forms[at] in {"and", "&", ","} for at in region)
        is_short = is_bounded and 0 < len(region) <= _LONGEST_NAME and not is_person
        if (is_person and is_list) or (is_short and self._forms[asked + 1] not in self._words.courtesies):
            for at in region:
                self.tags[at] = "PERSON"

    def _may_be_named(self, at: int) -> bool:
        form = self._forms[at]
        is_open = self.tags[at] in {NO_TAG, "PERSON"} and not _is_time(form)
        return is_open and form not in self._words.links and form not in _MARKS - {","} and not form.isdigit()

    def tag_time(self) -> None:
        """Tag a time as when to remind where nothing else is: an untagged one, or one at an edge of the content."""
        if self.has("LEAD") and not self.has("EVENT") and not self.has("WHEN"):
            self._tag_first_time("EVENT", {NO_TAG, "OLD", "UNTIL"})
            return
        if self.has("WHEN") or self.has("EVENT"):
            return
        if not self._tag_first_time("WHEN", {NO_TAG, "OLD", "UNTIL", "LEAD", "PERSON"}):
            self._tag_time_in_content()

    def _tag_first_time(self, tag: str, among: Collection[str]) -> bool:
        found = [at for at, form in enumerate(self._forms) if _is_time(form) and self.tags[at] in among]
        for at in found[:1]:
            self.tags[at] = tag
        return bool(found)

    def _tag_time_in_content(self) -> None:
        for first, last in self._runs("CONTENT"):
            for at in (first, last - 1):
                if _is_time(self._forms[at]):
                    self.tags[at] = "WHEN"
                    return

    def tag_content(self, *, may_be_ahead: bool) -> None:
        """Tag the words behind who is reminded, or in front of the request, as content."""
        regions = list(self._untagged())
        behind = [region for region in regions if region[0] > self._last_of_request()]
        kept = (self._without_courtesies(*region) for region in behind or (regions if may_be_ahead else ()))
        first, last = next((region for region in kept if region[1] > region[0]), (0, 0))
        self.tags[first:last] = ["CONTENT"] * (last - first)

    def _last_of_request(self) -> int:
        """Return the place of the last word that asks to remind or names who is reminded; -1 for none."""
        asked = [at for at, form in enumerate(self._forms) if form in self._words.reminding]
        named = [at for at, tag in enumerate(self.tags) if tag == "PERSON"]
        return max([*asked, *named], default=-1)

    def _untagged(self) -> Iterator[tuple[int, int]]:
        """Yield the runs of untagged words between marks."""
        open_at: int | None = None
        for at, (form, tag) in enumerate(zip([*self._forms, "."], [*self.tags, "WHEN"], strict=True)):
            is_open = tag == NO_TAG and form not in _MARKS and not _is_time(form)
            is_open = is_open and form not in self._words.reminding
            if is_open and open_at is None:
                open_at = at
            elif not is_open and open_at is not None:
                yield open_at, at
                open_at = None

    def _without_courtesies(self, first: int, last: int) -> tuple[int, int]:
        """Return a run without the words at its edges that are no content: "to … please"."""
        while first < last and self._forms[first] in self._words.courtesies | self._words.links:
            first += 1
        while first < last and self._forms[last - 1] in self._words.courtesies:
            last -= 1
        return first, last

    def _runs(self, tag: str) -> list[tuple[int, int]]:
        return list(runs(self.tags, tag))


def runs(tags: Sequence[str], tag: str) -> Iterator[tuple[int, int]]:
    """Yield where `tag` begins and ends, the end exclusive."""
    open_at: int | None = None
    for at, each in enumerate([*tags, ""]):
        if each == tag and open_at is None:
            open_at = at
        elif each != tag and open_at is not None:
            yield open_at, at
            open_at = None


def _is_time(form: str) -> bool:
    return form[:1] == "@" != form


def is_time(token: Token) -> bool:
    """Return whether a token is a time expression."""
    return _is_time(token.form)
