"""Remember the checked bullets of a part of a conversation, so that summarising a long day again costs what is new."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

from services.chat import ChatMessage
from services.summary.model import Bullet

_MAX_DIGESTS = 512


class DigestCache:
    """A bounded cache in memory; an edited message makes another key."""

    def __init__(self) -> None:
        self._digests: OrderedDict[str, tuple[Bullet, ...]] = OrderedDict()

    def get(self, key: str) -> tuple[Bullet, ...] | None:
        """Return the bullets under `key`, None when there are none."""
        bullets = self._digests.get(key)
        if bullets is not None:
            self._digests.move_to_end(key)
        return bullets

    def put(self, key: str, bullets: tuple[Bullet, ...]) -> None:
        """Remember `bullets`; the part that was not asked for longest leaves first."""
        self._digests[key] = bullets
        while len(self._digests) > _MAX_DIGESTS:
            self._digests.popitem(last=False)


def digest_key(part: Sequence[ChatMessage], *, model: str, language: str, count: int) -> str:
    """Return a key for what a model is shown and asked."""
    hashed = hashlib.sha256(f"{model}\0{language}\0{count}".encode())
    for message in part:
        fields = (str(message.address), message.id, message.sender.id, message.sender.name, message.text)
        hashed.update("\0".join(fields).encode("utf-8", "surrogatepass") + b"\1")
    return hashed.hexdigest()
