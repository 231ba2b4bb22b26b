"""Find the people of a request, and tell whom a reminder is for."""

from itertools import pairwise

from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT, extract_people, has_pronoun
from function_calls.understanding.requests.request_context import RequestContext
from services.kernel.chat import Person
from services.reminders.model import EVERYONE, Reminder

_PAIR_OF_PEOPLE = 2


def find_people(request: RequestContext) -> str | None:
    """Return the people to remind; None for the person who asks."""
    person = extract_people(request.reading, request.words) or _find_untagged_everyone(request)
    return _find_both_people(request) if person and request.words.fold(person) in request.words.both_of_us else person


def _find_untagged_everyone(request: RequestContext) -> str | None:
    """Return everyone where untagged words say so ("reminder for everyone") and nobody is named."""
    reading, words = request.reading, request.words
    if reading.has("PERSON"):
        return None
    text = f" {reading.join_untagged(words.joint)} "
    return EVERYONE_ARGUMENT if any(word in text for word in words.for_everyone) else None


def _find_both_people(request: RequestContext) -> str:
    """Return the names of the person who asks and of the other person.

    That person is named beside them, or shares their newest reminder for two, or wrote last.
    """
    own = request.turn.message.sender
    pairs = [each for each in request.reminders if len(each.targets) == _PAIR_OF_PEOPLE and reminds(each, own)]
    newest = sorted(pairs, key=lambda each: each.created_at, reverse=True)[:1]
    names = {name for each in newest for name in list_target_names(each)}
    writers = [message.sender for message in reversed(request.turn.recent) if not message.sender.is_bot]
    others = [each for each in writers if each.id != own.id]
    named = [each for each in others if _is_joined_with_sender(each.name, request)]
    shared = [each for each in others if each.name in names]
    other = next(iter(named or shared or others), None)
    return EVERYONE_ARGUMENT if other is None else f"{own.name}, {other.name}"


def _is_joined_with_sender(name: str, request: RequestContext) -> bool:
    """Return whether the message joins a name and a pronoun for who asks: "Ann and I meet …, remind us both"."""
    words, text = request.words, request.words.fold(request.turn.message.text)
    pairs = [pair for own in words.oneself for pair in ((words.fold(name), own), (own, words.fold(name)))]
    joints = [joint for joint in words.and_words if joint]
    return words.has_any([words.joint.join((one, joint, other)) for one, other in pairs for joint in joints], text)


def names_oneself(request: RequestContext) -> bool:
    """Return whether an untagged word means the person who asks."""
    return any(token.form in request.words.oneself for token in request.reading.untagged)


def says_remind_me(request: RequestContext) -> bool:
    """Return whether the words have "remind me", "me recuerdes" or "avísame", also behind "don't"."""
    words = request.words
    if any(has_pronoun(token.form, words, words.oneself_endings) for token in request.reading.tokens):
        return True
    neighbours = pairwise(request.folded_text.split())
    if any(pronoun in words.oneself and verb in words.reminding for pronoun, verb in neighbours):
        return True
    pronouns = tuple(f"{words.joint}{pronoun}" for pronoun in words.oneself)
    calls = {f"{call}{pronoun}" for call in words.calling for pronoun in pronouns}
    return request.has_phrase(calls | {call for call in words.calling if call.endswith(pronouns)})


def reminds(reminder: Reminder, person: Person) -> bool:
    """Return whether `person` is one of the people of a reminder, by id or name."""
    return any(target.id == EVERYONE or _is_same_person(target, person) for target in reminder.recipients)


def list_target_names(reminder: Reminder | None) -> list[str]:
    """Return the names of the people for whom a reminder was set, without the mark of a mention; empty for None."""
    return [] if reminder is None else [target.name.lstrip("@") for target in reminder.targets]


def list_other_people(reminder: Reminder | None, request: RequestContext) -> list[str]:
    """Return the names of the people of a reminder but the one who asks."""
    targets = () if reminder is None else reminder.targets
    return [each.name for each in targets if each.id != request.turn.message.sender.id]


def list_own_reminders(request: RequestContext) -> list[Reminder]:
    """Return the reminders that the person has set, or that remind them."""
    own = request.turn.message.sender
    return [reminder for reminder in request.reminders if reminder.creator.id == own.id or reminds(reminder, own)]


def reminds_only(reminder: Reminder, person: Person) -> bool:
    """Return whether a reminder is for nobody but `person`."""
    return all(_is_same_person(target, person) for target in reminder.recipients)


def _is_same_person(target: Person, person: Person) -> bool:
    """Return whether a target is `person`, by id, or by name where it was only mentioned."""
    return target.id == person.id or target.name.lstrip("@").casefold() == person.name.casefold()
