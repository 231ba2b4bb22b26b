"""Look up and set the time zone of a person, else of the chat, else of the bot."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock
from services.kernel.errors import RequestRefused
from services.kernel.state import Json, StateDelta
from services.people.account_links import PeopleService
from services.people.zone_names import zone_named

_KEY = "zone"
_REMEMBERED_FOR = timedelta(minutes=1)  # as long as another process may not hear of a change
_MOST_REMEMBERED = 10_000


class ScopeBook(Protocol):
    """Stores values by scope and key."""

    async def load(self, scopes: Sequence[str]) -> Sequence[Mapping[str, Json]]:
        """Return the values of each of `scopes`, in that order."""
        ...

    async def commit(self, deltas: Sequence[StateDelta]) -> None:
        """Keep all of `deltas` or none of them."""
        ...


class ZoneService:
    """Looks up and sets time zones; a person's zone applies in all chats of a platform."""

    def __init__(
        self, book: ScopeBook, clock: Clock, *, default: ZoneInfo, people: PeopleService | None = None
    ) -> None:
        """Take the bot's zone as `default`; `people` finds a person's other accounts, whose zone applies here too."""
        self._people = people
        self._book = book
        self._clock = clock
        self.default = default
        self._remembered: BoundedDict[str, tuple[datetime, ZoneInfo]] = BoundedDict(_MOST_REMEMBERED)

    async def zone_of(self, chat: ChatAddress, person: Person) -> ZoneInfo:
        """Return the zone in which `person` means times in `chat`."""
        key = f"{chat.key}#{person.id}"
        known = self._remembered.get(key)
        if known is not None and self._clock.now() - known[0] < _REMEMBERED_FOR:
            return known[1]
        own, common = await self._book.load([_of_person(chat, person), _of_chat(chat)])
        own_zone = _readable(own.get(_KEY)) or await self._linked(chat, person)
        zone = own_zone or _readable(common.get(_KEY)) or self.default
        self._remembered[key] = (self._clock.now(), zone)
        return zone

    async def of_chat(self, chat: ChatAddress) -> ZoneInfo:
        """Return the zone in which people mean times in `chat` who have none of their own."""
        return _readable(await self.own(chat, None)) or self.default

    async def set_for_person(self, chat: ChatAddress, person: Person, words: str) -> str:
        """Take the zone that `words` name as the person's; return its IANA name.

        Raises:
            RequestRefused: `zone_unknown(zone)`.
        """
        return await self._set(_of_person(chat, person), words)

    async def set_for_chat(self, chat: ChatAddress, words: str) -> str:
        """Take the zone that `words` name for all in the chat who have none of their own. Raises as the other does."""
        return await self._set(_of_chat(chat), words)

    async def forget_person(self, chat: ChatAddress, person: Person) -> None:
        """Let the zone of the chat, or of the bot, be the person's again."""
        await self._commit(StateDelta(scope=_of_person(chat, person), written={}, removed=frozenset({_KEY})))

    async def forget_chat(self, chat: ChatAddress) -> None:
        """Let the zone of the bot be the chat's again."""
        await self._commit(StateDelta(scope=_of_chat(chat), written={}, removed=frozenset({_KEY})))

    async def own(self, chat: ChatAddress, person: Person | None) -> str:
        """Return what was set for the person, or with None for the chat; empty when nothing was."""
        scope = _of_chat(chat) if person is None else _of_person(chat, person)
        [kept] = await self._book.load([scope])
        return str(kept.get(_KEY) or "")

    async def _linked(self, chat: ChatAddress, person: Person) -> ZoneInfo | None:
        """Return the zone of another account of the same person."""
        accounts = () if self._people is None else (await self._people.accounts_of(chat, person))[1:]
        kept = await self._book.load([f"user:{each.key}" for each in accounts]) if accounts else ()
        return next(filter(None, (_readable(each.get(_KEY)) for each in kept)), None)

    async def _set(self, scope: str, words: str) -> str:
        name = zone_named(words)
        if name is None:
            raise RequestRefused("zone_unknown", zone=words.strip())
        await self._commit(StateDelta(scope=scope, written={_KEY: name}))
        return name

    async def _commit(self, delta: StateDelta) -> None:
        await self._book.commit([delta])
        self._remembered.clear()


def _of_person(chat: ChatAddress, person: Person) -> str:
    return f"user:{chat.platform}:{person.id}"


def _of_chat(chat: ChatAddress) -> str:
    return f"zone:{chat.key}"


def _readable(name: Json) -> ZoneInfo | None:
    """Return the zone with this name; None when there is none, or the data of zones no longer has it."""
    try:
        return ZoneInfo(name) if isinstance(name, str) else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
