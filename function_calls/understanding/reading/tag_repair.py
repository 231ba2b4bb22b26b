"""Correct tags of a request to be reminded by what must be there: a content, a time, and whole names.

The tagger decides word by word. Where it found no content or no time, words that it left untagged are one, if their
place in the sentence says so.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.slots import are_function_words
from function_calls.understanding.reading.tokens import MARKS, Token

_POSSESSIVE = ("'s", "’s")
_DAYLESS = frozenset({"@clock", "@part"})
_QUOTES = frozenset("\"“”'‘’「」『』")
_QUOTED = re.compile(r"[\"“”「『]([^\"“”「」『』]+)[\"“”」』]")
_AROUND_THANKS = frozenset({"and", "thank", "you", "so", "very", "much", "a", "lot"})
_LONGEST_NAME, _MOST_ADDED, _MOST_BEHIND, _LONGEST_EVENT = 2, 4, 2, 6


def repair_tags(
    reading: MessageReading, words: Lexicon, *, is_addressed: bool, members: Collection[str] = ()
) -> MessageReading:
    """Return `reading`, of a request to be reminded, with its tags corrected.

    What stands in front of a request may be its content only where the bot is addressed. `members` are names of people
    in the chat.
    """
    draft = _Draft(reading, words)
    draft.complete_names(members)
    draft.keep_quotation()
    draft.free_courtesies()
    draft.tag_same_time()
    draft.tag_listed_times()
    draft.tag_correction()
    draft.part_names({words.fold(each).lstrip("@") for each in members if len(each) > 1})
    draft.tag_time()
    draft.tag_end()
    draft.tag_event()
    draft.join_ends()
    draft.free_pronouns_of_events()
    if draft.has("CONTENT"):
        draft.complete_content()
        draft.keep_exception()
    else:
        draft.tag_content(may_be_ahead=is_addressed)
    return reading.with_tags(draft.tags)


def tag_edge_time(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading`, of one of several reminders, with a time tagged that its content begins or ends with."""
    draft = _Draft(reading, words)
    draft.tag_time()
    return reading.with_tags(draft.tags)


