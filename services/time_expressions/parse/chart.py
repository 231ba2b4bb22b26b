"""Parse tokens bottom up, from right to left: every rule is tried at every token that its first symbol matches.

All phrases that begin later are complete by then, so a rule needs one walk through the graph.
"""

from typing import Any

from services.time_expressions.rules.grammar import Grammar
from services.time_expressions.rules.patterns import Node
from services.time_expressions.scan.tokens import Item, Tokens
from services.time_expressions.values import Slots, unify

MAX_ITEMS = 120
"""The limit of phrases per start, which keeps hostile texts ("1 1 1 1 ...") linear."""

PLENTY = 600
FEW_ITEMS = 3
"""The limit of phrases per start once a text has `PLENTY` phrases; ordinary messages have fewer."""

MAX_PIECES = 9
"""The limit of pieces that are joined into one time."""


Row = dict[str, list[Item]]
Matched = tuple[int, int, int, int, int]
"""The part of a text that a rule has matched: start, end, after, and the sums of weight and size of its items."""


def _add(row: Row, item: Item) -> bool:
    """Add `item` to `row`; return False if an equal one of the same or higher weight is known."""
    known = row.setdefault(item.symbol, [])
    for earlier in known:
        if earlier.end == item.end and earlier.weight >= item.weight and earlier.value == item.value:
            return False
    known.append(item)
    return True


class Chart:
    """The phrases of one text by start and symbol; `phrases` is their number.

    `times` are phrases that may be a time, `leads` phrases for a length before a time ("two days before").
    """

    def __init__(self, tokens: Tokens, grammar: Grammar) -> None:
        self._roots = [root.children for root in grammar.roots]
        self._joints = grammar.joints
        self._tokens = tokens
        self._rows: dict[int, Row] = {}
        self.times: list[Item] = []
        self.leads: list[Item] = []
        self.phrases = 0
        for start in sorted(tokens, reverse=True):
            self._fill(start, tokens[start])

    @property
    def is_cut(self) -> bool:
        """Return whether the limit of phrases was reached, so that some are missing."""
        return self.phrases >= PLENTY

    def _fill(self, start: int, tokens: list[Item]) -> None:
        row: Row = {}
        self._rows[start] = row
        queue = list(tokens)
        taken, maximum = 0, MAX_ITEMS if self.phrases < PLENTY else FEW_ITEMS
        while queue and taken < maximum:
            item = queue.pop()
            if not _add(row, item):
                continue
            taken += 1
            symbol = item.symbol
            if symbol == "TIME":
                self._join(item, queue)
                self.times.append(item)
            elif symbol == "LEAD":
                self.leads.append(item)
            elif symbol == "PIECE":
                queue.append(Item(start, item.end, item.after, "TIME", item.value, item.weight, 1, item.size))
            for root in self._roots:
                if node := root.get(symbol):
                    values = [] if symbol[0] == "=" else [item.value]
                    self._walk(node, (start, item.end, item.after, item.weight, item.size), values, queue)
        self.phrases += taken

    def _walk(self, node: Node, matched: Matched, values: list[Any], queue: list[Item]) -> None:
        """Add the phrases of rules that are complete at `node`, and extend the match by the items that follow it."""
        start, end, after, weight, size = matched
        for gives, action, extra, gain in node.rules:
            value = action(values, **extra)
            if value is not None:
                queue.append(Item(start, end, after, gives, value, weight + gain, 1, size))
        children = node.children
        row = self._rows.get(after) if children else None
        if not row:
            return
        for symbol, found in row.items():
            child = children.get(symbol)
            if child is None:
                continue
            for following in found:
                longer = (start, following.end, following.after, weight + following.weight, size + following.size)
                self._walk(child, longer, values if symbol[0] == "=" else [*values, following.value], queue)

    def _join(self, time: Item, queue: list[Item]) -> None:
        """Join a time with each following piece, across up to three joints (",", "on", "the")."""
        if time.pieces >= MAX_PIECES:
            return
        place, joined = time.after, 0
        for _ in range(4):
            row = self._rows.get(place)
            if not row:
                return
            for piece in row.get("PIECE", ()):
                merged: Slots | None = unify(time.value, piece.value)
                if merged is not None:
                    weight = time.weight + piece.weight
                    pieces, size = time.pieces + 1, time.size + joined + piece.size
                    queue.append(Item(time.start, piece.end, piece.after, "TIME", merged, weight, pieces, size))
            joint = next((t for t in self._tokens[place] if t.symbol[0] == "="), None)
            if joint is None or joint.value not in self._joints:
                return
            place = joint.after
            joined += joint.size
