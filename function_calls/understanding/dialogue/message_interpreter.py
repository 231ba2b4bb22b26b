"""Make calls of the requests of a message that is read, in the state of its dialogue."""

from collections.abc import Sequence
from datetime import UTC

from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.tools.calls import Interpretation, ToolCall, Turn
from function_calls.understanding.dialogue.addressee_by_name import replies_to_unknown, speaks_about_bot
from function_calls.understanding.dialogue.dialogue import Dialogue
from function_calls.understanding.dialogue.intent_choice import IntentChooser
from function_calls.understanding.dialogue.message_reader import TextReader
from function_calls.understanding.dialogue.utterance import Utterance
from function_calls.understanding.handlers.intent_handlers import handle_intent
from function_calls.understanding.reading.message import (
    NOTHING,
    MessageReading,
    Situation,
    classify_tokens,
    merge_intents,
    set_best_intent,
)
from function_calls.understanding.reading.names import find_members
from function_calls.understanding.reading.repair.event_repair import resolve_that_day
from function_calls.understanding.reading.repair.tag_repair import (
    complete_references,
    cut_names,
    retag_reminders,
    split_day_of_name,
)
from function_calls.understanding.reading.segments.request_splits import split_changes, split_requests
from function_calls.understanding.reminder_times import zone_name
from function_calls.understanding.requests.chat_reminders import IT, ChatReminders
from function_calls.understanding.requests.people import reminds
from function_calls.understanding.requests.reminder_answers import ReminderAnswers, merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from services.people.zones import find_zone
from services.reminders.model import Reminder, ReminderAction
from services.time_expressions import ReadTimes


