"""Store dialogues, so that they survive a restart."""

from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec import Struct

from function_calls.tools.calls import Turn
from function_calls.understanding.dialogue.dialogue import LIFETIME, MAX_STATES, ChatState, Dialogue, DialogueState
from function_calls.understanding.open_questions import OpenQuestion, OpenQuestions
from services.kernel.bounded import BoundedDict
from services.kernel.state import StateStore


class StoredDialogue(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of a dialogue with the question that is open in it."""

    state: DialogueState = DialogueState()
    question: OpenQuestion | None = None
    asked_at: datetime | None = None


S = TypeVar("S", StoredDialogue, ChatState)


class DialogueMemory:
    """Stores the state and the open question of each person in a chat, and the state of the chat, and restores them.

    Without a `store` these last as long as the process.
    """

    def __init__(self, store: StateStore | None, dialogue: Dialogue, questions: OpenQuestions) -> None:
        self._store = store
        self._dialogue = dialogue
        self._questions = questions
        # Not more than `dialogue` has, so that a state which it has dropped is read again.
        self._seen: BoundedDict[str, StoredDialogue | ChatState] = BoundedDict(MAX_STATES)

    async def recall(self, turn: Turn) -> None:
        """Restore the dialogue of the sender of `turn` and the state of its chat, unless they are in memory."""
        key, chat_key = turn.conversation.key, turn.message.address.key
        dialogue = await self._load(_dialogue_key(key), StoredDialogue)
        if dialogue is not None:
            self._dialogue.restore(key, dialogue.state)
            if dialogue.question is not None and dialogue.asked_at is not None:
                self._questions.ask(key, dialogue.question, dialogue.asked_at)
        chat = await self._load(_chat_key(chat_key), ChatState)
        if chat is not None:
            self._dialogue.restore_chat(chat_key, chat)

    async def keep(self, turn: Turn) -> None:
        """Store the dialogue of the sender of `turn` and the state of its chat where they have changed."""
        key, chat_key = turn.conversation.key, turn.message.address.key
        open_question = self._questions.find(key)
        question, asked_at = (None, None) if open_question is None else (open_question.question, open_question.asked_at)
        dialogue = StoredDialogue(state=self._dialogue.state(key), question=question, asked_at=asked_at)
        await self._save(_dialogue_key(key), dialogue)
        await self._save(_chat_key(chat_key), self._dialogue.chat_state(chat_key))

    async def _load(self, stored_key: str, kind: type[S]) -> S | None:
        """Return a stored state; None where it is in memory already, or nothing is stored."""
        if self._store is None or stored_key in self._seen:
            return None
        stored = _decode(await self._store.get(stored_key), kind)
        self._seen[stored_key] = stored
        return stored

    async def _save(self, stored_key: str, state: StoredDialogue | ChatState) -> None:
        if self._store is not None and state != self._seen.get(stored_key):
            self._seen[stored_key] = state
            # The hook gets only subclasses of `datetime`: msgspec writes all else itself.
            value = msgspec.to_builtins(state, enc_hook=datetime.isoformat)
            await self._store.set(stored_key, value, keep=LIFETIME)


def _decode(value: object, kind: type[S]) -> S:
    """Return a stored state; an empty one for None, or for one of a version with other fields."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return kind()


def _dialogue_key(key: str) -> str:
    return f"dialogue:{key}"


def _chat_key(chat_key: str) -> str:
    return f"dialogue.chat:{chat_key}"
