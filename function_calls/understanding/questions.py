"""Tell questions about the world, which a search can answer, from small talk."""

from functools import cache

from msgspec import Struct

from function_calls.understanding.clauses import LONGEST, tidy
from function_calls.understanding.lazy_pattern import LazyPattern
from function_calls.understanding.pack import LanguagePack, any_of, load_pack


class QuestionPatterns(Struct, frozen=True, kw_only=True):
    """The compiled `QuestionData`."""

    form: LazyPattern
    demand: LazyPattern
    phrase: LazyPattern
    chatty: LazyPattern
    topic: LazyPattern
    fact: LazyPattern
    open_fact: LazyPattern
    other: LazyPattern
    due: LazyPattern


@cache
def load_questions(language: str) -> QuestionPatterns:
    """Compile what questions look like in one language."""
    data = load_pack(language).data.questions
    return QuestionPatterns(
        form=any_of(data.forms),
        demand=any_of(data.demands),
        phrase=any_of(data.phrases),
        chatty=any_of(data.chatty),
        topic=any_of(data.topics),
        fact=any_of(data.facts),
        open_fact=any_of(data.open_facts),
        other=any_of(data.others),
        due=any_of(data.dues),
    )


def is_question(text: str, pack: LanguagePack) -> bool:
    """Whether a message to the bot asks something that a search can answer."""
    plain = pack.fold(tidy(text, pack))[:LONGEST]
    patterns = load_questions(pack.language)
    if patterns.chatty.search(plain):
        return False
    return patterns.form.search(plain) is not None or asks_the_world(text, pack, is_addressed=True)


def has_form(text: str, pack: LanguagePack) -> bool:
    """Whether `text` is worded as a question or a demand; "sushi near me" is one without it."""
    plain, patterns = pack.fold(tidy(text, pack)), load_questions(pack.language)
    return patterns.form.search(plain) is not None or patterns.demand.search(plain) is not None


def asked_when(words: str, pack: LanguagePack) -> str:
    """The topic, where `words` ask when something is: "when is the dentist?"; empty for any other question."""
    found = load_questions(pack.language).due.fullmatch(pack.fold(words))
    return "" if found is None else next(filter(None, found.groups()), "")


def asks_the_world(text: str, pack: LanguagePack, *, is_addressed: bool = False) -> bool:
    """Whether a message asks what people ask a search engine: weather, traffic, facts.

    What people ask each other as well counts only when it `is_addressed` to the bot.
    """
    plain = pack.fold(tidy(text, pack))
    patterns = load_questions(pack.language)
    if len(plain) > LONGEST or patterns.other.search(plain) or patterns.chatty.search(plain):
        return False
    if patterns.form.search(plain) or patterns.demand.search(plain):
        named = (patterns.topic, patterns.fact, *((patterns.open_fact,) if is_addressed else ()))
        return any(pattern.search(plain) for pattern in named)
    return bool(patterns.phrase.search(plain) and patterns.topic.search(plain))
