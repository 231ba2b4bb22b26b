"""Store the message history in memory, for tests."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from services.history.terms import index_terms, query_terms, rank, searchable_text
from services.kernel.chat import ChatAddress, ChatMessage, Person


class MemoryMessageStore:
    """A `MessageStore` that forgets everything when the process ends."""

    def __init__(self) -> None:
        self._messages: dict[tuple[str, str], ChatMessage] = {}
        self._erased: set[tuple[str, str]] = set()

    async def add(self, messages: Sequence[ChatMessage]) -> tuple[bool, ...]:
        """Keep these; say of each whether it was new."""
        return tuple(self._add(each) for each in messages)

    async def flush(self) -> None:
        """Do nothing: nothing here survives the process."""

    async def find(self, address: ChatAddress, message_id: str) -> ChatMessage | None:
        """Return the message of that id in the chat, in whichever thread."""
        name = (address.key, message_id)
        return None if name in self._erased else self._messages.get(name)

    async def recent(self, address: ChatAddress, limit: int) -> tuple[ChatMessage, ...]:
        """Return the last `limit` messages, oldest first."""
        return self._messages_in(address)[-limit:]

    async def speakers(self, address: ChatAddress, limit: int) -> tuple[tuple[str, str], ...]:
        """Return the last `limit` messages of people, oldest first, as message and person ids."""
        here = [each for (chat, _), each in self._messages.items() if chat == address.key]
        in_thread = [each for each in here if address.thread_id in {None, each.address.thread_id}]
        by_people = [each for each in in_thread if not each.sender.is_bot]
        return tuple((each.id, each.sender.id) for each in sorted(by_people, key=lambda each: each.sent_at))[-limit:]

    async def since(self, address: ChatAddress, moment: datetime, limit: int) -> tuple[ChatMessage, ...]:
        """Return the last `limit` messages sent after `moment`, oldest first."""
        return tuple(each for each in self._messages_in(address) if each.sent_at > moment)[-limit:]

    async def after(self, message: ChatMessage, limit: int) -> tuple[ChatMessage, ...]:
        """Return the first `limit` messages after `message` in its chat or thread, oldest first."""
        messages = self._messages_in(message.address)
        at = next(place for place, each in enumerate(messages) if each.id == message.id)
        return messages[at + 1 : at + 1 + limit]

    async def last_message_of(
        self, address: ChatAddress, person: Person, before: datetime | None
    ) -> ChatMessage | None:
        """Return the latest message of `person` in the chat, sent before `before`."""
        own = [each for each in self._messages_in(address) if each.sender.id == person.id and not each.sender.is_bot]
        return next((each for each in reversed(own) if before is None or each.sent_at < before), None)

    async def search(self, address: ChatAddress, query: str, limit: int) -> tuple[ChatMessage, ...]:
        """Return the messages of people that fit `query`, those with all of its terms first, of these the latest."""
        terms = query_terms(query)
        by_people = [each for each in reversed(self._messages_in(address)) if not each.sender.is_bot]
        cut = [(each, frozenset(index_terms(searchable_text(each.text, each.attachments)))) for each in by_people]
        complete = [message for message, found in cut if terms and found.issuperset(terms)][:limit]
        partly = [(message, found) for message, found in cut if not found.issuperset(terms) and len(terms) > 1]
        return (*complete, *rank(partly, terms, limit - len(complete)))

    async def edit(self, address: ChatAddress, message_id: str, text: str, at: datetime) -> bool:
        """Replace the text of a message."""
        del at
        name = (address.key, message_id)
        if name not in self._messages or name in self._erased:
            return False
        self._messages[name] = replace(self._messages[name], text=text)
        return True

    async def delete(self, address: ChatAddress, message_id: str, at: datetime) -> bool:
        """Forget the text of a message and leave it out from now on."""
        is_known = await self.edit(address, message_id, "", at)
        self._erased.add((address.key, message_id))
        return is_known

    def _messages_in(self, address: ChatAddress) -> tuple[ChatMessage, ...]:
        in_chat = [each for name, each in self._messages.items() if name[0] == address.key and name not in self._erased]
        in_thread = [each for each in in_chat if address.thread_id in {None, each.address.thread_id}]
        return tuple(sorted(in_thread, key=lambda each: each.sent_at))

    def _add(self, message: ChatMessage) -> bool:
        name = (message.address.key, message.id)
        is_new = name not in self._messages
        self._messages.setdefault(name, message)
        return is_new
