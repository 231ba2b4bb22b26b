"""Repair the tags of the content: find one where the network found none, and extend or trim the one that it found."""

import re
from collections.abc import Iterator, Sequence

from function_calls.understanding.reading.message import NO_TAG, find_runs
from function_calls.understanding.reading.repair.tag_draft import TagDraft
from function_calls.understanding.reading.slots.small_words import are_function_words, find_longest_ending
from function_calls.understanding.reading.tokens import MARKS, is_time_form

_QUOTES = frozenset("\"“”'‘’「」『』")
_BRACKETED = re.compile(r"[(（][^()（）]+[)）]")
_QUOTED = re.compile('"[^"]+"|“[^“”]+”|「[^「」]+」|『[^『』]+』')
_LINKS = frozenset({"to", "about", "of", "that"})
"""English words that link a person to a content."""
_MIN_WORD_LENGTH = 3
"""The letters of a word that counts in the choice of a content."""
_MAX_TOKENS_BEHIND = 2
"""The largest number of tokens by which a content is extended to the end."""


class ContentRepair(TagDraft):
    """Repairs the tags of what to be reminded of."""

    def bound_content(self) -> None:
        """Correct where a content begins and ends: at courtesies, brackets and quotes."""
        self._extend_over_hyphens()
        self._untag_courtesies()
        self._extend_to_brackets()
        self._tag_quoted()

    def complete_content(self) -> None:
        """Extend the content that was found, or tag one where there is none."""
        if self.has("CONTENT"):
            self._extend_content()
        else:
            self._tag_content()
        self._untag_genitives()

    def _extend_over_hyphens(self) -> None:
        """Extend a content over the untagged rest of a word with a hyphen, and a word behind it: "thank|-you cards"."""
        for at in range(1, len(self.tokens) - 1):
            before, hyphen, behind = self.tokens[at - 1 : at + 2]
            is_within_word = hyphen.form == "-" and before.end == hyphen.start and hyphen.end == behind.start
            if is_within_word and self.tags[at - 1 : at + 2] == ["CONTENT", NO_TAG, NO_TAG]:
                next_form = self.forms[at + 2] if self.tags[at + 2 : at + 3] == [NO_TAG] else ""
                has_noun = next_form.isalpha() and not are_function_words([next_form], self.words)
                self.set_tag(at, at + 2 + has_noun, "CONTENT")

    def _extend_to_brackets(self) -> None:
        """Extend a content to the untagged brackets that follow it: "call the client | (Ms Wang, 13800001111)"."""
        for bracketed in _BRACKETED.finditer(self.text):
            begin, end = bracketed.span()
            inside = [at for at, token in enumerate(self.tokens) if begin <= token.start and token.end <= end]
            is_behind = inside[:1] > [0] and self.tags[inside[0] - 1] == "CONTENT"
            is_untagged = all(self.tags[at] == NO_TAG and not is_time_form(self.forms[at]) for at in inside)
            if is_behind and is_untagged:
                self.set_tag(inside[0], inside[-1] + 1, "CONTENT")

    def _tag_quoted(self) -> None:
        """Tag all of a quoted content, where a time is named outside of the quotes: "yoga on Tuesday" for tomorrow."""
        for quoted in _QUOTED.finditer(self.text):
            begin, end = quoted.span()
            inside = [at for at, token in enumerate(self.tokens) if begin < token.start and token.end < end]
            has_other_time = any(tag == "WHEN" for at, tag in enumerate(self.tags) if at not in inside)
            if has_other_time and any(self.tags[at] == "CONTENT" for at in inside):
                first, last = inside[0], inside[-1] + 1
                self.set_tag(first, last, "CONTENT")
                if "CONTENT" not in {self.tags[first - 1], *self.tags[last + 1 : last + 2]}:
                    self.set_tag(last, last + 1, NO_TAG)

    def _untag_courtesies(self) -> None:
        """Untag the courtesies at the end of a content."""
        for first, last in self.find_runs("CONTENT"):
            end = last if self.words.joint else self._strip_closing(first, last)
            while end > first + 1 and self.forms[end - 1] in self.words.polite | MARKS:
                end -= 1
            self.set_tag(end, last, NO_TAG)

    def _strip_closing(self, first: int, last: int) -> int:
        """Return where a content ends without closing phrases, marks and emoji: 拜托🙏; all of it may be one.

        The phrases are Chinese, so that each of their characters is a token.
        """
        while last > first:
            text = "".join(self.forms[first:last])
            phrase = next((each for each in self.words.closing_questions if text.endswith(each)), "")
            if not phrase and any(map(str.isalnum, self.forms[last - 1])):
                break
            last -= max(1, len(phrase))
        return max(first, last)

    def _tag_content(self) -> None:
        """Tag the words behind the people as content, or else those in front of the request that say most."""
        regions = [region for region in self._find_untagged_runs() if not self._is_filler(*region)]
        if self._tag_event_of_time() or self._tag_event_name(regions):
            return
        request_end = self._find_last_of_request()
        behind = [region for region in regions if region[0] > request_end >= 0]
        ahead = [region for region in regions if region not in behind]
        first, last = next(self._strip_regions(behind), None) or self._find_longest_whole(ahead) or (0, 0)
        if self.tags[last : last + 1] in (["EVENT"], ["WHEN"]):
            last = self._strip_copulas(first, last)
        self.set_tag(first, last, "CONTENT")

    def _find_longest_whole(self, regions: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
        """Return the region with most words that are no function words; None where there is none."""
        counts = {region: self._count_words(*region) for region in self._strip_regions(regions)}
        longest = max(counts, key=counts.__getitem__, default=None)
        return longest if longest is not None and counts[longest] else None

    def _count_words(self, first: int, last: int) -> int:
        """Return how many words of a run say something about a content."""
        shortest = _MIN_WORD_LENGTH if self.words.joint else 1
        forms = (form for form in self.forms[first:last] if len(form) >= shortest)
        return sum(not are_function_words([form], self.words) for form in forms)

    def _strip_regions(self, regions: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield `regions` without the courtesies at their edges; those of courtesies alone are left out."""
        for region in regions:
            first, last = self._strip_courtesies(*self._strip_lead_words(*region))
            if last > first and not self._is_filler(first, last):
                yield first, last

    def _strip_copulas(self, first: int, last: int) -> int:
        """Return where the name of an event ends in front of "is", "starts at" and the like."""
        while last > first + 1 and self.forms[last - 1] in self.words.copulas_of_events:
            last -= 1
        return last

    def _strip_lead_words(self, first: int, last: int) -> tuple[int, int]:
        """Return a run in front of a lead without the words for "before" and for "at": 请在|听证会|前 一天."""
        text = "".join(self.forms[first:last])
        word = find_longest_ending(text, self.words.ahead)
        if self.words.joint or not word or "LEAD" not in self.tags[last : last + 1]:
            return first, last
        while first < last and self.forms[first] in {*self.words.lead_in_words, *self.words.before_time}:
            first += 1
        return first, max(first, last - len(word))

    def _tag_event_name(self, regions: Sequence[tuple[int, int]]) -> bool:
        """Tag the words in front of the time of an event as content: "the raid is at 8, … half an hour before"."""
        first = next((first for first, _ in self.find_runs("EVENT")), 0)
        names = [
            region
            for region in regions
            if region[1] <= first
            and not are_function_words(self.forms[slice(*region)], self.words)
            and not self.words.copulas_of_events.issuperset(self.forms[slice(*region)])
        ]
        begin, end = self._strip_courtesies(*names[-1]) if names and self.has("LEAD") else (0, 0)
        end = self._strip_copulas(begin, end)
        self.set_tag(begin, end, "CONTENT")
        return end > begin

    def _tag_event_of_time(self) -> bool:
        """Tag the name of an event in front of its time as content: "una hora antes | del dentista del jueves a las 4".

        In other languages than Spanish the time stands behind other words, or in front.
        """
        first, last = next(iter(self.find_runs("EVENT")), (0, 0))
        end = next((at for at in range(first, last) if is_time_form(self.forms[at])), first)
        is_named = end > first + 1 and self.forms[end - 1] in self.words.genitives and self.has("LEAD")
        if is_named:
            self.set_tag(first, end, "CONTENT")
        return is_named

    def _untag_genitives(self) -> None:
        """Untag "de" between a content and its time: "la reunión | de mañana a las 11"."""
        for _, last in self.find_runs("CONTENT"):
            is_behind = last < len(self.forms) and is_time_form(self.forms[last])
            if is_behind and self.forms[last - 1] in self.words.genitives:
                self.tags[last - 1] = NO_TAG

    def _is_filler(self, first: int, last: int) -> bool:
        """Return whether a run has only words that go with any request."""
        forms = set(self.forms[first:last])
        return forms <= self.words.lead_in_words or forms <= self.words.correction_fillers

    def _extend_content(self) -> None:
        """Extend the last content to the end of the sentence, if only few words lie between."""
        end = last = self._extend_to_matter()
        while end < len(self.tags) and self._may_belong_to_content(end) and not self._is_courtesy(self.forms[end]):
            end += 1
        ends_clause = end == len(self.tags) or self.forms[end] in MARKS
        is_particle = "".join(self.forms[last:end]) in self.words.behind_content
        if ends_clause and not is_particle and end - last <= _MAX_TOKENS_BEHIND:
            self.set_tag(last, end, "CONTENT")

    def _extend_to_matter(self) -> int:
        """Extend the last content to a word for its subject, and return its new end: 跟房东说暖气|的事."""
        first, last = self.find_runs("CONTENT")[-1]
        behind, text = "".join(self.forms[last:]), "".join(self.forms[first:last])
        matter = next((word for word in self.words.matter_suffixes if behind.startswith(word)), "")
        end = last + len(matter) if any(verb in text for verb in self.words.speech_verbs) else last
        self.set_tag(last, end, "CONTENT")
        return end

    def _is_courtesy(self, form: str) -> bool:
        """Return whether a word behind a content belongs to the request: 你可以提醒我浇花|吗."""
        courtesies = self.words.courtesies | self.words.correction_fillers if self.words.joint else self.words.polite
        text = self.words.joint.join(self.forms)
        asks_ability = any(word in text for word in self.words.asking_ability)
        ends_question = form in self.words.question_particles and asks_ability
        return form in courtesies or form in self.words.behind_content or ends_question

    def _may_belong_to_content(self, at: int) -> bool:
        """Return whether an untagged word is no mark, time, or word of the request."""
        form = self.forms[at]
        is_word = self.tags[at] == NO_TAG and form not in MARKS | _QUOTES and not is_time_form(form)
        return is_word and form not in self.words.reminding and form not in _LINKS

    def _find_last_of_request(self) -> int:
        """Return the place of the last word that asks to remind or names who is reminded; -1 for none."""
        verbs = [at for at, form in enumerate(self.forms) if form in self.words.reminding]
        people = [at for at, tag in enumerate(self.tags) if tag == "PERSON"]
        return max([*verbs, *people], default=-1)

    def _find_untagged_runs(self) -> Iterator[tuple[int, int]]:
        """Yield the runs of untagged words between marks."""
        ends = MARKS | self.words.reminding
        tagged = zip(self.forms, self.tags, strict=True)
        return find_runs(["" if form in ends or is_time_form(form) else tag for form, tag in tagged], NO_TAG)

    def _strip_courtesies(self, first: int, last: int) -> tuple[int, int]:
        """Return a run without the courtesies and links at its edges: "to … please"."""
        if not self.words.joint:
            return self._strip_particles(first, last)
        while first < last and self.forms[first] in self.words.courtesies | self.words.links:
            first += 1
        while first < last and self.forms[last - 1] in self.words.courtesies:
            last -= 1
        return first, last

    def _strip_particles(self, first: int, last: int) -> tuple[int, int]:
        """Return a run of characters without phrases around a content."""
        text = "".join(self.forms[first:last])
        shorter = ""
        while shorter != text:
            shorter = text
            front = next((word for word in self.words.before_content if text.startswith(word)), "")
            text, first = text[len(front) :], first + len(front)
            endings = (*self.words.closing_questions, *self.words.behind_content)
            behind = next((word for word in endings if text.endswith(word)), "")
            text, last = text[: len(text) - len(behind)], last - len(behind)
        return first, last
