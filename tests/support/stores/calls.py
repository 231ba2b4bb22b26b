"""Store the call log in memory, for tests."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec.structs import replace

from services.call_log.model import CallRecord, Spent, TurnRecord, person_key


class MemoryCallStore:
    """A `CallStore` that forgets everything when the process ends."""

    def __init__(self) -> None:
        self._turns: list[TurnRecord] = []
        self._calls: list[CallRecord] = []

    async def add(self, turns: Sequence[TurnRecord], calls: Sequence[CallRecord]) -> None:
        """Keep these."""
        self._turns += turns
        self._calls += calls

    async def turn(self, message_id: str, chat_key: str | None = None) -> TurnRecord | None:
        """Return the latest turn of a message."""
        found = (each for each in self._latest_first() if each.message_id == message_id)
        return next((each for each in found if chat_key in {None, each.address.key}), None)

    async def latest_turns(
        self, limit: int, *, chat_key: str | None = None, person_id: str | None = None
    ) -> tuple[TurnRecord, ...]:
        """Return the last `limit` turns, latest first."""
        in_chat = [each for each in self._latest_first() if chat_key in {None, each.address.key}]
        return tuple(each for each in in_chat if person_id in {None, each.person.id})[:limit]

    async def calls(self, chat_key: str, message_ids: Sequence[str]) -> tuple[CallRecord, ...]:
        """Return the calls made for these messages, in the order they ended."""
        wanted = set(message_ids)
        return tuple(each for each in self._calls if each.address.key == chat_key and each.message_id in wanted)

    async def spent_since(self, moment: datetime) -> tuple[Spent, ...]:
        """Return what was used since `moment`, one entry a person and chat."""
        totals: dict[tuple[str, str], Spent] = {}
        for turn in self._turns:
            if turn.at >= moment:
                name = (turn.address.key, person_key(turn.address, turn.person.id))
                before = totals.get(name, Spent(chat_key=name[0], person_key=name[1], tokens=0, cost=0.0))
                used = turn.charge
                totals[name] = replace(before, tokens=before.tokens + used.tokens, cost=before.cost + used.cost)
        return tuple(totals.values())

    async def forget(self, chat_key: str, message_id: str) -> None:
        """Delete what is recorded about a message, except what it used."""
        self._calls = [each for each in self._calls if not _is(each, chat_key, message_id)]
        self._turns = [_emptied(each) if _is(each, chat_key, message_id) else each for each in self._turns]

    async def purge(self, before: datetime) -> int:
        """Delete what began before."""
        kept = [each for each in self._turns if each.at >= before]
        gone = len(self._turns) - len(kept)
        self._turns, self._calls = kept, [each for each in self._calls if each.at >= before]
        return gone

    def _latest_first(self) -> Iterable[TurnRecord]:
        return reversed(self._turns)


def _is(record: TurnRecord | CallRecord, chat_key: str, message_id: str) -> bool:
    return record.address.key == chat_key and record.message_id == message_id


def _emptied(turn: TurnRecord) -> TurnRecord:
    completions = tuple(replace(each, requested=(), refused=()) for each in turn.completions)
    return replace(turn, text="", reply="", error="", completions=completions)
