"""Find the intent whose sentence explains a whole clause."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from function_calls.understanding.blanks import Blanked
from function_calls.understanding.clauses import trimmed
from function_calls.understanding.pack import (
    Intent,
    LanguagePack,
    Need,
    Sentence,
    load_intent,
    load_intent_gate,
    load_second_gate,
)
from function_calls.understanding.pack_data import INTENTS
from function_calls.understanding.squeezing import squeeze
from function_calls.understanding.time_words import TimeWords

Possible = tuple[Intent, Sequence[Sentence]]


class Match(Struct, frozen=True, kw_only=True):
    """An intent, and the words of its slots; blanks still stand for the times."""

    intent: str
    slots: Mapping[str, str]

    def first(self, *names: str) -> str:
        """The first slot of `names` that holds words, else nothing."""
        return next((self.slots[name] for name in names if self.slots.get(name)), "")


def match_clause(
    clause: Blanked,
    pack: LanguagePack,
    *,
    is_addressed: bool,
    is_follow_up: bool = False,
    among: Iterable[Possible] | None = None,
) -> Match | None:
    """The first intent, in the order of `INTENTS`, of which one sentence explains the whole of `clause`.

    `is_follow_up` says that the bot has just done something for this person; `among` are the sentences that may do so,
    where they were sought before.
    """
    text = trimmed(clause.text)
    squeezed = squeeze(pack.fold(text), is_spaced=pack.data.is_spaced)
    met = _met(clause.times, is_addressed=is_addressed, is_follow_up=is_follow_up)
    for intent, sentences in among or possible(clause.restore(clause.text), pack):
        for sentence in sentences:
            found = sentence.pattern.fullmatch(squeezed.text) if sentence.need in met else None
            if found is None or _is_refused(intent, found.groupdict()):
                continue
            spans = {name: squeezed.span(found, name) for name, words in found.groupdict().items() if words}
            slots = {name: trimmed(text[start:end]) for name, (start, end) in spans.items()}
            return Match(intent=intent.name, slots=slots)
    return None


def possible(text: str, pack: LanguagePack) -> Iterator[Possible]:
    """The intents of which `text` has all words that one of their sentences needs, with these sentences.

    That is told without reading its times, which takes longer than all the rest.
    """
    spoken = pack.fold(text)
    squeezed = squeeze(spoken, is_spaced=pack.data.is_spaced).text
    for name in filter(pack.data.intents.__contains__, INTENTS):
        second = load_second_gate(pack.language, name)
        if load_intent_gate(pack.language, name).search(spoken) and (second is None or second.search(spoken)):
            intent = load_intent(pack.language, name)
            sentences = intent.fitting(squeezed)
            if sentences:
                yield intent, sentences


def _met(times: tuple[TimeWords, ...], *, is_addressed: bool, is_follow_up: bool) -> frozenset[Need]:
    """What sentences may need beside their words, as far as it is there."""
    conditions: dict[Need, bool] = {
        "nothing": True,
        "time": bool(times),
        "clock": any(time.best is not None and time.best.has_clock for time in times),
        "follow": is_addressed or is_follow_up,
        "address": is_addressed,
    }
    return frozenset(need for need, is_met in conditions.items() if is_met)


def _is_refused(intent: Intent, slots: Mapping[str, str | None]) -> bool:
    """Whether the words asked about are of a kind that shows that nothing was asked."""
    told = [trimmed(slots.get(name) or "") for name in ("query", "content", "task", "reference", "which")]
    return any(pattern.fullmatch(words) for pattern in intent.refused for words in told if words)
