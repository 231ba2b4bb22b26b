"""Find the people whom a request to be reminded is for."""

from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT, extract_people
from function_calls.understanding.requests.known_reminders import reminds
from function_calls.understanding.requests.request_context import RequestContext

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
    names = {target.name.lstrip("@") for each in newest for target in each.targets}
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
