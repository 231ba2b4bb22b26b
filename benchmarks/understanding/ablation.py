"""Switch off the rules of the understanding one by one, and print what becomes of the answers to conversations.

A rule without which no conversation gets worse is to be deleted. With `--thresholds` the threshold of addressee
detection is moved instead. Run by `make ablate`.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from loguru import logger

from benchmarks.evaluation.conversation_cases import OWN, Conversation, conversations_in
from benchmarks.evaluation.conversation_play import play
from benchmarks.evaluation.conversation_scores import ConversationScore, Row
from benchmarks.evaluation.tables import aligned, percent
from function_calls.understanding.dialogue import addressee

_PACKAGE = "function_calls.understanding"
_THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def _unchanged(first: Any, *_: Any, **__: Any) -> Any:
    return first


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _no(*_: Any, **__: Any) -> bool:
    return False


def _no_words(*_: Any, **__: Any) -> str:
    return ""


def _none(*_: Any, **__: Any) -> list[Any]:
    return []


RULES: tuple[tuple[str, Callable[..., object], str], ...] = (
    (
        "reading.name_repair:NameRepair",
        _nothing,
        (
            "repair_names _tag_oneself _move_occasion_to_content _move_companion_to_content "
            "_move_last_character_to_content _move_verb_to_content _cut_behind_pronoun _cut_links"
        ),
    ),
    ("reading.content_repair:ContentRepair", _nothing, "untag_courtesies extend_content tag_content _extend_to_end"),
    (
        "reading.tag_repair:TimeRepair",
        _nothing,
        "tag_same_time tag_listed_times tag_correction tag_time tag_event merge_ends",
    ),
    ("reading.segments:", _unchanged, "_join_reason"),
    ("dialogue.message_interpreter:", _unchanged, "drop_remarks resolve_day_meant merge_intents"),
    ("dialogue.message_interpreter:", _no_words, "find_text_behind_call"),
    ("requests.new_reminders:", _unchanged, "tag_event _keep_count_in_content _keep_reason_in_content _complete_deeds"),
    ("requests.new_reminders:", _nothing, "_split_skipped_day _find_rule_for_last _resolve_day_meant"),
    ("requests.request_times:", _unchanged, "_tag_lead_by_words _choose_morning _choose_usual_half _choose_next_hour"),
    ("requests.request_times:", _nothing, "_resolve_correction _read_bounded_repetition _find_time_outside_content"),
    ("requests.changes:", _unchanged, "_tag_denied_time _untag_reasons _move_to_week"),
    ("requests.changes:", _nothing, "_read_amount _find_single_occurrence"),
    ("requests.changes:", _no_words, "_find_time_alone _parse_clock_beside_hour _find_untagged_weekday"),
    ("requests.changes:", _no, "_is_ahead _is_for_good _is_day_of_last"),
    ("requests.references:", _no_words, "_find_name_behind_article"),
    ("requests.references:", _none, "_find_by_untagged_words"),
)
"""The module and class of rules, what they give where they are switched off, and their names in one text."""


@contextmanager
def _switched_off(place: str, name: str, instead: Callable[..., object]) -> Iterator[None]:
    """Put `instead` in the place of a rule."""
    module, _, owner = place.partition(":")
    found = import_module(f"{_PACKAGE}.{module}")
    holder = getattr(found, owner) if owner else found
    rule = getattr(holder, name)
    setattr(holder, name, instead)
    try:
        yield
    finally:
        setattr(holder, name, rule)


def _verdicts(conversations: Sequence[Conversation]) -> dict[tuple[str, int], Row]:
    return {(row.conversation, row.place): row for each in conversations for row in play(each)}


def _changes(before: dict[tuple[str, int], Row], after: dict[tuple[str, int], Row]) -> Iterator[str]:
    for key, row in after.items():
        if key in before and before[key].verdict != row.verdict:
            yield f"{key[0]}#{key[1]} {before[key].verdict} -> {row.verdict}"


def _print_rules(conversations: Sequence[Conversation], shown: int) -> None:
    """Print for each rule how many messages more are right and harmful without it, and which change."""
    whole = _verdicts(conversations)
    right, harmful = (sum(row.verdict == each for row in whole.values()) for each in ("right", "wrong-harmful"))
    sys.stdout.write(f"{len(whole)} messages, {right} right, {harmful} harmful\n")
    for place, instead, names in RULES:
        for name in names.split():
            with _switched_off(place, name, instead):
                found = _verdicts(conversations)
            more = [
                sum(row.verdict == each for row in found.values()) - count
                for each, count in (("right", right), ("wrong-harmful", harmful))
            ]
            changes = "; ".join([*_changes(whole, found)][:shown])
            sys.stdout.write(f"{place.rstrip(':')}.{name}: right {more[0]:+d}, harmful {more[1]:+d}  {changes}\n")
            sys.stdout.flush()


def _print_thresholds(conversations: Sequence[Conversation]) -> None:
    """Print the scores of all conversations for several thresholds of addressee detection."""
    rows = [["threshold", "right", "right or acceptable", "harmful", "talk left alone"]]
    for threshold in _THRESHOLDS:
        with patch.object(addressee, "THRESHOLD", threshold):
            score = ConversationScore(tuple(_verdicts(conversations).values()))
        shares = (score.first_try, score.acceptable, score.harmful, score.talk_left_alone)
        rows.append([str(threshold), *map(percent, shares)])
    sys.stdout.write("\n".join(aligned(rows)) + "\n")


def main() -> None:
    """Print what each rule adds, or what the thresholds do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, action="append", help="folder with conversations; our own by default")
    parser.add_argument("--show", type=int, default=4, help="how many changed messages to show")
    parser.add_argument("--thresholds", action="store_true", help="move the threshold instead")
    options = parser.parse_args()
    logger.remove()
    conversations = [each for folder in options.data or [OWN] for each in conversations_in(folder)]
    if options.thresholds:
        _print_thresholds(conversations)
    else:
        _print_rules(conversations, options.show)


if __name__ == "__main__":
    main()
