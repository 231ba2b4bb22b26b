"""Tell questions about the world, which a search can answer, from small talk."""

from function_calls.offline.clauses import LONGEST, tidy, trimmed
from function_calls.offline.pack import LanguagePack, load_questions


def is_question(text: str, pack: LanguagePack) -> bool:
    """Whether a message to the bot asks something that a search can answer."""
    plain = trimmed(tidy(text, pack)[:LONGEST])
    patterns = load_questions(pack.language)
    if not plain or patterns.chatty.search(plain):
        return False
    return patterns.form.search(tidy(text, pack)[:LONGEST]) is not None or asks_the_world(text, pack)


def asks_the_world(text: str, pack: LanguagePack) -> bool:
    """Whether a message, whoever it is meant for, asks what people ask a search engine: weather, traffic, facts."""
    plain = trimmed(tidy(text, pack)[:LONGEST])
    patterns = load_questions(pack.language)
    if patterns.other.search(plain) or patterns.chatty.search(plain):
        return False
    return patterns.topic.search(plain) is not None
