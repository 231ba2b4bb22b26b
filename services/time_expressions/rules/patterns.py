"""Compile the patterns of rules into one graph, in which a node has its following symbols and its complete rules.

The patterns are not expanded: a node stands for all places of all patterns that the same symbols lead to, so that the
size of "(in|on)? the? (first|last) DAY" grows with its words and not with its combinations, and equal rests are shared.
"""

from collections.abc import Iterable, Mapping
from operator import itemgetter
from sys import intern
from typing import Any, NamedTuple

from services.time_expressions.rules.actions import Action

BRACKETS = {"[": "(", "]": ")"}
"""The notation of literal brackets in patterns, where round brackets group."""

Rule = tuple[str, Action, Mapping[str, Any], int]
"""The resulting symbol of a pattern, the action that makes its value, its arguments, and the added weight."""


class Node(NamedTuple):
    """A node of the graph: its children by the symbols that may follow, and the rules that are complete here."""

    children: Mapping[str, "Node"]
    rules: tuple[Rule, ...]


class _Place:
    """A place in one pattern, before `symbol` and then `follow`; at the end of the pattern, `rule` is complete."""

    __slots__ = ("follow", "rule", "symbol")

    def __init__(self, symbol: str, follow: tuple["_Place", ...], rule: tuple[int, Rule] | None = None) -> None:
        self.symbol = symbol
        self.follow = follow
        self.rule = rule


class _Item(NamedTuple):
    """A symbol of a pattern, or a group of alternatives."""

    content: "str | list[list[_Item]]"
    is_optional: bool


_Known = dict[tuple[str, tuple[_Place, ...]], _Place]


def build_graph(patterns: Iterable[tuple[str, Rule]]) -> tuple[Node, frozenset[str]]:
    """Build the graph of `patterns`, each with its rule; return it with the literal words of the patterns.

    In a pattern such as `every (other|NUM)? UNIT`, upper case names a symbol; other words are literal, which the
    graph marks with `=`.

    Raises:
        ValueError: the brackets of a pattern do not match.
    """
    known: _Known = {}
    ends: dict[int, _Place] = {}
    starts: dict[_Place, None] = {}
    for number, (pattern, rule) in enumerate(patterns):
        end = ends.setdefault(id(rule), _Place("", (), (number, rule)))
        starts.update(dict.fromkeys(_heads(_parse(pattern), (end,), known)))
    words = frozenset(symbol[1:] for symbol, _ in known if symbol[0] == "=")
    return _node([place for place in starts if place.rule is None], {}), words


def _node(places: Iterable[_Place], known: dict[tuple[_Place, ...], Node]) -> Node:
    """Return the node for the set `places`; equal sets share a node."""
    key = tuple(sorted(places, key=id))
    if key not in known:
        after: dict[str, set[_Place]] = {}
        for place in key:
            if place.rule is None:
                after.setdefault(place.symbol, set()).update(place.follow)
        children = {symbol: _node(follow, known) for symbol, follow in after.items()}
        ends = sorted((place.rule for place in key if place.rule is not None), key=itemgetter(0))
        known[key] = Node(children, tuple(rule for _, rule in ends))
    return known[key]


def _heads(alternatives: list[list[_Item]], follow: tuple[_Place, ...], known: _Known) -> tuple[_Place, ...]:
    """Return the places at which `alternatives` begin, followed by `follow`; built from right to left."""
    found: dict[_Place, None] = {}
    for sequence in alternatives:
        heads = follow
        for content, is_optional in reversed(sequence):
            before = _before(content, heads, known) if isinstance(content, str) else _heads(content, heads, known)
            heads = tuple(dict.fromkeys((*before, *heads))) if is_optional else before
        found.update(dict.fromkeys(heads))
    return tuple(found)


def _before(symbol: str, follow: tuple[_Place, ...], known: _Known) -> tuple[_Place]:
    key = (symbol, follow)
    if key not in known:
        known[key] = _Place(symbol, follow)
    return (known[key],)


def _parse(pattern: str) -> list[list[_Item]]:
    tokens = pattern.replace("(", " ( ").replace(")", " ) ").replace("|", " | ").replace(") ?", ")?").split()
    alternatives, rest = _alternatives(tokens, 0)
    if rest != len(tokens):
        raise ValueError(f"unbalanced pattern: {pattern}")
    return alternatives


def _alternatives(tokens: list[str], place: int) -> tuple[list[list[_Item]], int]:
    found: list[list[_Item]] = [[]]
    while place < len(tokens) and tokens[place] not in {")", ")?"}:
        mark = tokens[place]
        place += 1
        if mark == "|":
            found.append([])
        elif mark == "(":
            inner, place = _alternatives(tokens, place)
            found[-1].append(_Item(inner, tokens[place] == ")?"))
            place += 1
        else:
            is_optional = mark.endswith("?") and len(mark) > 1
            word = mark.removesuffix("?") if is_optional else mark
            symbol = word if word.isupper() and word.isascii() else "=" + BRACKETS.get(word, word)
            found[-1].append(_Item(intern(symbol), is_optional))
    return found, place
