"""Correct tags of a request to be reminded by what must be there: a content, a time, and whole names.

Where the network found no content or no time, words that it left untagged are one, if their
place in the sentence says so.
"""

import re
from collections.abc import Collection, Iterable
from itertools import pairwise, product

from msgspec.structs import replace

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading, Read, find_runs
from function_calls.understanding.reading.repair.content_repair import ContentRepair
from function_calls.understanding.reading.repair.name_repair import NameRepair
from function_calls.understanding.reading.repair.tag_draft import TagDraft
from function_calls.understanding.reading.segments.reminder_splits import find_asking_words, list_slots
from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT, extract_people
from function_calls.understanding.reading.slots.small_words import trim_tokens
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, MARKS, WITH_CLOCK, is_time_form

_DAYLESS = frozenset({"@clock", "@part"})
_CHANGES_OF_TIME = frozenset({"move", "snooze"})
_MOST_CUTS = 8
"""The most places at which a request is tried to be cut into reminders."""
_STOPPING = frozenset({"delete", "pause", "resume", "done"})
"""Intents of changes that are often for several reminders."""
_LONGEST_EVENT = 6
"""The most tokens of the name of an event at which a repetition ends."""


def repair_tags(reading: MessageReading, words: Lexicon, members: Collection[str]) -> MessageReading:
    """Return `reading`, of a request to be reminded, with its tags corrected.

    `members` are names of people in the chat.
    """
    tags = list(reading.tags)
    names = NameRepair(reading, words, tags)
    content = ContentRepair(reading, words, tags)
    times = TimeRepair(reading, words, tags)
    names.complete_member_names(members)
    content.bound_content()
    times.tag_phrases()
    names.repair_names(_fold_names(members, words))
    times.repair_times()
    content.complete_content()
    return reading.with_tags(tags)


