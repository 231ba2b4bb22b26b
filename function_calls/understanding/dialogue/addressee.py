"""Decide whether a message that does not name the bot is for the bot or for people."""

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from function_calls.understanding.dialogue.circumstances import Circumstances, has_change_words, has_trigger
from function_calls.understanding.dialogue.talk import is_for_people
from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import NOTHING, MessageReading
from function_calls.understanding.reading.slots.small_words import is_figure
from function_calls.understanding.reading.tokens import CLAUSE_MARK

THRESHOLD = 0.72
"""The least probability of a message for the bot."""
_MIN_CLEAR_PROBABILITIES = {"set": 0.9, "summary": 0.8}
"""The probabilities from which requests that need no earlier message are for the bot."""
_MIN_MISSED_PROBABILITY = 0.25
"""The probability from which a question for what was missed is one for a summary: not "did I miss the bus?"."""
_MAX_PROMPTS = 4
"""The most messages of others that count as a feature."""
_MAX_LOG_ODDS = 6.0


def is_for_bot(reading: MessageReading, words: Lexicon, state: Circumstances) -> bool:
    """Return whether a message that does not name the bot is for the bot."""
    if is_for_people(reading, words, state):
        return False
    if _is_clear_request(reading, words) or _asks_what_was_missed(reading, words):
        return True
    return compute_probability(extract_features(reading, words, state)) >= THRESHOLD


def _is_clear_request(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether a message surely asks for a reminder or a summary, whatever was written before it."""
    if reading.certainty < _MIN_CLEAR_PROBABILITIES.get(reading.intent, 1.0):
        return False
    return reading.intent != "set" or (has_trigger(reading, words) and reading.has("CONTENT"))


def _asks_what_was_missed(reading: MessageReading, words: Lexicon) -> bool:
    """Return whether the last clause of a message asks what the sender has missed, whatever stands before it."""
    from services.summary.content import asks

    clauses = [clause.strip() for clause in CLAUSE_MARK.split(words.fold(reading.text)) if clause.strip()]
    last = clauses[-1] if clauses else ""
    is_for_summary = reading.intent == "summary" and reading.certainty >= _MIN_MISSED_PROBABILITY
    return is_for_summary and words.has_any(words.missed, last) and asks(last)


def extract_features(reading: MessageReading, words: Lexicon, state: Circumstances) -> dict[str, float]:
    """Return the features of a message by name, those that are 0 left out."""
    intent, share = next(each for each in reading.intents if each[0] != NOTHING)
    values = {
        "request": _log_odds(1 - reading.probability(NOTHING)),
        "intent": _log_odds(share),
        "length": math.log(1 + len(reading.tokens)),
        "others": float(min(state.others, _MAX_PROMPTS)),
    }
    flags = _describe_in_flags(intent, reading, words, state)
    return values | dict.fromkeys((name for name, is_set in flags.items() if is_set), 1.0)


def _describe_in_flags(intent: str, reading: MessageReading, words: Lexicon, state: Circumstances) -> dict[str, bool]:
    """Return the features of a message, of which `intent` is the most probable request, that hold or do not hold."""
    return {
        f"intent_{intent}": True,
        f"context_{state.context}": True,
        f"last_action_{state.last_action}": True,
        f"last_action_{state.last_action}_others": state.others > 0,
        f"last_action_{state.last_action}_changed_subject": state.changed_subject,
        "awaits_answer": state.awaits_answer,
        "names_reminder": state.names_reminder,
        "answers_person": state.answers_person,
        "answers_with_time": state.answers_person and reading.has("WHEN"),
        "follows_bot": state.follows_bot,
        "others_discussed_time": state.others_discussed_time,
        "has_trigger": has_trigger(reading, words),
        "has_change_words": has_change_words(reading, words),
        "is_question": reading.is_question,
        "has_time": reading.has("WHEN"),
        "has_only_bare_numbers": reading.has("WHEN") and all(map(is_figure, reading.pieces("WHEN"))),
    }


def compute_probability(features: Mapping[str, float]) -> float:
    """Return the probability that a message with `features` is for the bot, by logistic regression."""
    weights = _load_weights()
    score = weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-score))


@cache
def _load_weights() -> dict[str, float]:
    """Return the weight of each feature, which `make train` fits."""
    return tomllib.loads(files(__package__).joinpath("addressee.toml").read_text("utf-8"))


def _log_odds(share: float) -> float:
    """Return the log-odds of a probability, bounded so that 0 and 1 have some as well."""
    return max(-_MAX_LOG_ODDS, min(_MAX_LOG_ODDS, math.log((share + 1e-4) / (1 - share + 1e-4))))
