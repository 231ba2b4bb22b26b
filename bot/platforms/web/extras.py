"""Store the extras of messages: buttons, reactions and the reminder of the message."""

from datetime import timedelta
from typing import Final

from msgspec import Struct, field

from bot.platforms.web.frames import AttachmentShape, ChoiceShape, FiredShape, read_choice
from function_calls.tools.session_state import json_copy
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress
from services.kernel.state import Json, StateStore

_KEPT: Final = timedelta(days=36_500)
_MOST: Final = 300
_MOST_EMOJI: Final = 50


class Extras(Struct, kw_only=True):
    """Of one message; `reactions` are the ids of people by emoji.

    `confirmed` are the messages whose calls the person has said yes to, of an answer to a yes.
    """

    choices: list[ChoiceShape] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    reactions: dict[str, list[str]] = field(default_factory=dict)
    reminder: FiredShape | None = None
    attachments: list[AttachmentShape] = field(default_factory=list)
    stopped: bool = False
    confirmed: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to keep."""
        return self == NOTHING

    def react(self, person_id: str, emoji: str) -> None:
        """Put the person's emoji on, or take it off again; a message has no more than fifty different ones."""
        if emoji not in self.reactions and len(self.reactions) >= _MOST_EMOJI:
            return
        people = self.reactions.setdefault(emoji, [])
        if person_id in people:
            people.remove(person_id)
        else:
            people.append(person_id)
        if not people:
            del self.reactions[emoji]


NOTHING = Extras()


class ExtrasBook:
    """The extras of one room's last 300 messages that have some, kept in `state` through a restart."""

    def __init__(self, state: StateStore, chat_key: str) -> None:
        self._state = state
        self._key = f"web.extras:{chat_key}"
        self._of: BoundedDict[str, Extras] | None = None

    async def of(self, message_id: str) -> Extras:
        """Return the extras of a message, to be looked at."""
        return (await self._all()).get(message_id, NOTHING)

    async def with_change(self, change_id: str) -> tuple[str, ...]:
        """Return the ids of the messages with a button that takes this change back."""
        known = await self._all()
        return tuple(
            name for name, extras in known.items() if any(each["change_id"] == change_id for each in extras.choices)
        )

    async def change(self, message_id: str, extras: Extras) -> None:
        """Keep `extras` from now on; empty ones are forgotten."""
        known = await self._all()
        if extras.is_empty:
            known.pop(message_id, None)
        else:
            known[message_id] = extras
        await self._state.set(self._key, [_encode(each, known[each]) for each in known], keep=_KEPT)

    async def _all(self) -> BoundedDict[str, Extras]:
        if self._of is None:
            stored = await self._state.get(self._key)
            read = [_read(entry) for entry in stored if isinstance(entry, dict)] if isinstance(stored, list) else []
            if self._of is None:  # somebody else may have read it meanwhile
                self._of = BoundedDict(_MOST)
                self._of.update(read)
        return self._of


class ExtrasRepository:
    """The books of all rooms, read when they are first looked into; before `keep_in` there are none."""

    def __init__(self) -> None:
        self._state: StateStore | None = None
        self._books: dict[str, ExtrasBook] = {}

    def keep_in(self, state: StateStore) -> None:
        """Keep the books in `state` from now on."""
        self._state = state

    def put_back(self, address: ChatAddress) -> None:
        """Read the book of a room anew when it is needed again."""
        self._books.pop(address.key, None)

    def put_all_back(self) -> None:
        """Read every book anew."""
        self._books.clear()

    async def of(self, address: ChatAddress, message_id: str) -> Extras:
        """Return the extras of a message, to be looked at."""
        book = self._book(address)
        return NOTHING if book is None else await book.of(message_id)

    async def with_change(self, address: ChatAddress, change_id: str) -> tuple[str, ...]:
        """Return the ids of a room's messages with a button that takes this change back."""
        book = self._book(address)
        return () if book is None else await book.with_change(change_id)

    async def change(self, address: ChatAddress, message_id: str, extras: Extras) -> None:
        """Let a message have `extras`, where it has some or had."""
        book = self._book(address)
        if book is not None and (not extras.is_empty or not (await book.of(message_id)).is_empty):
            await book.change(message_id, extras)

    def _book(self, address: ChatAddress) -> ExtrasBook | None:
        if address.key not in self._books and self._state is not None:
            self._books[address.key] = ExtrasBook(self._state, address.key)
        return self._books.get(address.key)


def _encode(message_id: str, extras: Extras) -> Json:
    reminder: Json = None
    if extras.reminder is not None:
        fired = extras.reminder
        reminder = {"id": fired["id"], "text": fired["text"], "due_at": fired["due_at"], "late_ms": fired["late_ms"]}
    return {
        "id": message_id,
        "choices": [json_copy(each) for each in extras.choices],
        "mentions": [*extras.mentions],
        "reactions": {emoji: [*people] for emoji, people in extras.reactions.items()},
        "reminder": reminder,
        "attachments": [
            {"kind": each["kind"], "description": each["description"], "url": each["url"]}
            for each in extras.attachments
        ],
        "stopped": extras.stopped,
        "confirmed": [*extras.confirmed],
    }


def _read(entry: dict[str, Json]) -> tuple[str, Extras]:
    reactions, reminder = entry.get("reactions"), entry.get("reminder")
    extras = Extras(
        choices=[read_choice({**each}) for each in _list(entry.get("choices")) if isinstance(each, dict)],
        mentions=[str(each) for each in _list(entry.get("mentions"))],
        reactions={emoji: [str(each) for each in _list(people)] for emoji, people in reactions.items()}
        if isinstance(reactions, dict)
        else {},
        reminder=_decode_fired(reminder) if isinstance(reminder, dict) else None,
        attachments=[_attachment(each) for each in _list(entry.get("attachments")) if isinstance(each, dict)],
        stopped=entry.get("stopped") is True,
        confirmed=[str(each) for each in _list(entry.get("confirmed"))],
    )
    return str(entry.get("id")), extras


def _decode_fired(entry: dict[str, Json]) -> FiredShape:
    late = entry.get("late_ms")
    return FiredShape(
        id=str(entry.get("id")),
        text=str(entry.get("text")),
        due_at=str(entry.get("due_at")),
        late_ms=round(late) if isinstance(late, int | float) else 0,
    )


def _attachment(entry: dict[str, Json]) -> AttachmentShape:
    url = entry.get("url")
    return AttachmentShape(
        kind=str(entry.get("kind")),
        description=str(entry.get("description")),
        url=url if isinstance(url, str) else None,
    )


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
