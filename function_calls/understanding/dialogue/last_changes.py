"""Undo the last change of a person that a message dismisses, or repeat it for another reminder."""

import re

from function_calls.tools.calls import Interpretation, ToolCall
from function_calls.understanding.dialogue.dialogue import Dialogue
from function_calls.understanding.dialogue.intent_decision import SETTINGS
from function_calls.understanding.dialogue.utterance import Utterance
from function_calls.understanding.reading.message import QUESTION_MARKS
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.reading.slots.small_words import match_any
from function_calls.understanding.requests.last_reminder import is_repeating
from function_calls.understanding.requests.references.reference_words import find_name_added
from function_calls.understanding.tool_calls import CallMaker

_REPEATABLE_TOOLS = frozenset({"reminder_update", "reminder_delete", "reminder_state", "reminder_snooze"})
_WORDS_BEFORE_DISMISSAL = frozenset({"oh", "ah", "no", "wait", "hmm", "actually", "ok", "sorry", ",", ".", "…"})


class LastChanges:
    """Undoes or repeats the last change of the sender of a message."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue

    def is_needless_dismissal(self, utterance: Utterance) -> bool:
        """Return whether a message to the bot is only "never mind", where nothing was asked or just changed."""
        turn, words, key = utterance.turn, utterance.words, utterance.key
        last = self._dialogue.last_action(key, turn.now)
        has_moved_on = self._dialogue.state(key).changed_subject or self._dialogue.is_last_set_by_other(key, turn)
        is_change = last is not None and (last.is_change or any(call.name in SETTINGS for call in last.calls))
        is_open = utterance.question is not None or (is_change and not has_moved_on)
        text = words.fold(utterance.reading.text).strip(" .!,。！，~～…")
        return text in words.dismissals and not is_open and turn.message.is_addressed

    def undo(self, utterance: Utterance) -> Interpretation | None:
        """Return the call that undoes the last change, where the person only says to forget it."""
        turn, key = utterance.turn, utterance.key
        maker, last = CallMaker(turn), self._dialogue.last_action(key, turn.now)
        is_dismissal = _begins_with_dismissal(utterance) and not utterance.reading.has("WHEN")
        is_dismissal = is_dismissal or utterance.reading.intent == "cancel_ask"
        if not is_dismissal or last is None or not last.is_change or not maker.offers("undo"):
            return None
        is_recent = self._dialogue.is_fresh(key, turn) and not self._dialogue.state(key).changed_subject
        return Interpretation(calls=(maker.call("undo", {}),)) if turn.message.is_for_bot and is_recent else None

    def undo_dismissed(self, utterance: Utterance) -> Interpretation | None:
        """Return the call that undoes the last reminder set, or the last change of a repetition, where it is dismissed.

        The change of a reminder that comes once is not undone: the words then delete it.
        """
        key, now = utterance.key, utterance.turn.now
        last, before = self._dialogue.last_action(key, now), self._dialogue.last_set(key, now)
        if last is None or before is None or utterance.question is not None:
            return None
        is_change = last.calls[-1].name == "reminder_update" and is_repeating(before)
        is_new = last.calls[-1].name == "reminder_set" and utterance.reading.intent != "delete"
        names_reminder = any(extract_references(utterance.reading, utterance.words))
        is_dismissed = (is_change or is_new) and _begins_with_dismissal(utterance) and not names_reminder
        return self.undo(utterance) if is_dismissed else None

    def repeat(self, utterance: Utterance) -> Interpretation | None:
        """Return the last change of the person for another reminder: "and the wheelbarrow one too"."""
        reminders, turn, call = utterance.chat_reminders, utterance.turn, self._find_repeatable(utterance)
        if reminders is None or call is None:
            return None
        name, is_deletion = find_name_added(utterance.reading, utterance.words), call.name == "reminder_delete"
        named = reminders.resolve(name) if name else ()
        before = reminders.resolve(str(call.arguments.get("reminder_id") or ""))
        if len(named) != 1 or named[0] in before or not (before or is_deletion):
            return None
        has_day = named[0].schedule.rule is not None and bool(utterance.reading.times)
        reference = named[0].id
        if has_day and is_deletion:  # "and Thursday too" deletes no series
            reference = utterance.words.on_day.format(name=named[0].content, day=name)
        return Interpretation(calls=(CallMaker(turn).call(call.name, {**call.arguments, "reminder_id": reference}),))

    def _find_repeatable(self, utterance: Utterance) -> ToolCall | None:
        """Return the last change of the person, if the message may go on with it; a new text is not repeated."""
        key, turn = utterance.key, utterance.turn
        last = self._dialogue.last_action(key, turn.now)
        has_moved_on = self._dialogue.state(key).changed_subject or not self._dialogue.is_fresh(key, turn)
        is_question = utterance.reading.intent in {"when_is", "list"} and turn.message.text.endswith(QUESTION_MARKS)
        if last is None or has_moved_on or is_question or len(last.calls) != 1:
            return None
        call = last.calls[0]
        return call if call.name in _REPEATABLE_TOOLS and "content" not in call.arguments else None


def _begins_with_dismissal(utterance: Utterance) -> bool:
    """Return whether a message begins with a phrase such as "forget it", also behind "oh wait" and the like."""
    reading, words = utterance.reading, utterance.words
    start = next((token.start for token in reading.tokens if token.form not in _WORDS_BEFORE_DISMISSAL), 0)
    text = reading.text.casefold()
    phrases = match_any(words.dismissals)
    begins = re.compile(rf"(?:{phrases})(?:\W|$)" if words.joint else phrases)
    return any(begins.match(each) for each in (text, text[start:]))
