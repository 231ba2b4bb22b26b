"""Repair the tags of times: when to remind, of which event, and until when."""

import re
from collections.abc import Collection, Iterable
from itertools import pairwise, product

from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.repair.tag_draft import TagDraft
from function_calls.understanding.reading.tokens import MARKS, is_time_form

_DAYLESS = frozenset({"@clock", "@part"})
_DAYS = frozenset({"@day", "@dayclock"})
_MAX_EVENT_TOKENS = 6
"""The most tokens of the name of an event at which a repetition ends."""


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
        self._tag_length_behind_content()
        self._tag_end()
        self._tag_event()
        self._merge_ends()
        self._move_events_to_content()
        self._move_parts_to_content()
        self._move_words_to_content()

    def _tag_notice(self) -> None:
        """Tag the time before an event in "con media hora de antelación"; the only other time is that of the event."""
        match = re.search(self.words.notice, self.words.fold(self.text)) if self.words.notice else None
        if match is None:
            return
        times = []
        for at, token in enumerate(self.tokens):
            if match.start() <= token.start < match.end():
                is_length = match.start("length") <= token.start < match.end("length")
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
            ends_with_day = form in until and self.forms[end] in _DAYS
            if ends_with_day and 0 < len(event) <= _MAX_EVENT_TOKENS:
                self.tags[at] = NO_TAG
                self.set_tag(at + 1, end + 1, "UNTIL")
                return

    def _tag_length_behind_content(self) -> None:
        """Tag a length at the end of the content as the end of several days: "stretch | for the next 3 weeks"."""
        counts = {"0", *self.words.counts}
        days = [form for form, tag in zip(self.forms, self.tags, strict=True) if tag == "WHEN" and form in _DAYS]
        for first, last in self.find_runs("CONTENT") if len(days) > 1 else ():
            for at in range(first + 1, last):
                length = {*self.forms[at + 1 : last]}
                if self.forms[at] in self.words.during and length & {*self.words.nearest} and length & counts:
                    self.tags[at] = NO_TAG
                    self.set_tag(at + 1, last, "UNTIL")

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