def tag_same_time(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with "the same time" apart from the words that say when: "Friday | at the same time"."""
    draft = _Draft(reading, words)
    draft.tag_same_time()
    return reading.with_tags(draft.tags)


def bound_names(reading: MessageReading, words: Lexicon) -> MessageReading:
    """Return `reading` with names that end where an article or the length of a lead begins: dímelo | una hora antes."""
    draft = _Draft(reading, words)
    draft.bound_names()
    return reading.with_tags(draft.tags)


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

    def complete_names(self, members: Collection[str]) -> None:
        """Let a name that begins or ends within that of a member be the whole one: 陈弟|兄."""
        folded = self._text.casefold()
        for name in {each.casefold() for each in members if len(each) > 1}:
            for found in re.finditer(re.escape(name), folded):
                places = [
                    at
                    for at, token in enumerate(self._tokens)
                    if token.start < found.end() and token.end > found.start() and not _is_time(token.form)
                ]
                if any(self.tags[at] == "PERSON" for at in places):
                    for at in places:
                        self.tags[at] = "PERSON"

    def keep_quotation(self) -> None:
        """Let a content end with a quotation of several words: "bring water" | for all."""
        for quoted in _QUOTED.finditer(self._text):
            inside = [at for at, token in enumerate(self._tokens) if _is_within(token, quoted)]
            if len(inside) > 1 and any(self.tags[at] == "CONTENT" for at in inside):
                self.tags[inside[0] : inside[-1] + 1] = ["CONTENT"] * len(inside)
                for at in range(inside[-1] + 2, self._end_of_content(inside[-1])):
                    self.tags[at] = NO_TAG

    def free_courtesies(self) -> None:
        """Untag the polite words in which a content ends."""
        for first, last in self._runs("CONTENT"):
            end = self._without_thanks(first, last) if self._words.joint else self._without_closing(first, last)
            while end > first + 1 and self._forms[end - 1] in self._words.polite | MARKS:
                end -= 1
            is_followed = end < len(self.tags) and (self.tags[end] == "EVENT" or self._forms[end] == "due")
            if is_followed and end > first + 1 and self._forms[end - 1] in self._words.copulas_of_events:
                end -= 1
            self.tags[end:last] = [NO_TAG] * (last - end)

    def _without_thanks(self, first: int, last: int) -> int:
        """Return where a content ends without thanks: "pack | please and thank you"."""
        begin = last
        while begin > first + 1 and self._forms[begin - 1] in self._words.polite | _AROUND_THANKS:
            begin -= 1
        return begin if begin < last and self._forms[begin] in self._words.polite else last

    def _without_closing(self, first: int, last: int) -> int:
        """Return where a content ends without phrases and pictures of courtesy; none of it may be left: 拜托拜托🙏."""
        end = at = last
        while at > first:
            said = "".join(self._forms[first:at])
            phrase = next((each for each in self._words.closing if said.endswith(each)), "")
            if phrase:
                end = at = max(first, at - self._count_behind(first, at, phrase))
            elif any(map(str.isalnum, self._forms[at - 1])):
                break
            else:
                at -= 1
        return end

    def _count_behind(self, first: int, last: int, text: str) -> int:
        """Return how many of the tokens that end at `last` make up `text`."""
        return next(
            last - at for at in range(last - 1, first - 1, -1) if len("".join(self._forms[at:last])) >= len(text)
        )

    def tag_same_time(self) -> None:
        """Take "the same time" out of what may be content."""
        text = self._words.fold(self._text)
        for phrase in self._words.same_time:
            start = text.find(phrase)
            for at, token in enumerate(self._tokens if start >= 0 else ()):
                if start <= token.start < start + len(phrase) and self.tags[at] in {
                    NO_TAG,
                    "CONTENT",
                    "WHEN",
                    "PERSON",
                }:
                    self.tags[at] = "SAME"

    def tag_event(self) -> None:
        """Tag an untagged day in front of the request as that of an event, where it names no day itself."""
        whens = [at for at, tag in enumerate(self.tags) if tag == "WHEN"]
        is_bare = bool(whens) and all(self._forms[at] in _DAYLESS for at in whens if _is_time(self._forms[at]))
        days = [at for at, form in enumerate(self._forms) if form in {"@day", "@dayclock", "@ruletime"}]
        free = [at for at in days if self.tags[at] == NO_TAG and at < whens[0]] if is_bare else []
        if len(free) == 1 and not self.has("EVENT"):
            self.tags[free[0]] = "EVENT"

    def tag_end(self) -> None:
        """Tag the day on which a repetition ends, with the event that names it: "until the play on 14 November"."""
        rules = [at for at, form in enumerate(self._forms) if form.startswith("@rule") and self.tags[at] == "WHEN"]
        until = self._until_words()
        for at, form in enumerate(self._forms) if rules and not self.has("UNTIL") else ():
            end = next((place for place in range(at + 1, len(self.tags)) if _is_time(self._forms[place])), 0)
            event = self._forms[at + 1 : end]
            is_end = form in until and self._forms[end] in {"@day", "@dayclock"} and end not in rules
            if is_end and 0 < len(event) <= _LONGEST_EVENT and not MARKS.intersection(event):
                self.tags[at] = NO_TAG
                self.tags[at + 1 : end + 1] = ["UNTIL"] * (end - at)
                return

    def join_ends(self) -> None:
        """Make the end of what the content tells part of it: 明天九点提醒我停水，到下午三点恢复."""
        contents, whens = self._runs("CONTENT"), self._runs("WHEN")
        for (_, last), (following, _) in pairwise(contents):
            inner = [first for first, end in whens if last <= first and end <= following]
            others = [first for first, _ in whens if first not in inner]
            if inner and others and all(map(self._is_end, inner)):
                self.tags[last:following] = ["CONTENT"] * (following - last)

    def _is_end(self, at: int) -> bool:
        said = self._words.fold(self._text[self._tokens[at].start : self._tokens[at].end])
        return said.startswith(tuple(f"{word}{self._words.joint}" for word in self._until_words()))

    def _until_words(self) -> frozenset[str]:
        """Return the words for an end that do not link contents and hours as well, such as "to"."""
        return self._words.until_words - {*self._words.inner}

    def tag_listed_times(self) -> None:
        """Tag a time in front of others of a list like those: it is not taken back."""
        for at in range(len(self.tags) - 2):
            is_joint = self._forms[at + 1] in {*MARKS, *self._words.and_words}
            is_listed = self.tags[at + 2] == "WHEN" and is_joint and _is_time(self._forms[at + 2])
            if self.tags[at] == "OLD" and _is_time(self._forms[at]) and is_listed:
                self.tags[at] = "WHEN"

    def tag_correction(self) -> None:
        """Tag the figure at the end as a time where words in front of it take back another: "…, make it 4".

        These words are no content.
        """
        end = len(self.tags)
        while end and self._forms[end - 1] in MARKS | self._words.courtesies:
            end -= 1
        last = end - 1
        if last < 1 or not (self._forms[last].isdecimal() or self.tags[last] == "WHEN"):
            return
        begin = last
        while begin and self._forms[begin - 1] in self._words.correcting | MARKS:
            begin -= 1
        if begin < last and any(form in self._words.correcting for form in self._forms[begin:last]):
            self.tags[begin:last] = [NO_TAG] * (last - begin)
            self.tags[last] = "WHEN"

    def part_names(self, members: Collection[str]) -> None:
        """Let a name end behind a pronoun: 我遛狗 is not one. `members` are folded names of people in the chat."""
        if self._words.before_names:
            self.bound_names()
            self._name_behind_content()
            return
        if self._words.joint:
            self._gather_names()
            self._cut_links()
            return
        self._name_oneself()
        self._name_companions(members)
        for run in self._runs("PERSON"):
            first, last = self._whole_name(*run, members)
            name = "".join(self._forms[first:last])
            pronoun = next((word for word in self._pronouns() if name.startswith(word) and name != word), "")
            rest = name[len(pronoun) :]
            if pronoun and not rest.startswith(self._words.behind_oneself) and not self._is_named(first, last):
                for at in range(first + len(pronoun), last):
                    self.tags[at] = "CONTENT"
            self._give_occasion(first, last)
            self._give_companion(first, last, members)
            self._give_last(first, last)
            self._give_telling(last)
            self._give_receiver(first, last)

    def bound_names(self) -> None:
        """Let names end with a verb that has a pronoun, and where an article begins what to be reminded of.

        "Dímelo | un cuarto de hora antes", "a Ana y a mí | la clase".
        """
        before = self._words.before_names
        for first, _ in self._runs("PERSON") if before else ():
            self._list_name_before(first)
        for first, last in self._runs("PERSON") if before else ():
            is_verb = self._forms[first] in self._words.reminding and self._forms[first + 1 : first + 2] != [","]
            if is_verb and last - first > 1 and self._forms[first + 1] not in before:
                self.tags[first + 1 : last] = [NO_TAG] * (last - first - 1)
                continue
            end = next((at for at in range(first + 1, last) if self._begins_content(at)), last)
            is_lead = any(form in self._words.ahead for form in self._forms[end:last])
            self.tags[end:last] = [NO_TAG if is_lead else "CONTENT"] * (last - end)

    def _list_name_before(self, first: int) -> None:
        """Tag a name in front of a comma and the name that begins at `first`: "a Toño | , a Lupe y a mí"."""
        marks = self._words.person_marks
        comma = first - 2 if self._forms[first - 1] in marks else first - 1
        is_list = comma > 1 and self._forms[comma] == "," and self.tags[comma - 1] == NO_TAG
        if is_list and self._forms[comma - 2] in marks:
            self.tags[comma - 1] = "PERSON"

    def _begins_content(self, at: int) -> bool:
        """Return whether an article at `at`, behind a name, is none of another name: "Ana y a mí | la clase"."""
        before, form = self._forms[at - 1], self._forms[at]
        is_group = f"{before} {form}" in self._words.all_of
        return form in self._words.articles and before not in self._words.before_names and not is_group

    def _name_behind_content(self) -> None:
        """Tag the people at the end of a content, the person who asks being one: "el ensayo | a mí y a Luz"."""
        for first, last in self._runs("CONTENT"):
            own = next((at for at in range(first + 2, last) if self._is_oneself_at(at, last)), None)
            if own is None:
                continue
            begin = own - 1
            if self._forms[begin - 1] in self._words.and_words:
                others = (at for at in range(begin - 2, first, -1) if self._forms[at] == self._forms[begin])
                begin = next(others, begin)
            self.tags[begin:last] = ["PERSON"] * (last - begin)

    def _is_oneself_at(self, at: int, end: int) -> bool:
        """Return whether a preposition and a pronoun for the person who asks end at `at`, or a name follows "and"."""
        is_own = self._forms[at] in self._words.oneself and self._forms[at - 1] in self._words.before_names
        return is_own and (at + 1 == end or self._forms[at + 1] in self._words.and_words)

    def _name_oneself(self) -> None:
        """Tag 我 behind a word that asks to remind, where another such word or a relative follows."""
        for at in range(1, len(self.tags) - 1):
            is_asked = self._forms[at] in self._words.oneself and self._forms[at - 1] in self._words.reminding
            if is_asked and (self.tags[at] == "CONTENT" or self._forms[at + 1] in self._words.reminding):
                self.tags[at] = "PERSON"

    def _give_occasion(self, first: int, last: int) -> None:
        """Give a relative to a content that is no more than an occasion of theirs: 我妈生日."""
        end = self._end_of_content(last)
        said = "".join(self._forms[first + 1 : end])
        kin = next((said.removesuffix(each) for each in self._words.occasions if said.endswith(each)), "").rstrip("的")
        if self._forms[first] in self._words.oneself and kin in self._words.kin:
            self.tags[first:last] = ["CONTENT"] * (last - first)

    def _name_companions(self, members: Collection[str]) -> None:
        """Tag a member of the chat behind 我 and 和 or 跟 as a person: who is here is reminded as well."""
        for first, last in self._runs("PERSON"):
            behind = "".join(self._forms[last:])
            joint = next((word for word in self._words.and_words if word and behind.startswith(word)), "")
            name = _longest_at_start(behind[len(joint) :], members)
            is_oneself = "".join(self._forms[first:last]) in self._words.oneself
            if joint and name and is_oneself and self.tags[last] == "CONTENT":
                end = self._place_behind(last, joint + name)
                self.tags[last:end] = ["PERSON"] * (end - last)

    def _whole_name(self, first: int, last: int, members: Collection[str]) -> tuple[int, int]:
        """Return where a name stands, which begins and ends with the words that make it up; the rest is content."""
        end, after = last, self._end_of_content(last)
        while end < after and self._has_title(first, end, after):
            self.tags[end] = "PERSON"
            end += 1
        cut = next((at for at in range(first + 1, end) if self._ends_name(first, at, end, members)), end)
        self.tags[cut:end] = ["CONTENT"] * (end - cut)
        begin = next((at for at in range(cut - 1, first, -1) if self._ends_description(at, cut, members)), first)
        joints = [at + 1 for at in range(first, begin) if self._forms[at] in self._words.and_words]
        start = max(joints, default=first)
        self.tags[start:begin] = [NO_TAG] * (begin - start)
        return begin, cut

    def _has_title(self, first: int, last: int, end: int) -> bool:
        """Return whether the title of a name goes on behind `last`: 吴女|士."""
        name, behind = "".join(self._forms[first:last]), "".join(self._forms[last:end])
        parts = ((title[:at], title[at:]) for title in self._words.titles for at in range(1, len(title)))
        return any(name.endswith(one) and len(name) > len(one) and behind.startswith(other) for one, other in parts)

    def _ends_name(self, first: int, at: int, last: int, members: Collection[str]) -> bool:
        """Return whether a name is complete in front of `at`: 大家|小区, Leo|参."""
        name, rest = "".join(self._forms[first:at]), "".join(self._forms[at:last])
        if rest.startswith((*self._words.behind_oneself, *self._words.titles, *filter(None, self._words.and_words))):
            return False
        if rest[0] in MARKS or rest.startswith(self._words.exceptions) or self._is_named(first, last):
            return False
        whole = name + rest
        is_longer = any(whole.startswith(each) and len(each) > len(name) for each in self._words.everyone)
        if name in self._words.everyone and len(name) > 1:
            return not is_longer and not name.startswith(self._words.all_of)
        is_latin = self._forms[at - 1].isascii() and self._forms[at - 1].isalpha() and not self._forms[at].isascii()
        return is_latin or any(_is_last_of(name, member, self._words.and_words) for member in members)

    def _ends_description(self, at: int, last: int, members: Collection[str]) -> bool:
        """Return whether a member of the chat is named behind words that tell who that is: 晚班的|阿庆."""
        return self._forms[at - 1] in self._words.possessives and bool(
            _longest_at_start("".join(self._forms[at:last]), members)
        )

    def _place_behind(self, first: int, text: str) -> int:
        """Return the place behind the tokens from `first` on that `text` is made of."""
        at = first
        while at < len(self._forms) and len("".join(self._forms[first:at])) < len(text):
            at += 1
        return at

    def _give_companion(self, first: int, last: int, members: Collection[str]) -> None:
        """Let 和 and a name behind 我 be content in front of what one does with somebody: 提醒我和房东谈租约.

        A member of the chat is reminded as well.
        """
        end = self._end_of_content(last)
        joints = self._words.and_words | {"@"}
        joint = next((at for at in range(first + 1, last - 1) if self._forms[at] in joints), 0)
        is_oneself = joint and "".join(self._forms[first:joint]) in self._words.oneself
        if joint and "".join(self._forms[joint + 1 : last]) in members:
            return
        if is_oneself and "".join(self._forms[last:end]).startswith(self._words.together):
            self.tags[joint:last] = ["CONTENT"] * (last - joint)

    def _give_last(self, first: int, last: int) -> None:
        """Give the last character of a name to a content with which it makes up a word: 李|总结."""
        is_joint = last - first > 1 and self._end_of_content(last) > last
        if is_joint and "".join(self._forms[last - 1 : last + 1]) in self._words.whole:
            self.tags[last - 1] = "CONTENT"

    def _end_of_content(self, at: int) -> int:
        while at < len(self.tags) and self.tags[at] == "CONTENT":
            at += 1
        return at

    def _give_telling(self, last: int) -> None:
        """Let the words behind who is reminded that ask to remind again be content: 提醒我提醒张总吃药."""
        at = last
        while at < len(self.tags) and self._forms[at] in self._words.reminding:
            at += 1
        if at > last and at < len(self.tags) and self.tags[at] in {"PERSON", "CONTENT"}:
            while at < len(self.tags) and self.tags[at] == "PERSON":
                at += 1
            self.tags[last:at] = ["CONTENT"] * (at - last)

    def _give_receiver(self, first: int, last: int) -> None:
        """Let 给我 behind a content be part of it, where somebody else is reminded: 提醒阿泽转水电费给我."""
        is_other = any(start < first for start, _ in self._runs("PERSON"))
        is_behind = first > 1 and self.tags[first - 2] == "CONTENT" and self._forms[first - 1] in self._words.receiving
        if is_other and is_behind and "".join(self._forms[first:last]) in self._words.oneself:
            self.tags[first - 1 : last] = ["CONTENT"] * (last - first + 1)

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
        end = self._end_of_names(asked + 1, end)
        region = range(asked + 1, end)
        is_bounded = end < len(self._forms)
        is_person = any(self.tags[at] == "PERSON" for at in region)
        is_list = any(self._forms[at] in {"and", "&", ","} for at in region)
        is_short = is_bounded and 0 < len(region) <= _LONGEST_NAME and not is_person
        is_pronoun = bool(region) and self._forms[asked + 1] in self._words.everyone | self._words.oneself
        if is_pronoun and not is_list:
            self._cut_behind_pronoun(asked + 1, end)
        elif (is_person and is_list) or (is_short and self._forms[asked + 1] not in self._words.courtesies):
            for at in region:
                self.tags[at] = "PERSON"

    def _end_of_names(self, first: int, end: int) -> int:
        """Return where a list of names ends, which a time or a link follows: "me, Hank and Mira | on Friday"."""
        at = end
        while first < at < len(self._forms) - 1 and self._forms[at - 1] in {",", "and", "&"} and self._is_capital(at):
            at += 1
            if self._forms[at] in {",", "and", "&"} and self._is_capital(at + 1):
                at += 1
        is_closed = at < len(self._forms) and (_is_time(self._forms[at]) or self._forms[at] in self._words.links)
        return at if at > end and is_closed else end

    def _is_capital(self, at: int) -> bool:
        return at < len(self._tokens) and self._text[self._tokens[at].start].isupper()

    def _cut_links(self) -> None:
        """Untag the words behind a name that link the content: "remind everyone of the call"."""
        links = self._words.links | self._words.articles
        for first, last in self._runs("PERSON"):
            end = last
            while end > first + 1 and self._forms[end - 1] in links and self.tags[last : last + 1] == ["CONTENT"]:
                end -= 1
            self.tags[end:last] = [NO_TAG] * (last - end)

    def _cut_behind_pronoun(self, at: int, end: int) -> None:
        """Let a name be a pronoun alone: "remind everyone bins go out tonight"."""
        self.tags[at] = "PERSON"
        last = next((first + at for first, tag in enumerate(self.tags[at:]) if tag != "PERSON"), len(self.tags))
        if last > end and " ".join(self._forms[at:last]) in self._words.everyone:  # "all three of us"
            return
        if end < last and self._is_link(end) and self._forms[at] not in self._words.all:  # "everyone of the rehearsal"
            self.tags[end:last] = [NO_TAG, *["CONTENT"] * (last - end - 1)]
            return
        is_more = at + 1 < end and self._forms[at + 1] in {"but", "except", "else", "here", "in", "of"}
        is_last = all(tag != "CONTENT" for tag in self.tags[end:])
        is_joint = end < len(self.tags) and self.tags[end] == "CONTENT"
        for place in () if is_more or not (is_last or is_joint) else range(at + 1, end):
            if self._forms[place] not in self._words.courtesies:
                self.tags[place] = "CONTENT"

    def _may_be_named(self, at: int) -> bool:
        form = self._forms[at]
        is_open = self.tags[at] in {NO_TAG, "PERSON"} and not _is_time(form)
        return is_open and form not in self._words.links and form not in MARKS - {","} and not form.isdecimal()

    def tag_time(self) -> None:
        """Tag a time as when to remind where nothing else is: an untagged one, or one at an edge of the content."""
        if self.has("LEAD") and not self.has("EVENT") and not self.has("WHEN"):
            self._tag_first_time("EVENT", {NO_TAG, "OLD", "UNTIL"})
            return
        if self.has("WHEN") or self.has("EVENT"):
            return
        if not self._tag_first_time("WHEN", {*self.tags} - {"CONTENT"}):
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

    def free_pronouns_of_events(self) -> None:
        """Untag a pronoun for an event, and the name of one that is no time: "before game night, it's on Friday"."""
        small = self._words.itself | {*self._words.copulas_of_events}
        for first, last in self._runs("CONTENT"):
            if self.tags[last : last + 1] == ["EVENT"] and small.issuperset(self._forms[first:last]):
                self.tags[first:last] = [NO_TAG] * (last - first)
        events = self._runs("EVENT")
        for first, last in events if len(events) > 1 and not self.has("CONTENT") else ():
            if not any(map(_is_time, self._forms[first:last])):
                self.tags[first:last] = ["CONTENT"] * (last - first)
        for first, last in self._runs("WHEN"):
            is_named = first > 1 and self._forms[first - 1] in self._words.ahead and self.tags[first - 2] == "LEAD"
            if is_named and not any(map(_is_time, self._forms[first:last])):
                self.tags[first:last] = [NO_TAG] * (last - first)

    def tag_content(self, *, may_be_ahead: bool) -> None:
        """Tag the words behind who is reminded, or in front of the request, as content."""
        if self._tag_words_of_time():
            return
        regions = [region for region in self._untagged() if not self._is_filler(*region)]
        if self._tag_name_of_event(regions):
            return
        may_be_ahead = may_be_ahead and not self._is_alarm()
        asked = self._last_of_request()
        behind = [region for region in regions if region[0] > asked >= 0]
        ahead = [region for region in regions if region not in behind] if may_be_ahead else []
        kept = (self._without_courtesies(*self._without_ahead(*region)) for region in [*behind, *ahead])
        whole = (region for region in kept if region[1] > region[0] and not self._is_filler(*region))
        first, last = next(whole, (0, 0))
        if self.tags[last : last + 1] == ["EVENT"]:
            last = self._without_copulas(first, last)
        self.tags[first:last] = ["CONTENT"] * (last - first)

    def _without_copulas(self, first: int, last: int) -> int:
        """Return where the name of an event ends in front of "is", "starts at" and the like."""
        while last > first + 1 and self._forms[last - 1] in self._words.copulas_of_events:
            last -= 1
        return last

    def _without_ahead(self, first: int, last: int) -> tuple[int, int]:
        """Return a run in front of a lead without the word for "before" and what leads to it: 请在|听证会|前 一天."""
        said = "".join(self._forms[first:last])
        word = max((each for each in self._words.ahead if said.endswith(each)), key=len, default="")
        if self._words.joint or not word or "LEAD" not in self.tags[last : last + 1]:
            return first, last
        while first < last and self._forms[first] in {*self._words.in_front, *self._words.before_time}:
            first += 1
        return first, max(first, last - len(word))

    def _tag_words_of_time(self) -> bool:
        """Tag the words in front of a time as content that were taken for a part of it: el ensayo | cada jueves."""
        around = {*self._words.time_words, *self._words.around_time, *self._words.ahead, *self._words.same_time}
        for first, last in self._runs("WHEN"):
            time = next((at for at in range(first, last) if _is_time(self._forms[at])), first)
            said = {form for form in self._forms[first:time] if form.isalpha()} - self._words.articles
            is_named = self._forms[first] in self._words.articles
            if self._words.joint and is_named and said and not said & around:
                self.tags[first:time] = ["CONTENT"] * (time - first)
                return True
        return False

    def _tag_name_of_event(self, regions: Sequence[tuple[int, int]]) -> bool:
        """Tag the words in front of the time of an event as content: "the raid is at 8, … half an hour before"."""
        first = next((first for first, _ in self._runs("EVENT")), 0)
        named = [
            region
            for region in regions
            if region[1] <= first
            and not are_function_words(self._forms[slice(*region)], self._words)
            and not self._words.copulas_of_events.issuperset(self._forms[slice(*region)])
        ]
        begin, end = self._without_courtesies(*named[-1]) if named and self.has("LEAD") else (0, 0)
        end = self._without_copulas(begin, end)
        self.tags[begin:end] = ["CONTENT"] * (end - begin)
        return end > begin

    def _is_alarm(self) -> bool:
        said = self._words.joint.join(self._forms)
        return any(word in said for word in self._words.alarms)

    def _is_filler(self, first: int, last: int) -> bool:
        """Return whether a run has no more than words that go with any request."""
        forms = set(self._forms[first:last])
        is_lead = "LEAD" in self.tags[last : last + 1] and forms <= {*self._words.ahead}
        return is_lead or forms <= self._words.in_front or forms <= self._words.correcting

    def complete_content(self) -> None:
        """Tag the words between who is reminded, or what links the content, and the content as part of it."""
        for first, _ in self._runs("CONTENT"):
            self._complete_ahead(first)
        self._complete_behind(self._runs("CONTENT")[-1][1])

    def keep_exception(self) -> None:
        """Make an untagged time that is excluded behind the content part of it, so that it is asked about."""
        last = self._runs("CONTENT")[-1][1]
        begin = last + 1 if self._forms[last : last + 1] == [","] else last
        said = self._words.joint.join(self._forms[begin:])
        is_exception = said.startswith((*self._words.denials, *self._words.exceptions))
        rest = range(begin, len(self.tags))
        if is_exception and any(_is_time(self._forms[at]) and self.tags[at] == NO_TAG for at in rest):
            self.tags[last:] = ["CONTENT"] * (len(self.tags) - last)

    def _complete_ahead(self, first: int) -> None:
        """Tag the words between who is reminded, or what links the content, and the content that begins at `first`."""
        begin = first
        while begin and self._is_open(begin - 1):
            begin -= 1
        is_bounded = begin > 0 and (
            self.tags[begin - 1] in {"PERSON", "WHEN"} or self._is_link(begin - 1) or self._forms[begin - 1] in _QUOTES
        )
        begin, end = self._without_courtesies(begin, first) if is_bounded else (first, first)
        if begin < end and first - begin <= _MOST_ADDED:
            self.tags[begin:first] = ["CONTENT"] * (first - begin)

    def _complete_behind(self, last: int) -> None:
        """Tag the few words between the content and the end of the sentence as part of it."""
        end = last = self._with_matter(last)
        if self._forms[end - 1].endswith(_POSSESSIVE):
            end = next((at for at in range(end, len(self._forms)) if _is_time(self._forms[at])), end)
            self.tags[last:end] = ["CONTENT"] * (end - last)
        first = self._runs("CONTENT")[-1][0]
        if self._forms[end : end + 1] == ['"'] and self._forms[first:end].count('"') % 2:
            self.tags[end] = "CONTENT"
            return
        if self._forms[end : end + 1] == ["("]:
            end = next((at + 1 for at in range(end, len(self._forms)) if self._forms[at] == ")"), end)
            if {NO_TAG, "CONTENT", "PERSON"}.issuperset(self.tags[last:end]):
                self.tags[last:end] = ["CONTENT"] * (end - last)
            return
        while end < len(self.tags) and self._is_open(end) and not self._is_idle(self._forms[end]):
            end += 1
        if end + 1 == len(self.tags) and self._forms[end] in self._words.too:
            end += 1
        is_end = end == len(self.tags) or self._forms[end] in MARKS
        is_end = is_end and "".join(self._forms[last:end]) not in self._words.behind_content
        if is_end and end - last <= _MOST_BEHIND:
            self.tags[last:end] = ["CONTENT"] * (end - last)

    def _with_matter(self, last: int) -> int:
        """Return where a content ends with what one is to talk about: 跟房东说暖气|的事."""
        first = self._runs("CONTENT")[-1][0]
        behind, said = "".join(self._forms[last:]), "".join(self._forms[first:last])
        matter = next((word for word in self._words.matters if behind.startswith(word)), "")
        end = last + len(matter) if any(verb in said for verb in self._words.telling) else last
        self.tags[last:end] = ["CONTENT"] * (end - last)
        return end

    def _is_idle(self, form: str) -> bool:
        idle = self._words.courtesies | self._words.correcting if self._words.joint else self._words.polite
        return form in idle or form in self._words.behind_content

    def _is_open(self, at: int) -> bool:
        form = self._forms[at]
        is_word = self.tags[at] == NO_TAG and form not in MARKS | _QUOTES and not _is_time(form)
        return is_word and form not in self._words.reminding and not self._is_link(at)

    def _is_link(self, at: int) -> bool:
        return self._forms[at] in {"to", "about", "of", "that"}

    def _last_of_request(self) -> int:
        """Return the place of the last word that asks to remind or names who is reminded; -1 for none."""
        asked = [at for at, form in enumerate(self._forms) if form in self._words.reminding]
        named = [at for at, tag in enumerate(self.tags) if tag == "PERSON"]
        return max([*asked, *named], default=-1)

    def _untagged(self) -> Iterator[tuple[int, int]]:
        """Yield the runs of untagged words between marks."""
        open_at: int | None = None
        for at, (form, tag) in enumerate(zip([*self._forms, "."], [*self.tags, "WHEN"], strict=True)):
            is_open = tag == NO_TAG and form not in MARKS and not _is_time(form)
            is_open = is_open and form not in self._words.reminding
            if is_open and open_at is None:
                open_at = at
            elif not is_open and open_at is not None:
                yield open_at, at
                open_at = None

    def _without_courtesies(self, first: int, last: int) -> tuple[int, int]:
        """Return a run without the words at its edges that are no content: "to … please"."""
        if not self._words.joint:
            return self._without_particles(first, last)
        while first < last and self._forms[first] in self._words.courtesies | self._words.links:
            first += 1
        while first < last and self._forms[last - 1] in self._words.courtesies:
            last -= 1
        return first, last

    def _without_particles(self, first: int, last: int) -> tuple[int, int]:
        """Return a run of characters without the phrases around a content; with none of it where it only points."""
        text = "".join(self._forms[first:last])
        shorter = ""
        while shorter != text:
            shorter = text
            is_kin = any(text.startswith(f"{own}{kin}") for own in self._words.oneself for kin in self._words.kin)
            before = () if is_kin else self._words.before_content
            front = next((word for word in before if text.startswith(word)), "")
            text, first = text[len(front) :], first + len(front)
            endings = (*self._words.closing, *self._words.behind_content)
            behind = next((word for word in endings if text.endswith(word)), "")
            text, last = text[: len(text) - len(behind)], last - len(behind)
        return (first, first) if text in self._words.pointers else (first, last)

    def _runs(self, tag: str) -> list[tuple[int, int]]:
        return list(runs(self.tags, tag))


def _longest_at_start(text: str, names: Collection[str]) -> str:
    """Return the longest of `names` with which `text` begins; "" for none."""
    return max((name for name in names if text.startswith(name)), key=len, default="")


def _is_last_of(text: str, name: str, joints: Collection[str]) -> bool:
    """Return whether `name` is the last of the names in `text`, behind a word that joins it to the others."""
    before = text.removesuffix(name)
    return before != text and (not before or before.endswith(tuple(filter(None, joints))))


def runs(tags: Sequence[str], tag: str) -> Iterator[tuple[int, int]]:
    """Yield where `tag` begins and ends, the end exclusive."""
    open_at: int | None = None
    for at, each in enumerate([*tags, ""]):
        if each == tag and open_at is None:
            open_at = at
        elif each != tag and open_at is not None:
            yield open_at, at
            open_at = None


def _is_within(token: Token, quoted: re.Match[str]) -> bool:
    return quoted.start(1) <= token.start and token.end <= quoted.end(1)


def _is_time(form: str) -> bool:
    return form[:1] == "@" != form


def is_time(token: Token) -> bool:
    """Return whether a token is a time expression."""
    return _is_time(token.form)
