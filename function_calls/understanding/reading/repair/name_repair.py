"""Repair the tags of people: where names begin and end, and which words belong to the content instead."""

import re
from collections.abc import Collection, Iterable

from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.repair.tag_draft import TagDraft
from function_calls.understanding.reading.slots.people import has_pronoun
from function_calls.understanding.reading.slots.small_words import are_function_words, match_any
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, MARKS, is_time_form

_BEHIND_PRONOUN = frozenset({"but", "except", "else", "here", "in", "of"})
"""Words by which a pronoun goes on: "everyone but Ann"."""


class NameRepair(TagDraft):
    """Repairs the tags of those who are reminded."""

    def complete_member_names(self, members: Collection[str]) -> None:
        """Tag the whole name of a member of the chat where a part of it is tagged: 陈弟|兄."""
        folded = self.text.casefold()
        for name in {member.casefold() for member in members if len(member) > 1}:
            for match in re.finditer(re.escape(name), folded):
                places = self._find_places(match)
                if any(self.tags[at] == "PERSON" for at in places):
                    self._tag_people(places)

    def tag_marked_members(self, members: Collection[str]) -> None:
        """Tag a member of the chat behind "to" whom a verb is for, or who has a time of their own behind "and".

        "Recuérdale a | Sol | que venga", "… y a | Vale | a las 5 …".
        """
        names, joints = {name.partition(" ")[0] for name in members}, self.words.and_words | CLAUSE_ENDS
        verbs = self.words.reminding - self.words.oneself - self.words.everyone
        for at in range(2, len(self.forms) - 1):
            before, mark, name, behind = self.forms[at - 2 : at + 2]
            if mark not in self.words.person_marks or name not in names:
                continue
            has_time = is_time_form(before) or is_time_form(behind)
            is_joined = has_time and (before in joints or is_time_form(before)) and self.tags[at] == NO_TAG
            if is_joined or before in verbs:
                self.set_tag(at - 1, at, NO_TAG)
                self.set_tag(at, at + 1, "PERSON")

    def _tag_people(self, places: Iterable[int]) -> None:
        """Tag the tokens at `places` as people."""
        for at in places:
            self.tags[at] = "PERSON"

    def _find_places(self, match: re.Match[str]) -> list[int]:
        """Return the places of the tokens in a part of the text, but those of times."""
        tokens = enumerate(self.tokens)
        inside = (at for at, each in tokens if each.start < match.end() and each.end > match.start())
        return [at for at in inside if not is_time_form(self.forms[at])]

    def tag_excepted(self, members: Collection[str]) -> None:
        """Tag those as people who are excepted from everyone, wherever they stand: "…, except Kim", 小李除外."""
        words, space = self.words, r"\s" if self.words.joint else ""
        excepting, marks, links, names = (
            match_any(each)
            for each in (words.exceptions, words.person_marks, words.and_words, words.oneself.union(members))
        )
        name = rf"(?:(?:{marks}){space})?(?:{names})"
        whole = rf"{name}(?:{space}(?:{links}){space}{name})*"
        pattern = rf"\b(?:{excepting})\s{whole}\b" if space else rf"(?:{excepting}){whole}|{whole}(?:{excepting})"
        for match in re.finditer(pattern, words.fold(self.text)):
            self._tag_people(self._find_places(match))

    def repair_names(self, members: Collection[str]) -> None:
        """End names behind a pronoun or a title, and move words that follow to the content: 提醒我|遛狗.

        `members` are folded names of people in the chat.
        """
        self._untag_called_people()
        if self.words.joint:
            self._untag_reminder_words()
            self._tag_everyone_in_verb()
            self._move_reminding_to_content()
            self._move_unknown_names(members)
            self._tag_everyone_behind_content()
            self._tag_member_behind_causative(members)
        if self.words.before_names:
            self.bound_names()
            self._move_objects_to_content()
            return
        if self.words.joint:
            self._cut_verbs(members)
            self._tag_joined_members(members)
        else:
            self._repair_unspaced_names(members)

    def _repair_unspaced_names(self, members: Collection[str]) -> None:
        """Repair Chinese names, whose characters may also begin a content."""
        self._move_descriptions_to_content(members)
        self._tag_companions(members)
        for run in self.find_runs("PERSON"):
            first, last = self._complete_name(*run, members)
            if self.forms[last - 1] in self.words.pronouns and "".join(self.forms[first : last - 1]) in members:
                last -= 1  # 提醒阿明他明天交报告
                self.tags[last] = NO_TAG
            self._cut_behind_pronoun(first, last)
            self._move_occasion_to_content(first, last)
            self._move_companion_to_content(first, last, members)
            self._move_last_character_to_content(first, last)

    def _cut_behind_pronoun(self, first: int, last: int) -> None:
        """Move what stands behind a pronoun for the sender to the content: 提醒我|遛狗."""
        name = "".join(self.forms[first:last])
        pronouns = (word for word in self.words.oneself if name.startswith(word) and name != word)
        pronoun = max(pronouns, key=len, default="")
        if pronoun and not name[len(pronoun) :].startswith(self.words.behind_oneself):
            self.set_tag(first + len(pronoun), last, "CONTENT")

    def _untag_called_people(self) -> None:
        """Move people to the content whom a clause in front of "remind" and its people names: "Mum, … remind Ilse"."""
        verbs = {*self.words.reminding, *(phrase.partition(" ")[0] for phrase in self.words.calling)}
        runs = self.find_runs("PERSON")
        reminded = next((first for first, _ in runs if first and self._ends_with_verb(first, verbs)), 0)
        for first, last in runs:
            if last < reminded and CLAUSE_ENDS.intersection(self.forms[last:reminded]):
                self.set_tag(first, last, "CONTENT" if self.find_end_of_content(last) > last else NO_TAG)

    def _untag_reminder_words(self) -> None:
        """Untag words for a reminder, which is nobody: "ponle un | reminder | a Leo"."""
        for at, form in enumerate(self.forms):
            if self.tags[at] == "PERSON" and form in self.words.reference_marks:
                self.tags[at] = NO_TAG

    def _tag_everyone_in_verb(self) -> None:
        """Tag a verb that says that it is for everyone where nobody is named: "mándanos un aviso"."""
        for at, form in () if self.has("PERSON") else enumerate(self.forms):
            if self.tags[at] == NO_TAG and has_pronoun(form, self.words, self.words.everyone_endings):
                self.tags[at] = "PERSON"

    def _move_reminding_to_content(self) -> None:
        """Move people whom the sender is to remind to the content: "remind me to | remind Ann of the keys"."""
        runs = self.find_runs("PERSON")
        end = next((last for first, last in runs if self.words.oneself.issuperset(self.forms[first:last])), 0)
        links = self.words.task_links
        begin = next((at for at in range(end + 1, len(self.forms)) if self.forms[at - 1] in links), 0)
        between = [at for at in range(end, begin - 1) if self.tags[at] != "WHEN"]
        if not end or not begin or between or self.forms[begin] not in self.words.reminding:
            return
        last = max((at for at, tag in enumerate(self.tags) if tag in {"PERSON", "CONTENT"}), default=begin)
        for at in range(begin, last + 1):
            if self.tags[at] in {"PERSON", NO_TAG}:
                self.tags[at] = "CONTENT"

    def _ends_with_verb(self, at: int, verbs: Collection[str]) -> bool:
        """Return whether a verb that asks to remind stands right in front of `at`."""
        if self.words.joint:
            return self.forms[at - 1] in verbs
        behind = "".join(self.forms[max(0, at - 2) : at + 1])
        return any(word in behind for word in verbs)

    def _move_unknown_names(self, members: Collection[str]) -> None:
        """Move words to the content that are no names, where somebody else is named: "me at 9 for lunch, for sherwani".

        A name begins with a capital letter, is that of a member, or stands behind a verb or a word that joins it.
        """
        runs = self.find_runs("PERSON")
        names = [run for run in runs if self._is_name(*run, members)]
        before = {*self.words.reminding, *self.words.and_words, *self.words.before_names}
        for first, last in runs if names else ():
            if (first, last) not in names and self.forms[first - 1 : first] and self.forms[first - 1] not in before:
                self.set_tag(first, last, "CONTENT")

    def _is_name(self, first: int, last: int, members: Collection[str]) -> bool:
        """Return whether people are named by a pronoun, a word for all, or a name of a member or with a capital."""
        words = {*self.words.oneself, *self.words.everyone, *self.words.pronouns, *members}
        words |= {name.partition(" ")[0] for name in members} | {
            word for each in self.words.all_of for word in each.split()
        }
        text = self.text[self.tokens[first].start : self.tokens[last - 1].end]
        is_whole_name = not text.islower() or "@" in text or " ".join(self.forms[first:last]) in words
        return is_whole_name or any(form in words - self.words.articles for form in self.forms[first:last])

    def _tag_everyone_behind_content(self) -> None:
        """Tag everyone at the end of a content where nobody is named: "dance practice | for all"."""
        for first, last in () if self.has("PERSON") else self.find_runs("CONTENT"):
            for at in range(first + 1, last - 1):
                phrase = " ".join(self.forms[at:last])
                if self.forms[at] in self.words.task_links and f" {phrase} " in self.words.for_everyone:
                    self.tags[at] = NO_TAG
                    self.set_tag(at + 1, last, "PERSON")
                    return

    def _tag_member_behind_causative(self, members: Collection[str]) -> None:
        """Tag a member behind "have", "chase" and the like where nobody is named: "have | Marcus | check the tags"."""
        names = {name.partition(" ")[0] for name in members}
        for first, last in () if self.has("PERSON") else self.find_runs("CONTENT")[:1]:
            at = first + (self.forms[first] in self.words.causatives)  # a content may begin behind "que"
            behind = next(iter(self.forms[at + 1 : last]), "")
            is_link = behind in self.words.task_links | {*self.words.before_content}
            is_object = behind in self.words.articles | self.words.prepositions and not is_link  # "get Ann a present"
            is_caused = at > 0 and self.forms[at - 1] in self.words.causatives and self.forms[at] in names
            if is_caused and behind and not is_object:
                self.set_tag(first, at, NO_TAG)
                self.set_tag(at, at + 1, "PERSON")
                self.set_tag(at + 1, at + 1 + is_link, NO_TAG)

    def _cut_verbs(self, members: Collection[str]) -> None:
        """Untag words in front of names that ask to remind: "get | Kev and me"."""
        people = {"@", *self.words.oneself, *self.words.everyone, *self.words.articles, *members}
        verbs = self.words.courtesies - people
        for first, last in self.find_runs("PERSON"):
            has_for = self.forms[first].isdecimal() and {*self.forms[first + 1 : first + 2]} & people  # "4 all parents"
            begin = next((at for at in range(first + bool(has_for), last) if self.forms[at] not in verbs), first)
            self.set_tag(first, begin, NO_TAG)

    def _tag_joined_members(self, members: Collection[str]) -> None:
        """Tag a member of the chat who is joined to a name, and any name between "remind" and "and me"."""
        names = {name.partition(" ")[0] for name in members}
        for _, last in self.find_runs("PERSON"):
            at = last if self.forms[last - 1] in self.words.and_words else last + 1
            is_joint = at < len(self.forms) and self.forms[at - 1] in self.words.and_words
            if is_joint and self.forms[at] in names and self.tags[at] in {NO_TAG, "CONTENT"}:
                self.set_tag(last, at + 1, "PERSON")
        verb = next((at for at, form in enumerate(self.forms) if form in self.words.reminding), len(self.forms))
        for first, _ in self.find_runs("PERSON"):
            before = range(verb + 1, first - 1)
            is_joint = self.forms[first - 1] in self.words.and_words and len(before) == 1
            if is_joint and all(self.tags[at] == NO_TAG for at in before):
                self.set_tag(before[0], first, "PERSON")

    def bound_names(self) -> None:
        """Let names end where an article begins what to be reminded of: "a Ana y a mí | la clase"."""
        for first, last in self.find_runs("PERSON") if self.words.before_names else ():
            end = next((at for at in range(first + 1, last) if self._begins_content(at)), last)
            self.set_tag(end, last, "CONTENT")

    def _begins_content(self, at: int) -> bool:
        """Return whether an article at `at`, behind a name, begins the content: "Ana y a mí | la clase"."""
        before, form = self.forms[at - 1], self.forms[at]
        is_group = f"{before} {form}" in self.words.all_of
        return form in self.words.articles and before not in self.words.before_names and not is_group

    def _move_objects_to_content(self) -> None:
        """Move a person behind a content to it where the verb is for who asks: "recuérdeme bañar | a don Hernán"."""
        pronouns = self.words.oneself
        if not any(form in pronouns and form.startswith(self.words.asking_stems) for form in self.forms):
            return
        for first, last in self.find_runs("PERSON"):
            begin = first - 1 if self.forms[first - 1] in self.words.person_marks else first
            is_own = pronouns.intersection(self.forms[first:last])
            if begin > 0 and self.tags[begin - 1] == "CONTENT" and not is_own:
                self.set_tag(begin, last, "CONTENT")

    def _move_descriptions_to_content(self, members: Collection[str]) -> None:
        """Move further people right behind the content to it if they are nobody of the chat."""
        known = ("@", *members, *self.words.everyone, *self.words.oneself)
        for first, last in self.find_runs("PERSON")[1:]:
            if self.tags[first - 1] == "CONTENT" and not "".join(self.forms[first:last]).startswith(known):
                self.set_tag(first, last, "CONTENT")

    def _move_occasion_to_content(self, first: int, last: int) -> None:
        """Move a relative to a content that is an occasion of theirs: 我妈生日."""
        end = self.find_end_of_content(last)
        text = "".join(self.forms[first + 1 : end])
        kin = next((text.removesuffix(each) for each in self.words.occasions if text.endswith(each)), "").rstrip("的")
        if self.forms[first] in self.words.oneself and kin in self.words.kinship_terms:
            self.set_tag(first, last, "CONTENT")

    def _move_last_character_to_content(self, first: int, last: int) -> None:
        """Move the last character of a name to the content with which it makes up a word: 李|总结."""
        is_joint = last - first > 1 and self.find_end_of_content(last) > last
        if is_joint and "".join(self.forms[last - 1 : last + 1]) in self.words.whole:
            self.tags[last - 1] = "CONTENT"

    def _move_companion_to_content(self, first: int, last: int, members: Collection[str]) -> None:
        """Move 和 and a name behind 我 to the content where they do something together: 提醒我和房东谈租约.

        跟 in front of a relative says the same: 我跟表妹换班. A member of the chat behind 和 is reminded as well.
        """
        end = self.find_end_of_content(last)
        joints = self.words.and_words | {"@"}
        joint = next((at for at in range(first + 1, last - 1) if self.forms[at] in joints), 0)
        companion = "".join(self.forms[joint + 1 : last])
        companion = _find_longest_at_start(companion, members) or companion  # 大刘商|量
        is_with = self.forms[joint] in self.words.with_words
        is_joined = companion in members and not is_with
        if not joint or is_joined or "".join(self.forms[first:joint]) not in self.words.oneself:
            return
        is_with_relative = is_with and companion.endswith(tuple(self.words.kinship_terms))
        behind = "".join(self.forms[joint + 1 : end]).removeprefix(companion)
        if is_with_relative or behind.startswith(self.words.together):
            self.set_tag(joint, last, "CONTENT")

    def _tag_companions(self, members: Collection[str]) -> None:
        """Tag a member of the chat behind 我 or another member, and 和 or 跟, as a person who is reminded as well."""
        for first, last in self.find_runs("PERSON"):
            behind = "".join(self.forms[last:])
            joint = next((word for word in self.words.and_words if word and behind.startswith(word)), "")
            name = _find_longest_at_start(behind[len(joint) :], members)
            text = "".join(self.forms[first:last])
            if text.endswith(tuple(filter(None, self.words.and_words))):
                joint, name = "", _find_longest_at_start(behind, members)
            elif text not in {*self.words.oneself, *members} or not joint:
                name = ""
            if name:
                end = self._find_place_behind(last, joint + name)
                self.set_tag(last, end, "PERSON")

    def _complete_name(self, first: int, last: int, members: Collection[str]) -> tuple[int, int]:
        """Return the bounds of a name after words that are not part of it are untagged."""
        cut = next((at for at in range(first + 1, last) if self._ends_name(first, at, last)), last)
        self.set_tag(cut, last, "CONTENT")
        begin = next((at for at in range(cut - 1, first, -1) if self._ends_description(at, cut, members)), first)
        joints = [at + 1 for at in range(first, begin) if self.forms[at] in self.words.and_words]
        start = max(joints, default=first)
        self.set_tag(start, begin, NO_TAG)
        return begin, cut

    def _ends_name(self, first: int, at: int, last: int) -> bool:
        """Return whether a name is complete in front of `at`: 大家|小区, Leo|参."""
        name, rest = "".join(self.forms[first:at]), "".join(self.forms[at:last])
        joints = (*self.words.behind_oneself, *self.words.exceptions, *filter(None, self.words.and_words))
        if rest.startswith((*joints, *self.words.titles)):
            return False
        whole = name + rest
        is_longer = any(whole.startswith(word) and len(word) > len(name) for word in self.words.everyone)
        if name in self.words.everyone:
            return not is_longer and not name.startswith(self.words.all_of)
        return self.forms[at - 1].isascii() and self.forms[at - 1].isalpha() and not self.forms[at].isascii()

    def _ends_description(self, at: int, last: int, members: Collection[str]) -> bool:
        """Return whether a member of the chat is named at `at`, behind a description of them: 晚班的|阿庆."""
        return self.forms[at - 1] in self.words.possessives and bool(
            _find_longest_at_start("".join(self.forms[at:last]), members)
        )

    def _find_place_behind(self, first: int, text: str) -> int:
        """Return the place behind the tokens from `first` on that make up `text`."""
        at = first
        while len("".join(self.forms[first:at])) < len(text):
            at += 1
        return at

    def cut_behind_known_names(self, members: Collection[str]) -> None:
        """End names behind a member or a pronoun: "me | quarter of"; "everybody | group meeting" has a content.

        "My wife" is somebody else.
        """
        people = {*members, *self.words.oneself}
        known = people | {*self.words.everyone}
        joints = self.words.and_words | _BEHIND_PRONOUN | MARKS
        for first, last in self.find_runs("PERSON"):
            names, rest = self.forms[first : first + 1], self.forms[first + 1 : last]
            whole = f"{' '.join(self.forms[first:last])} "
            is_group = any(whole.startswith(f"{phrase} ") for phrase in self.words.all_of)
            has_known_head = known.issuperset(names) and people.isdisjoint(rest)
            is_whole_name = is_group or whole[:-1] in known
            behind = self.text[self.tokens[first].end : self.tokens[last - 1].end]
            are_words = behind[:1] == " " and behind.islower()
            is_relative = names[0] in self.words.articles and self.words.people_nouns.issuperset(rest[-1:])
            goes_on = is_relative or not joints.isdisjoint(rest[:1])
            if has_known_head and are_words and not is_whole_name and not goes_on:
                is_content = self.find_end_of_content(last) > last and not are_function_words(rest, self.words)
                self.set_tag(first + 1, last, "CONTENT" if is_content else NO_TAG)


def _find_longest_at_start(text: str, names: Collection[str]) -> str:
    """Return the longest of `names` with which `text` begins; "" for none."""
    return max((name for name in names if text.startswith(name)), key=len, default="")
