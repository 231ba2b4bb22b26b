"""Change when a reminder comes before its event, or move it with the event."""

from datetime import datetime, timedelta

from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.times import choose_nearer_half
from function_calls.understanding.reminder_times import format_shift, format_time
from function_calls.understanding.requests.changes.amounts import corrects_amount
from function_calls.understanding.requests.changes.updates import update
from function_calls.understanding.requests.known_reminders import find_due, find_old_lead, find_rule
from function_calls.understanding.requests.references.named_reminders import find_named_reminder
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.leads import find_leads, tag_lead
from services.reminders.model import Reminder
from services.time_expressions import Reading

_DAY = timedelta(days=1)


def change_lead(old_lead: timedelta, request: RequestContext) -> Interpretation | None:
    """Change the time of a reminder before its event, which is `old_lead` now; None without a lead, or with a time."""
    leads = {request.parse_length(piece) for piece in request.reading.pieces("LEAD")} - {old_lead}
    lead = leads.pop() if len(leads) == 1 else request.parse_amount("LEAD")  # "2 hours is a lot, one is enough"
    if lead is None or request.reading.has("WHEN") or request.reading.has("EVENT"):
        return None
    says_ahead = request.has_word(request.words.ahead)
    if not old_lead and not says_ahead and corrects_amount(request):
        return update(request, {"time": format_time(request.now + lead)})
    if request.has_word(request.words.later) and not says_ahead:
        return update(request, {"time": format_shift(lead)})  # "make it an hour more"
    is_of_series = bool(old_lead) and find_rule(find_named_reminder(request)) is not None
    is_always = is_of_series and not request.has_phrase(request.words.one_time)
    return update(request, {"time": format_shift(old_lead - lead), "occurrence": "all" if is_always else None})


def find_days_before_itself(request: RequestContext) -> dict[str, object] | None:
    """Return the arguments for some days before the reminder's own time: "to the day before at 8pm"."""
    leads = [] if request.reading.has("EVENT") else find_leads(tag_lead(request), has_event=True)
    reminder = find_named_reminder(request) if len(leads) == 1 else None
    due = find_due(reminder, request.now)
    if reminder is None or due is None or reminder.schedule.rule is not None or leads[0][0] < _DAY:
        return None
    days, clock = leads[0]
    day = due + timedelta(days=find_old_lead(reminder.content, due, request).days) - days
    if clock is not None and clock.best is not None:
        day = day.replace(hour=clock.best.start.hour, minute=clock.best.start.minute)
    return {"time": format_time(day)}


def move_with_event(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the arguments that keep the lead of a reminder before an event that moves: "the flight is at 3 now"."""
    reminder = find_named_reminder(request)
    due = find_due(reminder, request.now)
    if reminder is None or due is None or (reminder.schedule.rule is not None and best.has_day):
        return None
    if not request.reading.has("REF") and request.has_phrase(request.words.corrections):
        return None  # 算了还是上午吧 is of the reminder's own time
    lead = find_old_lead(reminder.content, due, request)
    if not lead or not _states_event(reminder, request):
        return None
    event = due + lead
    clock = (best if best.has_day else choose_nearer_half(best, event)).start if best.has_clock else event
    moved = datetime.combine(best.start if best.has_day else event, clock.timetz())
    is_lead_of_days = event.date() > due.date()  # "the day before at 8pm"
    early = due + (moved.date() - event.date()) if is_lead_of_days else moved - lead
    return {"time": f"{early:%H:%M}" if reminder.schedule.rule is not None else format_time(early)}


def _states_event(reminder: Reminder, request: RequestContext) -> bool:
    """Return whether the words ahead of the new time have a verb, and no other words than those of the reminder."""
    words = request.words
    start = min(request.reading.spans("WHEN"), default=(0, 0))[0]
    name = {*words.fold(reminder.content).split(), *words.articles, *words.itself}
    ahead = {token.form for token in request.reading.tokens if token.end <= start} - name
    has_verb = not ahead.isdisjoint(words.copulas_of_events - words.prepositions)
    return has_verb and are_function_words(ahead - words.copulas_of_events, words)


def keep_day_of_event(request: RequestContext, best: Reading) -> dict[str, object] | None:
    """Return the hour ahead of an event without a day, on the reminder's day: "it is at 4, an hour before"."""
    events = request.parse_times(request.reading.pieces("EVENT"))
    if len(events) != 1 or not request.reading.has("LEAD") or events[0].best.has_day:
        return None
    return {"time": f"{best.wall:%H:%M}"}
