"""Tell questions about the world, which a search can answer, from small talk."""

from function_calls.offline.clauses import LONGEST, tidy
from function_calls.offline.pack import LanguagePack, load_questions


def is_question(text: str, pack: LanguagePack) -> bool:
    """Whether a message to the bot asks something that a search can answer."""
    plain = pack.fold(tidy(text, pack))[:LONGEST]
    patterns = load_questions(pack.language)
    if patterns.chatty.search(plain):
        return False
    return patterns.form.search(plain) is not None or asks_the_world(text, pack)


def asks_the_world(text: str, pack: LanguagePack) -> bool:
    """Whether a message, whoever it is meant for, asks what people ask a search engine: weather, traffic, facts."""
    plain = pack.fold(tidy(text, pack))
    patterns = load_questions(pack.language)
    if len(plain) > LONGEST or patterns.other.search(plain) or patterns.chatty.search(plain):
        return False
    if patterns.form.search(plain) or patterns.demand.search(plain):
        return bool(patterns.topic.search(plain) or patterns.fact.search(plain))
    return bool(patterns.phrase.search(plain) and patterns.topic.search(plain))
