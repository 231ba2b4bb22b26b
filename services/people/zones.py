"""Parse names of time zones, and manage the zones of people and chats."""

import re
import tomllib
from datetime import timedelta
from functools import cache, partial
from importlib.resources import files
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from services.kernel.bounded import TimedCache
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock
from services.kernel.errors import RequestRefused
from services.kernel.state import Json, ScopeStore, StateDelta
from services.kernel.text import closest_names, fold_accents
from services.people.account_links import PeopleService

_TAILS = re.compile(
    r"(?:'s)?\s*(?:standard time|daylight time|time zone|timezone|time|标准时间|时间|时区|那边|这边|这里|市)$"
)
_OFFSET = re.compile(r"(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?")
_MIN_HOURS, _MAX_HOURS = -12, 14


def find_zone(words: str) -> str | None:
    """Return the IANA name of the zone that `words` name (a zone, country, city or offset); None if unknown."""
    normalised = _normalise(words)
    for name in (normalised, _normalise(_TAILS.sub("", normalised))):
        found = _zone_names().get(name) or _by_offset(name)
        if found is not None and _load_zone(found):
            return found
    return None


def is_zone(name: str) -> bool:
    """Return whether the zone data has a zone with this IANA name."""
    return _load_zone(name) is not None


def nearest_zone(words: str) -> str | None:
    """Return the zone that `words` name, else the one with the most similar name."""
    near = closest_names(words, dict.fromkeys(_zone_names().values()), at_least=0.7)
    return find_zone(words) or (near[0] if near else None)


def _normalise(words: str) -> str:
    """Return `words` in lower case, without punctuation around them and without accents."""
    return fold_accents(" ".join(words.replace("_", " ").strip(" .,!?¿。，！？").split()))


def _by_offset(words: str) -> str | None:
    found = _OFFSET.fullmatch(words.replace("−", "-").replace("\uff0b", "+"))
    if found is None:
        return None
    sign, hours, minutes = found[1], int(found[2]), int(found[3] or 0)
    if minutes:
        return _places()["offsets"].get(f"{sign}{hours:02}:{minutes:02}")
    east = hours if sign == "+" else -hours
    if not _MIN_HOURS <= east <= _MAX_HOURS:
        return None
    # The sign of these zones is positive to the west (POSIX).
    return f"Etc/GMT{-east:+d}" if east else "UTC"


@cache
def _places() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("places.toml").read_text(encoding="utf-8"))


@cache
def _zone_names() -> dict[str, str]:
    """Return the zones by normalised name: IANA names, their cities, and additional places."""
    names = files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    whole = {_normalise(name): name for name in names}
    cities = {
        _normalise(name.rpartition("/")[2]): name for name in names if "/" in name and not name.startswith("Etc/")
    }
    places = _places()
    named = {**places["countries"], **places["cities"], **places["short"]}
    return {**cities, **whole, **{_normalise(name): zone for name, zone in named.items()}}


_KEY = "zone"
_REMEMBERED_FOR = timedelta(minutes=1)  # a change by another process is seen after this time
_MAX_REMEMBERED = 10_000


class ZoneService:
    """Looks up and sets time zones: that of a person for all chats of a platform, else of the chat, else of the bot."""

    def __init__(
        self, scopes: ScopeStore, clock: Clock, *, default: ZoneInfo, people: PeopleService | None = None
    ) -> None:
        """Create the service; `default` is the bot's zone, `people` finds linked accounts, whose zone applies too."""
        self._people = people
        self._scopes = scopes
        self.default = default
        self._cache: TimedCache[ZoneInfo] = TimedCache(clock, _REMEMBERED_FOR, _MAX_REMEMBERED)

    async def zone_of(self, chat: ChatAddress, person: Person) -> ZoneInfo:
        """Return the zone for times that `person` writes in `chat`."""
        return await self._cache.get(f"{chat.key}#{person.id}", partial(self._load_zone_of, chat, person))

    async def _load_zone_of(self, chat: ChatAddress, person: Person) -> ZoneInfo:
        own, common = await self._scopes.load([_scope_of(chat, person), _scope_of(chat, None)])
        own_zone = _load_zone(own.get(_KEY)) or await self._zone_of_linked(chat, person)
        return own_zone or _load_zone(common.get(_KEY)) or self.default

    async def of_chat(self, chat: ChatAddress) -> ZoneInfo:
        """Return the zone of people in `chat` without their own."""
        return _load_zone(await self.own(chat, None)) or self.default

    async def set_for_person(self, chat: ChatAddress, person: Person, words: str) -> str:
        """Set the person's zone to the one that `words` name; return its IANA name.

        Raises:
            RequestRefused: `zone_unknown(zone)`.
        """
        return await self._set(_scope_of(chat, person), words)

    async def suggest_for_person(self, chat: ChatAddress, person: Person, name: str) -> None:
        """Set the person's zone to that of their device if neither they nor a linked account has one.

        A `name` that is not in the zone data is ignored.
        """
        if not is_zone(name) or await self.own(chat, person) or await self._zone_of_linked(chat, person):
            return
        await self._commit(StateDelta(scope=_scope_of(chat, person), written={_KEY: name}))

    async def set_for_chat(self, chat: ChatAddress, words: str) -> str:
        """Set the zone of people in the chat without their own. Raises as `set_for_person`."""
        return await self._set(_scope_of(chat, None), words)

    async def forget(self, chat: ChatAddress, person: Person | None) -> None:
        """Delete the zone of the person, or with None that of the chat."""
        await self._commit(StateDelta(scope=_scope_of(chat, person), written={}, removed=frozenset({_KEY})))

    async def own(self, chat: ChatAddress, person: Person | None) -> str:
        """Return the zone set for the person, or with None for the chat; empty without any."""
        [stored] = await self._scopes.load([_scope_of(chat, person)])
        return str(stored.get(_KEY) or "")

    async def _zone_of_linked(self, chat: ChatAddress, person: Person) -> ZoneInfo | None:
        """Return the zone of a linked account."""
        accounts = () if self._people is None else (await self._people.accounts_of(chat, person))[1:]
        scopes = await self._scopes.load([f"user:{account.key}" for account in accounts]) if accounts else ()
        return next(filter(None, (_load_zone(stored.get(_KEY)) for stored in scopes)), None)

    async def _set(self, scope: str, words: str) -> str:
        name = find_zone(words)
        if name is None:
            raise RequestRefused("zone_unknown", zone=words.strip())
        await self._commit(StateDelta(scope=scope, written={_KEY: name}))
        return name

    async def _commit(self, delta: StateDelta) -> None:
        await self._scopes.commit([delta])
        self._cache.clear()


def _scope_of(chat: ChatAddress, person: Person | None) -> str:
    return f"zone:{chat.key}" if person is None else f"user:{chat.platform}:{person.id}"


def _load_zone(name: Json) -> ZoneInfo | None:
    """Return the zone with this name; None if the zone data does not have it."""
    try:
        return ZoneInfo(name) if isinstance(name, str) else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