class MessageInterpreter:
    """Makes calls of the requests of messages, in the state of the dialogue with their sender."""

    def __init__(self, times: ReadTimes, dialogue: Dialogue, intents: IntentChooser) -> None:
        self._times = times
        self._dialogue = dialogue
        self._intents = intents

    def interpret(self, utterance: Utterance, answers: ReminderAnswers) -> Interpretation | None:
        """Return the calls or the question of a message; None where it asks nothing or is unclear."""
        turn = utterance.turn
        is_talk_of_bot = speaks_about_bot(turn) and not utterance.is_addressed
        if is_talk_of_bot or (replies_to_unknown(turn) and utterance.reading.intent != "done"):
            return None
        if utterance.reading.intent == "move" and self._is_about_delivery(utterance):
            reading = merge_intents(utterance.reading, "move", "snooze", utterance.models)
            utterance = replace(utterance, reading=reading)
        for intent in self._intents.choose(utterance):
            interpretation = self._interpret_intent(utterance, intent, answers)
            if interpretation is not None or intent == "ask":  # a question to the bot alone is looked up
                return interpretation
        return None

    def _is_about_delivery(self, utterance: Utterance) -> bool:
        """Return whether a new time without a name is for the reminder just delivered, which comes no more."""
        reading, reminders = utterance.reading, utterance.chat_reminders
        fold, unnamed = utterance.words.fold, utterance.words.itself - utterance.words.own_one
        names = [piece for piece in reading.pieces("REF") if fold(piece).strip() not in unnamed]
        is_named = bool(names) or reading.has_rule
        if utterance.context != "fired" or reminders is None or is_named or utterance.turn.message.reply_to is not None:
            return False
        if self._dialogue.is_reminded_since_delivery(utterance.key, utterance.turn):
            return False
        delivered_text = self._dialogue.find_delivery_text(utterance.turn)
        series = (each for each in reminders.coming if each.schedule.rule is not None)
        return bool(delivered_text) and not any(each.content in delivered_text for each in series)

    def _interpret_intent(self, utterance: Utterance, intent: str, answers: ReminderAnswers) -> Interpretation | None:
        """Return the calls or the question of a message if its intent is `intent`."""
        reading = utterance.reading
        if intent != reading.intent:
            reading = set_best_intent(reading, intent, utterance.models)
        if not self._intents.may_be_about_reminder(reading, utterance):
            return None
        words = utterance.words
        texts = TextReader(
            turn=utterance.turn, language=utterance.language, chat_reminders=utterance.chat_reminders, times=self._times
        )
        read, read_in_dialogue = (texts.bind(each, is_addressed=True)[1] for each in ("none", utterance.context))
        changes = split_changes(reading, words, read, read_in_dialogue)
        merged = _merge_changes(self._interpret_parts(changes, utterance, answers, is_part=False))
        if merged is not None:
            return merged
        parts = split_requests(reading, words, read) if intent == utterance.reading.intent else [reading]
        parts = [retag_reminders(part, words, read) for part in parts]
        interpretations = self._interpret_parts(parts, utterance, answers, is_part=len(parts) > 1)
        interpretations = _drop_repeated_changes(interpretations, utterance.chat_reminders)
        interpretations = _choose_deletion_or_change(interpretations, utterance.chat_reminders)
        return _change_zone_first(interpretations, utterance.turn) or merge_or_none(interpretations)

    def _interpret_parts(
        self, parts: Sequence[MessageReading], utterance: Utterance, answers: ReminderAnswers, *, is_part: bool
    ) -> list[Interpretation]:
        """Return the calls of the requests of a message, each made with the call of the one before.

        Of several, the first that is certainly a request and cannot be carried out is named in an answer.
        """
        interpretations: list[Interpretation] = []
        unread_texts: list[str] = []
        for part in parts:
            before = next((call for each in reversed(interpretations) for call in each.calls), None)
            request = self._make_request(part, utterance, answers, is_part=is_part, before=before)
            interpretation = self._interpret_request(request, utterance, before)
            if interpretation is not None:
                interpretations.append(interpretation)
            elif is_part and part.intent != NOTHING and part.is_certain:
                unread_texts.append(part.text)
        if interpretations and unread_texts:
            answer = say(utterance.language, "offline.part_left", text=unread_texts[0])
            interpretations.append(Interpretation(answer=answer))
        return interpretations

    def _interpret_request(
        self, request: RequestContext, utterance: Utterance, before: ToolCall | None
    ) -> Interpretation | None:
        """Return the calls or the question of one request of a message; `before` is the call of the one before."""
        forms = request.reading.forms

        def classify(start: int) -> tuple[tuple[str, float], ...]:
            return classify_tokens(forms[start:], Situation(is_addressed=True), utterance.models).intents

        interpretation = handle_intent(request, classify)
        calls = () if interpretation is None else interpretation.calls
        is_unnamed = any(call.arguments.get("reminder_id") in {"", IT} for call in calls)
        return None if is_unnamed and self._follows_unknown_reminder(utterance, before) else interpretation

    def _follows_unknown_reminder(self, utterance: Utterance, before: ToolCall | None) -> bool:
        """Return whether the request before this one, in the message or the dialogue, was for an unknown reminder.

        "Make it 10" is then about that one, and changes no older reminder. Nor does talk change one that was deleted.
        """
        turn = utterance.turn
        is_open = turn.message.reply_to is None
        has_failed = is_open and self._dialogue.has_failed(utterance.key, turn.now)
        last = self._dialogue.last_call(utterance.key, turn.now)
        was_deleted = is_open and utterance.context == "acted" and last.name == "reminder_delete"
        is_talk = before is None and was_deleted and not utterance.is_addressed and utterance.reading.intent != "append"
        return has_failed or is_talk or _names_unknown_reminder(before, utterance.chat_reminders)

    def _make_request(
        self,
        reading: MessageReading,
        utterance: Utterance,
        answers: ReminderAnswers,
        *,
        is_part: bool,
        before: ToolCall | None,
    ) -> RequestContext:
        """Return a request with what its words may refer to: the call `before` it, and the last ones of the chat."""
        turn, reminders = utterance.turn, utterance.chat_reminders
        reading = _repair_names(reading, utterance)
        reminder_before = _find_reminder_of_call(before, reminders)
        set_before = before if before is not None and before.name == "reminder_set" else None
        would_set = None if reminder_before is None or reminders is None else reminders.make_set_call(reminder_before)
        last_here = self._find_last_here(utterance)
        return RequestContext(
            turn=turn,
            reading=reading,
            words=utterance.words,
            language=utterance.language,
            times=self._times,
            answers=answers,
            question=utterance.question,
            last_set=set_before or would_set or self._find_last_set(reading, utterance),
            is_addressed=utterance.is_addressed,
            may_point=utterance.context != "none" or turn.message.reply_to is not None,
            chat_reminders=reminders,
            is_part=is_part,
            set_call_before=set_before,
            last_here=last_here,
            last_set_by_other=last_here if self._dialogue.is_last_set_by_other(utterance.key, turn) else None,
            discussed_reminder=reminder_before or self._find_discussed_reminder(utterance),
            last_call=self._dialogue.last_call(utterance.key, turn.now),
        )

    def _find_last_set(self, reading: MessageReading, utterance: Utterance) -> ToolCall | None:
        """Return the call that set a reminder last for the sender, or for the person whom "for her too" means."""
        turn = utterance.turn
        name = reading.words("PERSON").removeprefix("@")
        for_person = self._dialogue.last_set_for(name, turn) if reading.intent == "repeat_last" else None
        last = for_person or self._dialogue.last_set(utterance.key, turn.now)
        return None if last is None else _update_call(last, turn.message.sender.id, utterance)

    def _find_last_here(self, utterance: Utterance) -> ToolCall | None:
        """Return the call that has just set a reminder in the chat, for anybody."""
        last = self._dialogue.last_set_in_chat(utterance.turn)
        return None if last is None else _update_call(last[0], last[1].id, utterance)

    def _find_discussed_reminder(self, utterance: Utterance) -> Reminder | None:
        """Return the only reminder that the bot has just listed for the sender by its name, or of the sender's.

        Return the regular summary of the chat if the last action was for that.
        """
        last, reminders = self._dialogue.last_action(utterance.key, utterance.turn.now), utterance.chat_reminders
        if last is None or reminders is None:
            return None
        if last.is_change:
            return _find_summary_of_call(last.calls[-1], reminders)
        if utterance.context != "listed":
            return None
        name, person = str(last.calls[0].arguments.get("filter") or ""), utterance.turn.message.sender
        with_name = reminders.resolve(name) if name else ()
        shown = [each for each in reminders.coming if each.id in reminders.shown.ids and reminders.shown.at >= last.at]
        own = [each for each in shown if each.creator.id == person.id or reminds(each, person)]
        return next((one[0] for one in (with_name, shown, own) if len(one) == 1), None)


