"""Store dialogues, so that they survive a restart."""

from datetime import datetime

import msgspec
from msgspec import Struct

from function_calls.understanding.dialogue.dialogue import LIFETIME, Dialogue, DialogueState
from function_calls.understanding.open_questions import OpenQuestion, OpenQuestions
from services.kernel.bounded import BoundedDict
from services.kernel.state import StateStore

_MAX_CHATS = 1000


class StoredDialogue(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of a dialogue with the question that is open in it."""

    state: DialogueState
    question: OpenQuestion | None = None
    asked_at: datetime | None = None


class DialogueMemory:
    """Stores the state and the open question of each person in a chat, and restores them."""

    def __init__(self, store: StateStore, dialogue: Dialogue, questions: OpenQuestions) -> None:
        self._store = store
        self._dialogue = dialogue
        self._questions = questions
        self._seen: BoundedDict[str, StoredDialogue] = BoundedDict(_MAX_CHATS)

    async def recall(self, key: str) -> None:
        """Restore the dialogue under `key` (chat and person), unless it is in memory."""
        if key in self._seen:
            return
        stored = _decode(await self._store.get(_stored_key(key)))
        self._seen[key] = stored
        self._dialogue.restore(key, stored.state)
        if stored.question is not None and stored.asked_at is not None:
            self._questions.ask(key, stored.question, stored.asked_at)

    async def keep(self, key: str) -> None:
        """Store the dialogue under `key` where it has changed."""
        open_question = self._questions.find(key)
        question, asked_at = (None, None) if open_question is None else (open_question.question, open_question.asked_at)
        now = StoredDialogue(state=self._dialogue.state(key), question=question, asked_at=asked_at)
        if now != self._seen.get(key):
            self._seen[key] = now
            # The hook gets only subclasses of `datetime`: msgspec writes all else itself.
            value = msgspec.to_builtins(now, enc_hook=datetime.isoformat)
            await self._store.set(_stored_key(key), value, keep=LIFETIME)


def _decode(value: object) -> StoredDialogue:
    """Return a stored dialogue; an empty one for None, or for one of a version with other fields."""
    try:
        return msgspec.convert(value, StoredDialogue)
    except msgspec.ValidationError:
        return StoredDialogue(state=DialogueState())


def _stored_key(key: str) -> str:
    return f"dialogue:{key}"