def tag_edge_time(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading`, of one of several reminders, with a time tagged that its content begins or ends with."""
    times = TimeRepair(reading, words, list(reading.tags))
    times.tag_time()
    return reading.with_tags(times.tags)


def tag_same_time(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Tag "the same time", which the network takes for a part of the content or of a time."""
    times = TimeRepair(reading, words, list(reading.tags))
    times.tag_same_time()
    return reading.with_tags(times.tags)


def bound_names(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with names that end where an article begins a content: "a Ana y a mí | la clase"."""
    names = NameRepair(reading, words, list(reading.tags))
    names.bound_names()
    return reading.with_tags(names.tags)


def cut_names(reading: MessageReading, words: Lexicon, members: Collection[str]) -> MessageReading:
    """Return `reading` with names that end behind a member or a pronoun ("Sandeep | kindly"), and those excepted."""
    names, folded = NameRepair(reading, words, list(reading.tags)), _fold_names(members, words)
    if words.joint:
        names.cut_behind_known_names(folded)
    if extract_people(reading, words) == EVERYONE_ARGUMENT:
        names.tag_excepted(folded)
    return reading.with_tags(names.tags)


def split_name_from_person(reading: MessageReading, words: Lexicon, members: Collection[str]) -> MessageReading:
    """Return `reading` with the name of a reminder apart from a member behind it: "pásale | el dentista | a Marta"."""
    tags, forms, folded = list(reading.tags), reading.forms, _fold_names(members, words)
    for first, last in find_runs(reading.tags, "PERSON") if words.joint else ():
        marks = [at for at in range(first + 1, last - 1) if forms[at] in words.person_marks]
        if forms[first] in words.articles and marks and folded.issuperset(forms[marks[-1] + 1 : last]):
            tags[first : marks[-1]] = ["REF"] * (marks[-1] - first)
            tags[marks[-1]] = NO_TAG
    return reading.with_tags(tags)


def split_day_of_name(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading`, of a change, with the day that names the reminder apart from the new time behind it.

    "Mueve el del domingo a las 6" is read as one time: Sunday at 6.
    """
    times = [at for at, token in enumerate(reading.tokens) if is_time_form(token.form)]
    found = re.search(words.day_of_name, words.fold(reading.text)) if words.day_of_name and len(times) == 1 else None
    if found is None or reading.intent not in _CHANGES_OF_TIME:
        return reading
    at, time = times[0], reading.tokens[times[0]]
    if not found.start("name") <= time.start <= found.start("day") < found.end() < time.end:
        return reading
    day = replace(time, end=found.end("day"), form="@day")
    new = replace(time, start=found.end(), form=time.form if found["other"] else "@clock")
    name = {place for place, token in enumerate(reading.tokens[:at]) if token.start >= found.start("name")}
    named = reading.with_tags("REF" if place in name else tag for place, tag in enumerate(reading.tags))
    return named.split_token(at, [(day, "REF"), (new, "WHEN")])


def retag_reminders(reading: MessageReading, words: Lexicon, read: Read) -> MessageReading:
    """Return `reading` with the tags of several reminders read alone, where the network has not found each of them.

    Each has a clock and a content in the same order: "avísame a las 12 de comer y a las 18 de merendar".
    """
    tokens = reading.tokens
    if not _lacks_reminders(reading, words):
        return reading
    verbs = find_asking_words(tokens, words)
    tagged = [at for at, tag in enumerate(reading.tags) if tag not in {NO_TAG, "PERSON"}]
    head = (verbs if verbs and words.joint else [at - 1 for at in tagged] or [-1])[0]
    # A statement in front of the words that ask is no reminder.
    begin = verbs[0] if verbs and max(tagged, default=0) > verbs[0] else 0
    joints = CLAUSE_ENDS | (words.and_words if words.joint else {"、"})  # 同 is a part of other words: 合同
    for at in [at for at, token in enumerate(tokens) if at > begin and token.form in joints][:_MOST_CUTS]:
        first, count_behind = _read_alone(reading.text[: tokens[at].start], read), len(trim_tokens(tokens[at:], words))
        is_reminder = words.joint or {"WHEN", "CONTENT"}.issubset(reading.tags[-count_behind:])  # unlike 四点开完
        if not count_behind or not is_reminder or not all(list_slots(first)):
            continue
        request = reading.text[: tokens[head].end] if 0 <= head < at else ""
        rest = f"{request}{words.joint}{reading.text[tokens[-count_behind].start :]}"
        second = retag_reminders(_read_alone(rest, read), words, read)
        if list_slots(first)[0] == list_slots(second)[0]:
            return _join_reminders(reading, first, second, count_behind)
    return reading


def _lacks_reminders(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a request has several times, corrects none, and has fewer whole reminders than clocks."""
    clocks = {token.expression for token in reading.tokens if token.form in WITH_CLOCK}
    is_whole = len(reading.begins) + 1 >= len(clocks) and all(list_slots(reading))
    is_correction = words.has_any(words.corrections, words.joint.join(reading.forms))
    has_several_times = len({token.expression for token in reading.times}) > 1
    return reading.intent == "set" and has_several_times and not (is_correction or is_whole)


def _join_reminders(
    reading: MessageReading, first: MessageReading, second: MessageReading, count: int
) -> MessageReading:
    """Return `reading` with the tags of its beginning, read as `first`, and of its last `count` tokens, as `second`."""
    size = len(reading.tokens)
    tags = [*first.tags, *[NO_TAG] * (size - count - len(first.tags)), *second.tags[-count:]]
    begins = (size - count, *(begin + size - len(second.tokens) for begin in second.begins))
    return replace(reading, tags=tuple(tags), begins=begins)


def _read_alone(text: str, read: Read) -> MessageReading:
    """Read a reminder, whose clock is its time if it has no other: "comprar pan a las 12"."""
    reading = read(text.strip())
    clocks = () if reading.has("WHEN") else [at for at, each in enumerate(reading.tokens) if each.form in WITH_CLOCK]
    return reading.with_tags("WHEN" if at in clocks else tag for at, tag in enumerate(reading.tags))


def complete_references(reading: MessageReading, texts: Collection[str], words: Lexicon) -> MessageReading:
    """Return `reading` with figures tagged that go on with the name of a reminder in its text: "fig | 3".

    Where some are to stop, words of reminders that are joined to a name are tagged as other names.
    """
    tags = _tag_joined_names(reading, words) if reading.intent in _STOPPING else [*reading.tags]
    for first, last in find_runs(reading.tags, "REF"):
        if last < len(tags) and reading.tokens[last].form.isdecimal():
            name = reading.text[reading.tokens[first].start : reading.tokens[last].end].casefold()
            if any(re.search(rf"{re.escape(name)}(?!\d)", text.casefold()) for text in texts):
                tags[last] = "REF"
    return reading.with_tags(tags)


def _tag_joined_names(reading: MessageReading, words: Lexicon) -> list[str]:
    """Return the tags of `reading`, with words of reminders that "and" joins to a name as names: 删掉买菜 | 和打扫."""
    tags, forms, joints = [*reading.tags, NO_TAG, NO_TAG], reading.forms, {*words.and_words, "、"}
    places = reading.reminder_places
    marked = ["known" if at in places and tag == NO_TAG else tag for at, tag in enumerate(reading.tags)]
    for first, last in find_runs(marked, "known"):
        beside = [(forms[first - 1 : first], first - 2), (forms[last : last + 1], last + 1)]
        if any(joint and joint[0] in joints and tags[at] == "REF" for joint, at in beside):
            tags[first:last] = ["REF"] * (last - first)
    return tags[: len(reading.tags)]


def _fold_names(members: Collection[str], words: Lexicon) -> set[str]:
    """Return names as they are compared with tokens; a single character is too often no name."""
    return {words.fold(name).lstrip("@") for name in members if len(name) > 1}


class TimeRepair(TagDraft):
    """Repairs the tags of times, of events and of the ends of repetitions."""

    def tag_phrases(self) -> None:
        """Tag phrases that the network takes for anything else: notices, "the same time", zones and corrections."""
        self._tag_notice()
        self.tag_same_time()
        self._untag_own_zone()
        self._tag_correction()

    def repair_times(self) -> None:
        """Tag a time, an end and an event where there must be one, and move what belongs to the content to it."""
        self.tag_time()
        self._tag_end()
        self._tag_event()
        self._merge_ends()
        self._move_events_to_content()
        self._move_parts_to_content()
        self._move_words_to_content()

    def _tag_notice(self) -> None:
        """Tag the time before an event in "con media hora de antelación"; the only other time is that of the event."""
        found = re.search(self.words.notice, self.words.fold(self.text)) if self.words.notice else None
        if found is None:
            return
        times = []
        for at, token in enumerate(self.tokens):
            if found.start() <= token.start < found.end():
                is_length = found.start("length") <= token.start < found.end("length")
                self.tags[at] = "LEAD" if is_length else NO_TAG
            elif is_time_form(token.form):
                times.append(at)
        if len(times) == 1:
            self.tags[times[0]] = "EVENT"

    def tag_same_time(self) -> None:
        """Tag "the same time" where it may have been taken for a content, a time or a person."""
        text = self.words.fold(self.text)
        for phrase in self.words.same_time:
            start = text.find(phrase)
            for at, token in enumerate(self.tokens if start >= 0 else ()):
                is_within = start <= token.start < start + len(phrase)
                if is_within and self.tags[at] in {NO_TAG, "CONTENT", "WHEN", "PERSON"}:
                    self.tags[at] = "SAME"

    def _untag_own_zone(self) -> None:
        """Untag "my time" behind a time: that of the sender is meant anyway."""
        times = [at for at, form in enumerate(self.forms) if is_time_form(form) and self.tags[at] == "WHEN"]
        for at, phrase in product(times, map(str.split, self.words.own_zone)):
            end = at + 1 + len(phrase)
            if self.forms[at + 1 : end] == phrase:
                self.set_tag(at + 1, end, NO_TAG)

    def _tag_event(self) -> None:
        """Tag an untagged day in front of the request as that of an event, where the request itself names no day."""
        whens = [at for at, tag in enumerate(self.tags) if tag == "WHEN"]
        lacks_day = bool(whens) and all(self.forms[at] in _DAYLESS for at in whens if is_time_form(self.forms[at]))
        days = [at for at, form in enumerate(self.forms) if form in {"@day", "@dayclock", "@ruletime"}]
        untagged = [at for at in days if self.tags[at] == NO_TAG and at < whens[0]] if lacks_day else []
        if len(untagged) == 1 and not self.has("EVENT"):
            self.tags[untagged[0]] = "EVENT"

    def _tag_end(self) -> None:
        """Tag the day on which a repetition ends, with the event that names it: "until the play on 14 November"."""
        rules = [at for at, form in enumerate(self.forms) if form.startswith("@rule") and self.tags[at] == "WHEN"]
        until = self._list_until_words()
        for first, _ in self.find_runs("UNTIL"):
            if first and self.forms[first - 1] in self.words.during:
                self.tags[first - 1] = NO_TAG  # "the antibiotics | for 5 days"
        for at, form in enumerate(self.forms) if rules and not self.has("UNTIL") else ():
            end = next((place for place in range(at + 1, len(self.tags)) if is_time_form(self.forms[place])), 0)
            event = self.forms[at + 1 : end]
            ends_with_day = form in until and self.forms[end] in {"@day", "@dayclock"}
            if ends_with_day and 0 < len(event) <= _LONGEST_EVENT:
                self.tags[at] = NO_TAG
                self.set_tag(at + 1, end + 1, "UNTIL")
                return

    def _merge_ends(self) -> None:
        """Merge an end that belongs to the content with it: 明天九点提醒我停水，到下午三点恢复."""
        contents, whens = self.find_runs("CONTENT"), self.find_runs("WHEN")
        for (_, last), (following, _) in pairwise(contents):
            inner = [first for first, end in whens if last <= first and end <= following]
            outer = [first for first, _ in whens if first not in inner]
            if inner and outer and all(self._begins_with(at, self._list_until_words()) for at in inner):
                self.set_tag(last, following, "CONTENT")

    def _move_parts_to_content(self) -> None:
        """Move a time without figures to the content in front of it, beside one with figures: "eat | before work"."""
        times = [at for at, form in enumerate(self.forms) if is_time_form(form) and self.tags[at] == "WHEN"]
        texts = [self.text[self.tokens[at].start : self.tokens[at].end] for at in times]
        vague = [at for at, text in zip(times, texts, strict=True) if not any(map(str.isdecimal, text))]
        for at in vague if len(vague) < len(times) and self.words.joint else ():
            if self.tags[at - 1] == "CONTENT" and self._begins_with(at, self.words.around_events):
                self.tags[at] = "CONTENT"

    def _move_words_to_content(self) -> None:
        """Move words behind a content to it that are tagged as a time and are none: "shoes | at Target at 5".

        A single word is moved only beside a time: "backup the campaign | wiki". A time of its own, beside that of the
        reminder, goes with a word that needs it: "at 9:55 that standup | starts in 5 minutes".
        """
        around = self.words.time_words | self.words.polite | {*self.words.around_time, *self.words.same_time}
        whens = self.find_runs("WHEN") if self.words.joint else []
        real_times = [run for run in whens if any(map(is_time_form, self.forms[slice(*run)]))]
        for first, last in whens:
            end = next((at for at in range(first, last) if is_time_form(self.forms[at])), last)
            has_word = any(form.isalpha() and form not in around for form in self.forms[first:end])
            head = self.words.joint.join(self.forms[first:end])
            if self.forms[end:last] == ["@day"] and self.words.has_any(self.words.event_clauses, head):
                continue  # "milk on the way home tomorrow": the bot asks for the clock
            if has_word and (real_times or end - first > 1) and self.tags[first - 1 : first] == ["CONTENT"]:
                is_clause = len(real_times) > 1 and self.forms[first] not in self.words.prepositions
                self.set_tag(first, last if is_clause else end, "CONTENT")

    def _begins_with(self, at: int, words: Iterable[str]) -> bool:
        """Return whether the token at `at`, such as a time, begins with one of `words`."""
        text = self.words.fold(self.text[self.tokens[at].start : self.tokens[at].end])
        return text.startswith(tuple(f"{word}{self.words.joint}" for word in words))

    def _list_until_words(self) -> frozenset[str]:
        """Return the words for an end that do not link contents and hours as well, such as "to"."""
        return self.words.until_words - {*self.words.prepositions}

    def _tag_correction(self) -> None:
        """Tag a figure at the end as a time where the words in front of it correct another time: "…, make it 4".

        These words are untagged.
        """
        end = len(self.tags)
        while end and self.forms[end - 1] in MARKS | self.words.courtesies:
            end -= 1
        last = end - 1
        if last < 1 or not (self.forms[last].isdecimal() or self.tags[last] == "WHEN"):
            return
        begin = last
        while begin and self.forms[begin - 1] in self.words.correction_fillers | MARKS:
            begin -= 1
        # "The meeting starts at 7" and "ask for it at 7" correct nothing.
        corrects = self.words.correction_fillers - self.words.prepositions - self.words.itself
        if begin < last and any(form in corrects for form in self.forms[begin:last]):
            self.set_tag(begin, last, NO_TAG)
            self.tags[last] = "WHEN"

    def tag_time(self) -> None:
        """Tag the time at which to remind where none is tagged: an untagged time, or one at an edge of the content."""
        if self.has("LEAD") and not self.has("EVENT") and not self.has("WHEN"):
            self._tag_first_time("EVENT", {NO_TAG, "OLD", "UNTIL"})
            return
        if self.has("WHEN") or self.has("EVENT"):
            return
        if not self._tag_first_time("WHEN", {*self.tags} - {"CONTENT"}):
            self._tag_time_in_content()

    def _tag_first_time(self, tag: str, among: Collection[str]) -> bool:
        """Give `tag` to the first time with a tag in `among`; return False where there is none."""
        times = [at for at, form in enumerate(self.forms) if is_time_form(form) and self.tags[at] in among]
        for at in times[:1]:
            self.tags[at] = tag
        return bool(times)

    def _tag_time_in_content(self) -> None:
        """Tag the first time with which a content begins or ends."""
        for first, last in self.find_runs("CONTENT"):
            for at in (first, last - 1):
                if is_time_form(self.forms[at]):
                    self.tags[at] = "WHEN"
                    return

    def _move_events_to_content(self) -> None:
        """Move the name of an event beside its time to the content where there is none."""
        events = self.find_runs("EVENT")
        for first, last in events if len(events) > 1 and not self.has("CONTENT") else ():
            if not any(map(is_time_form, self.forms[first:last])):
                self.set_tag(first, last, "CONTENT")
