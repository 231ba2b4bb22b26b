"""Disable the conditions of the understanding one by one, and print how the verdicts on conversations change.

A condition is that of an `if`, an operand of `and` or `or`, or the filter of a comprehension. While it is disabled, an
`if` is false, an operand of `or` is empty, and an operand of `and` or a filter is true. A rule can be deleted if no
conversation and no test gets worse without its conditions. With `--thresholds`, several thresholds of addressee
detection are compared instead. Run by `make ablate`.
"""

import argparse
import ast
import builtins
import multiprocessing
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, ClassVar
from unittest.mock import patch

from loguru import logger
from msgspec import Struct

from benchmarks.evaluation.conversation_cases import OWN_CONVERSATIONS, Conversation, load_conversations
from benchmarks.evaluation.conversation_scores import ConversationScore, Row
from benchmarks.evaluation.tables import align_rows, format_percent

_PACKAGE = "function_calls.understanding"
_THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
_PROBE = "__condition__"
_MAX_CONVERSATIONS = 40
"""The number of conversations to play without a condition; of more, an even sample is played."""

Key = tuple[str, int]
"""The id of a conversation and the place of a message in it."""


class Condition(Struct, frozen=True, kw_only=True):
    """A condition of the source; `kind` is "if", "or", "and" or "filter"."""

    number: int
    module: str
    line: int
    kind: str
    source: str


class Result(Struct, frozen=True, kw_only=True):
    """The change of the verdicts without a condition.

    Attributes:
        used: The number of conversations in which the condition matters.
        right: The increase of right messages; negative for a decrease.
        harmful: The increase of messages that are wrong and harmful.
        changed: Descriptions of the messages with another verdict.
    """

    condition: Condition
    used: int
    right: int
    harmful: int
    changed: tuple[str, ...]


class ConditionSwitches:
    """All conditions, the number of the disabled one, and the conversations in which each matters."""

    def __init__(self) -> None:
        self.conditions: list[Condition] = []
        self.disabled: int | None = None
        self.conversation = ""
        self.used: defaultdict[int, set[str]] = defaultdict(set)

    def evaluate(self, number: int, value: Any) -> Any:
        """Return the value of a condition, or the one that disables it."""
        kind = self.conditions[number].kind
        matters = bool(value) if kind in {"if", "or"} else not value
        if matters:
            self.used[number].add(self.conversation)
        if self.disabled != number or not matters:
            return value
        if kind == "if":
            return False
        if kind == "or":
            return type(value)() if isinstance(value, bool | str | tuple | list | frozenset) else None
        return True


class Instrument(ast.NodeTransformer):
    """Puts a call of the switches around each condition of a module."""

    def __init__(self, switches: ConditionSwitches, module: str, source: str) -> None:
        self._switches, self._module, self._source = switches, module, source

    def _wrap(self, node: ast.expr, kind: str) -> ast.expr:
        number = len(self._switches.conditions)
        source = " ".join((ast.get_source_segment(self._source, node) or "").split())
        self._switches.conditions.append(
            Condition(number=number, module=self._module, line=node.lineno, kind=kind, source=source)
        )
        name, place = ast.Name(_PROBE, ast.Load()), ast.Constant(number)
        visited = self.visit(node)
        return ast.fix_missing_locations(ast.copy_location(ast.Call(name, [place, visited], []), node))

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self._wrap(node.test, "if")
        node.body = [self.visit(each) for each in node.body]
        node.orelse = [self.visit(each) for each in node.orelse]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self._wrap(node.test, "if")
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        kind = "or" if isinstance(node.op, ast.Or) else "and"
        node.values = [self._wrap(each, kind) for each in node.values]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self.visit(node.iter)
        node.ifs = [self._wrap(each, "filter") for each in node.ifs]
        return node