def _repair_names(reading: MessageReading, utterance: Utterance) -> MessageReading:
    """Return the reading of a request with the names of people and reminders tagged as a whole."""
    words, members = utterance.words, find_members(utterance.turn)
    reading = split_day_of_name(resolve_that_day(reading, words), words)
    reading = cut_names(reading, words, members)
    if utterance.chat_reminders is None:
        return reading
    return complete_references(reading, [reminder.content for reminder in utterance.chat_reminders.coming], words)


def _find_summary_of_call(call: ToolCall, reminders: ChatReminders) -> Reminder | None:
    """Return the regular summary of the chat if `call` was for it; None for another call, or for several summaries."""
    summaries = [each for each in reminders.coming if each.action is ReminderAction.SUMMARY]
    is_changed = call.arguments.get("reminder_id") in [each.id for each in summaries]
    is_for_summary = is_changed or call.name == "summary_schedule"
    return summaries[0] if is_for_summary and len(summaries) == 1 else None


def _find_reminder_of_call(call: ToolCall | None, reminders: ChatReminders | None) -> Reminder | None:
    """Return the only reminder that a call is for; None for none or several, or where it is left open."""
    name = _get_reference(call)
    candidates = reminders.resolve(name) if reminders is not None and name else ()
    return candidates[0] if len(candidates) == 1 else None


