"""Cache the checked bullets of a part of a conversation, so that only new parts cost a request."""

import hashlib
from collections.abc import Callable, Sequence

from msgspec import Struct

from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatMessage
from services.summary.model import Bullet

_MAX_DIGESTS = 512


class _Digest(Struct, frozen=True, kw_only=True):
    """Bullets, and the messages and people that they came from."""

    bullets: tuple[Bullet, ...]
    messages: frozenset[tuple[str, str]]
    people: frozenset[str]


class DigestCache:
    """A bounded cache in memory; an edited message makes another key."""

    def __init__(self) -> None:
        self._digests: BoundedDict[str, _Digest] = BoundedDict(_MAX_DIGESTS)

    def get(self, key: str) -> tuple[Bullet, ...] | None:
        """Return the bullets under `key`, None when there are none."""
        found = self._digests.get(key)
        if found is None:
            return None
        self._digests.move_to_end(key)
        return found.bullets

    def forget_message(self, chat_key: str, message_id: str) -> None:
        """Drop the bullets of a message that was edited or deleted."""
        self._drop(lambda digest: (chat_key, message_id) in digest.messages)

    def forget_person(self, person_id: str) -> None:
        """Drop the bullets of parts that the person wrote in."""
        self._drop(lambda digest: person_id in digest.people)

    def _drop(self, is_meant: Callable[[_Digest], bool]) -> None:
        for key in [key for key, digest in self._digests.items() if is_meant(digest)]:
            del self._digests[key]

    def put(self, key: str, bullets: tuple[Bullet, ...], part: Sequence[ChatMessage]) -> None:
        """Cache the `bullets` of `part`; the least recently used part is dropped first."""
        self._digests[key] = _Digest(
            bullets=bullets,
            messages=frozenset((each.address.key, each.id) for each in part),
            people=frozenset(each.sender.id for each in part),
        )


def digest_key(part: Sequence[ChatMessage], *, model: str, language: str, count: int) -> str:
    """Return a key for what a model is shown and asked."""
    hashed = hashlib.sha256(f"{model}\0{language}\0{count}".encode())
    for message in part:
        fields = (str(message.address), message.id, message.sender.id, message.sender.name, message.text)
        hashed.update("\0".join(fields).encode("utf-8", "surrogatepass") + b"\1")
    return hashed.hexdigest()