class Loader(SourceFileLoader):
    """Loads modules with a call of the switches around each condition."""

    def __init__(self, name: str, path: str, switches: ConditionSwitches) -> None:
        super().__init__(name, path)
        self._switches = switches

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of a module, compiled from its source and not from a cache."""
        source = Path(self.path).read_text(encoding="utf-8")
        tree = Instrument(self._switches, fullname, source).visit(ast.parse(source))
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


class Finder(MetaPathFinder):
    """Finds the modules of a package for `Loader`."""

    def __init__(self, package: str, switches: ConditionSwitches) -> None:
        self._package, self._switches = package, switches

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the package, or None for other modules."""
        if not f"{fullname}.".startswith(f"{self._package}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = Loader(fullname, spec.origin, self._switches)
        return spec


def _play(conversation: Conversation) -> dict[Key, Row]:
    # Imports the package, so that it must not be imported before the finder is installed.
    play = import_module("benchmarks.evaluation.conversation_play").play
    return {(row.conversation, row.place): row for row in play(conversation)}


class Ablation:
    """Plays conversations with all conditions, then without each."""

    current: ClassVar["Ablation"]
    """The instance whose switches the modules of the package call, shared with forked processes."""

    def __init__(self, conversations: Sequence[Conversation]) -> None:
        self._conversations = {each.id: each for each in conversations}
        self._switches = ConditionSwitches()
        sys.meta_path.insert(0, Finder(_PACKAGE, self._switches))
        setattr(builtins, _PROBE, self._switches.evaluate)
        self.baseline: dict[Key, Row] = {}

    def play_baseline(self) -> None:
        """Play all conversations with all conditions."""
        for each in self._conversations.values():
            self._switches.conversation = each.id
            self.baseline |= _play(each)

    def list_conditions(self) -> Sequence[Condition]:
        """Return the conditions, in ascending order of the conversations in which they matter."""
        return sorted(self._switches.conditions, key=lambda each: len(self._switches.used[each.number]))

    def play_without(self, condition: Condition) -> Result:
        """Play the conversations in which a condition matters with the condition disabled."""
        used = sorted(self._switches.used[condition.number] & self._conversations.keys())
        self._switches.disabled = condition.number
        _clear_caches()
        found: dict[Key, Row] = {}
        for name in used[:: max(1, len(used) // _MAX_CONVERSATIONS)]:
            found |= _play(self._conversations[name])
        before = {key: self.baseline[key] for key in found}
        return Result(
            condition=condition,
            used=len(used),
            right=_count(found, "right") - _count(before, "right"),
            harmful=_count(found, "wrong-harmful") - _count(before, "wrong-harmful"),
            changed=tuple(_list_changes(before, found)),
        )


def _play_without(condition: Condition) -> Result:
    return Ablation.current.play_without(condition)


def _clear_caches() -> None:
    """Clear the caches of functions, except of those that load files."""
    for module in [each for name, each in sys.modules.items() if name.startswith(_PACKAGE)]:
        for name, value in vars(module).items():
            if hasattr(value, "cache_clear") and not name.startswith("load_"):
                value.cache_clear()


def _count(rows: Mapping[Key, Row], verdict: str) -> int:
    return sum(row.verdict == verdict for row in rows.values())


def _list_changes(before: Mapping[Key, Row], after: Mapping[Key, Row]) -> Iterator[str]:
    for key, row in after.items():
        if before[key].verdict != row.verdict:
            yield f"{key[0]}#{key[1]} {before[key].verdict} -> {row.verdict}"


def _print_conditions(conversations: Sequence[Conversation], shown: int) -> None:
    """Print the conditions that can be disabled without fewer right or more harmful messages."""
    ablation = Ablation.current = Ablation(conversations)
    ablation.play_baseline()
    conditions = ablation.list_conditions()
    sys.stdout.write(f"{len(conditions)} conditions, {len(ablation.baseline)} messages\n")
    fork = multiprocessing.get_context("fork")  # the processes need the modules and results of this one
    with ProcessPoolExecutor(os.cpu_count(), mp_context=fork) as pool:
        for result in pool.map(_play_without, conditions, chunksize=4):
            if result.right < 0 or result.harmful > 0:
                continue
            condition = result.condition
            place = f"{condition.module.removeprefix(_PACKAGE + '.')}:{condition.line}"
            changes = "; ".join(result.changed[:shown])
            sys.stdout.write(
                f"{place} {condition.kind} in {result.used}, right {result.right:+d} | {condition.source} | {changes}\n"
            )
            sys.stdout.flush()


def _print_thresholds(conversations: Sequence[Conversation]) -> None:
    """Print the scores of all conversations for several thresholds of addressee detection."""
    addressee = import_module("function_calls.understanding.dialogue.addressee")
    rows = [["threshold", "right", "right or acceptable", "harmful", "talk left alone"]]
    for threshold in _THRESHOLDS:
        with patch.object(addressee, "THRESHOLD", threshold):
            score = ConversationScore(tuple(row for each in conversations for row in _play(each).values()))
        shares = (score.first_try, score.acceptable, score.harmful, score.talk_left_alone)
        rows.append([str(threshold), *map(format_percent, shares)])
    sys.stdout.write("\n".join(align_rows(rows)) + "\n")


def main() -> None:
    """Print the conditions that are not needed, or the scores of the thresholds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, action="append", help="folder with conversations; our own by default")
    parser.add_argument("--show", type=int, default=4, help="how many changed messages to show")
    parser.add_argument("--thresholds", action="store_true", help="move the threshold instead")
    options = parser.parse_args()
    logger.remove()
    conversations = [each for folder in options.data or [OWN_CONVERSATIONS] for each in load_conversations(folder)]
    if options.thresholds:
        _print_thresholds(conversations)
    else:
        _print_conditions(conversations, options.show)


if __name__ == "__main__":
    main()
