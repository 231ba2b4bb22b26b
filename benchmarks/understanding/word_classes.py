"""Write the table of word classes of one language: Brown clusters of frequent words, from spacy-lookups-data (MIT).

    python -m benchmarks.understanding.word_classes en es

Needs the package spacy-lookups-data. The table has only frequent words; it is used in training and for every message.
"""

import argparse
import gzip
import json
import lzma
import sys
from importlib.resources import files
from pathlib import Path

import msgspec

from function_calls.understanding.reading.tokens import strip_accents

WEIGHTS = Path(__file__).parents[2] / "function_calls" / "understanding" / "reading" / "weights"
_MAX_WORDS = 20_000
_UNCLASSED_WORDS = 120
"""The number of most frequent words, which have vectors of their own and no class."""


def _load_table(language: str, name: str) -> dict[str, float]:
    data = files("spacy_lookups_data").joinpath("data", f"{language}_lexeme_{name}.json.gz").read_bytes()
    return json.loads(gzip.decompress(data))


def load_word_classes(language: str) -> dict[str, int]:
    """Return the classes of frequent words without accents and in lower case, in descending order of frequency."""
    clusters, shares = _load_table(language, "cluster"), _load_table(language, "prob")
    found: dict[str, int] = {}
    count = 0
    for word in sorted(shares, key=lambda word: -shares[word]):
        form = strip_accents([word.lower()])[0]
        if not form.replace("'", "").isalpha() or len(form) < 2 or not clusters.get(word):
            continue
        count += 1
        if count > _UNCLASSED_WORDS:
            found.setdefault(form, int(clusters[word]))
        if len(found) == _MAX_WORDS:
            break
    return found


def main() -> None:
    """Write the tables of the languages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="+")
    for language in parser.parse_args().languages:
        classes = load_word_classes(language)
        words = sorted(classes)
        data = lzma.compress(msgspec.msgpack.encode((" ".join(words), [classes[word] for word in words])), preset=9)
        (WEIGHTS / f"{language}_classes.bin").write_bytes(data)
        sys.stdout.write(f"{language}: {len(words):,} words, {len(data):,} bytes\n")


if __name__ == "__main__":
    main()
