"""Measure the reading of hostile messages: every word of the lexicons, and random groups of them, repeated.

    python benchmarks/hostile_messages.py --every 1 --groups 2000

Prints the CPU milliseconds that the rules and the time reader take for a message of 400 and one of 4,000 characters,
with and without a request in front. `over` has the beginnings of the messages above `--limit` (milliseconds), the
slowest first; each is read three times, of which the fastest counts. A message that takes ten seconds ends the run
with a traceback.
"""

import argparse
import faulthandler
import itertools
import json
import random
import re
import time
import tomllib
from collections.abc import Iterator
from importlib.resources import files

from bot.app.registry import built_in_registry
from bot.testing.turns import NOW, make_turn
from function_calls.understanding import OfflineInterpreter
from function_calls.understanding.reading.lexicon import list_languages, load_lexicon
from services.time_expressions import parse_all

FOLDERS = (
    ("function_calls.understanding.reading", "lexicon"),
    ("services.time_expressions", "lexicons"),
)
WORD = re.compile(r"[A-Za-zÀ-ÿ']{1,30}|[\u3400-\u9fff]{1,30}|\d{1,30}|[^\w\s]")
HAN = re.compile(r"[\u3400-\u9fff]")
BEHIND = {
    False: ("", "remind me to ", "remind me at 9 to ", "delete "),
    True: ("", "提醒我", "明天九点提醒我", "删除"),
}
GAPS = ("", "", " ", ", ", "，", "和", " and ", "\n")
LENGTHS = (400, 4_000)
HANGS_SECONDS = 10
KNOWN = ("今天今天99三五点reminders.别五点周1.5", "february ", "吗")
"""Pieces that were slow in earlier versions."""


def list_strings(value: object) -> Iterator[str]:
    """Yield all strings of a TOML value, with the names of its fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain.from_iterable((name, *list_strings(each)) for name, each in value.items())
    elif isinstance(value, list):
        yield from itertools.chain.from_iterable(map(list_strings, value))


def load_words() -> tuple[str, ...]:
    """Return every word of the lexicons once."""
    found: dict[str, None] = {}
    for package, folder in FOLDERS:
        for file in sorted(files(package).joinpath(folder).iterdir(), key=lambda file: file.name):
            for text in list_strings(tomllib.loads(file.read_text(encoding="utf-8"))):
                found.update(dict.fromkeys(WORD.findall(text)))
    return tuple(found)


def repeat(piece: str, number: int) -> Iterator[str]:
    """Yield `piece` repeated to each of the lengths, behind one of the requests of its script in turn."""
    requests = BEHIND[HAN.search(piece) is not None]
    for length, request in zip(LENGTHS, (requests[number % 4], requests[(number + 1) % 4]), strict=True):
        yield (request + piece * length)[:length]


def make_messages(every: int, groups: int) -> Iterator[str]:
    """Yield a message for each `every`th word, for the known slow pieces, and for `groups` of two to four words."""
    chance = random.Random(22)
    known = load_words()
    pieces = [*KNOWN, *(f"{word} " if word.isascii() and word.isalnum() else word for word in known[::every])]
    for _ in range(groups):
        gap = chance.choice(GAPS)
        pieces.append("".join(word + gap for word in chance.choices(known, k=chance.randint(2, 4))))
    for number, piece in enumerate(pieces):
        yield from repeat(piece, number)


def measure_reading(interpreter: OfflineInterpreter, text: str, tools: tuple) -> float:
    """Return the CPU milliseconds of reading `text` by the rules and by the time reader alone."""
    turn = make_turn(text, tools=tools)
    faulthandler.dump_traceback_later(HANGS_SECONDS, exit=True)
    start = time.process_time()
    interpreter.read(turn)
    parse_all(text, NOW)
    spent = time.process_time() - start
    faulthandler.cancel_dump_traceback_later()
    return spent * 1000


def measure(every: int, groups: int, limit: float) -> dict[str, object]:
    """Return all figures of one run."""
    for language in list_languages():
        load_lexicon(language)
        OfflineInterpreter.warm_up(language)
    tools = tuple(built_in_registry().specs)
    taken: list[tuple[float, str]] = []
    for text in make_messages(every, groups):
        spent = measure_reading(OfflineInterpreter(), text, tools)
        if spent > limit:
            spent = min(spent, *(measure_reading(OfflineInterpreter(), text, tools) for _ in range(2)))
        taken.append((spent, text))
    taken.sort(reverse=True)
    return {
        "messages": len(taken),
        "worst_ms": round(taken[0][0], 1),
        "median_ms": round(taken[len(taken) // 2][0], 2),
        "over": {text[:60]: round(spent, 1) for spent, text in taken if spent > limit},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="use each n-th word only")
    parser.add_argument("--groups", type=int, default=2000)
    parser.add_argument("--limit", type=float, default=20.0)
    chosen = parser.parse_args()
    print(json.dumps(measure(chosen.every, chosen.groups, chosen.limit), ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
