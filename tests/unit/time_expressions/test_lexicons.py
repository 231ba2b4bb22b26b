"""Lexicons as data files, patterns and their actions."""

from collections.abc import Iterator

import pytest

from services.time_expressions import languages, parse
from services.time_expressions.rules.actions import find_action
from services.time_expressions.rules.grammar import grammar, lexicon
from services.time_expressions.rules.patterns import Node, build_graph
from services.time_expressions.scan.chinese_numerals import read_numeral


def sequences(node: Node, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the symbols on all paths from `node` to the end of a rule."""
    if node.rules:
        yield before
    for symbol, after in node.children.items():
        yield from sequences(after, (*before, symbol))


def test_lexicons_of_three_languages_exist():
    assert languages() == ("en", "es", "zh")


@pytest.mark.parametrize("language", languages())
def test_every_rule_has_an_existing_action(language):
    rules = lexicon.__wrapped__(language)["rules"]

    made = {entry["make"] for entries in rules.values() for entry in entries}

    assert all(callable(find_action(name)) for name in made)


def test_error_names_an_unknown_action():
    with pytest.raises(LookupError, match="no action 'fly'"):
        find_action("fly")


def test_pattern_matches_each_of_its_sequences():
    rule = ("PIECE", find_action("every"), {}, 1)

    assert sorted(sequences(build_graph([("every (other|NUM)? UNIT", rule)])[0])) == [
        ("=every", "=other", "UNIT"),
        ("=every", "NUM", "UNIT"),
        ("=every", "UNIT"),
    ]


def test_an_unbalanced_pattern_is_refused():
    with pytest.raises(ValueError, match="unbalanced"):
        build_graph([("a b ) c", ("PIECE", find_action("every"), {}, 1))])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mañana a las 8:30", "2026-11-21 08:30 None"),
        ("el próximo viernes a las 3 de la tarde", "2026-11-27 15:00 None"),
        ("dentro de 15 minutos", "2026-11-20 10:15 None"),
        ("el 5 de enero a las 9:00", "2027-01-05 09:00 None"),
        ("cada lunes a las 9", "2026-11-23 09:00 FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("el último día de cada mes", "2026-11-30 09:00 FREQ=MONTHLY;BYMONTHDAY=-1"),
    ],
)
def test_spanish_is_read_from_its_lexicon_alone(read, text, expected):
    reading = read(text)

    assert f"{reading.start:%Y-%m-%d %H:%M} {reading.rrule}" == expected


def test_two_languages_in_one_text_are_read_together(read):
    assert f"{read('remind me 明天下午 at 5').start:%d %H}" == "21 17"


def test_stated_language_is_used(now):
    assert parse("明天", now, language="en").best is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("二十三", 23),
        ("十五", 15),
        ("两千零四", 2004),
        ("二零一六", 2016),
        ("廿九", 29),
        ("一百二十", 120),
        ("三万", 30000),
    ],
)
def test_chinese_numerals_are_read(text, value):
    assert read_numeral(text, 0).value == value


@pytest.mark.parametrize("language", languages())
def test_patterns_with_the_same_continuation_are_stored_once(language: str) -> None:
    nodes: dict[int, Node] = {}
    waiting = list(grammar((language,)).roots)
    while waiting:
        node = waiting.pop()
        if id(node) not in nodes:
            nodes[id(node)] = node
            waiting += node.children.values()

    signatures = {
        (tuple(map(id, node.rules)), frozenset((symbol, id(after)) for symbol, after in node.children.items()))
        for node in nodes.values()
    }

    assert len(signatures) == len(nodes)