def _names_unknown_reminder(call: ToolCall | None, reminders: ChatReminders | None) -> bool:
    """Return whether a call is for a reminder that the chat does not have."""
    name = _get_reference(call)
    is_single = bool(name) and ", " not in name and not name.startswith("all")
    return reminders is not None and is_single and not reminders.can_resolve(name)


def _get_reference(call: ToolCall | None) -> str:
    """Return the reference to a reminder in a call; "" where it leaves the reminder open."""
    name = "" if call is None else str(call.arguments.get("reminder_id") or "")
    return "" if name == IT else name


def _change_zone_first(interpretations: Sequence[Interpretation], turn: Turn) -> Interpretation | None:
    """Return only the change of the time zone beside reminders, whose times are still read in the old one."""
    calls = [call for each in interpretations for call in each.calls]
    zones = tuple(call for call in calls if call.name == "time_zone" and call.arguments.get("zone"))
    if not zones or not any(call.name.startswith("reminder_") for call in calls):
        return None
    if all(find_zone(str(call.arguments["zone"])) == zone_name(turn.now.tzinfo or UTC) for call in zones):
        return merge_or_none([each for each in interpretations if zones[0] not in each.calls])
    return Interpretation(calls=zones, notice=say(turn.language, "offline.zone_first"))


def _drop_repeated_changes(
    interpretations: Sequence[Interpretation], reminders: ChatReminders | None
) -> list[Interpretation]:
    """Return `interpretations` without those of a change that one before has: "the lift and the west side one"."""
    distinct: list[Interpretation] = []
    changes: list[object] = []
    for each in interpretations:
        call = each.calls[0] if len(each.calls) == 1 and each.calls[0].name == "reminder_update" else None
        reference = "" if call is None else str(call.arguments.get("reminder_id") or "")
        named = () if call is None or reminders is None else reminders.resolve(reference)
        change = None if call is None or len(named) != 1 else {**call.arguments, "reminder_id": named[0].id}
        if change is None or change not in changes:
            distinct.append(each)
            changes.append(change)
    return distinct


def _choose_deletion_or_change(
    interpretations: list[Interpretation], reminders: ChatReminders | None
) -> list[Interpretation]:
    """Return `interpretations` with only one of the deletion and the change of a reminder.

    "Scrap my Wednesday one and do Friday instead" moves it; without a new time, the change is read into a reason.
    """
    calls = [call for each in interpretations for call in each.calls]
    names = [call.name for call in calls]
    if len(interpretations) != 2 or names != ["reminder_delete", "reminder_update"]:
        return interpretations
    deleted, changed = (_find_reminder_of_call(call, reminders) for call in calls)
    if deleted is None or deleted != changed:
        return interpretations
    return interpretations[1:] if calls[1].arguments.get("time") else interpretations[:1]


def _merge_changes(interpretations: Sequence[Interpretation]) -> Interpretation | None:
    """Return one call for two changes of a reminder; None where the message does not ask for two."""
    calls = [call for each in interpretations for call in each.calls if call.name == "reminder_update"]
    if not len(interpretations) == len(calls) == 2:
        return None
    first, second = calls
    if (first.arguments.keys() & second.arguments.keys()) - {"reminder_id"}:
        return None  # both say when, or what
    merged = {**second.arguments, "reminder_id": None, **first.arguments}
    return Interpretation(calls=(replace(first, arguments=merged),))


def _update_call(call: ToolCall, person_id: str, utterance: Utterance) -> ToolCall:
    """Return the call that set a reminder with what has been changed since, as far as the reminders are known."""
    words = utterance.words
    if utterance.chat_reminders is None:
        return call
    return utterance.chat_reminders.update_call(call, person_id, words.courtesies | words.links | words.articles)
