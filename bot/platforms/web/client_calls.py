"""Calls that a person's page carries out: asked over their socket, answered over it."""

import asyncio
import uuid
from collections.abc import Mapping

from bot.platforms.web.room import Room
from services.errors import ToolFailed


class ClientCalls:
    """Asks pages and waits for what they answer. The event is `execute:tool`, the answer `execute:result`."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], asyncio.Future[Mapping[str, object]]] = {}

    async def ask(self, room: Room, person_id: str, data: Mapping[str, object]) -> Mapping[str, object]:
        """Let the pages of a person in `room` carry out `data`, and return what the first of them answers.

        The answer has `result` or `error`. Waits for as long as the caller does.

        Raises:
            ToolFailed: the person has no page open there.
        """
        call_id = uuid.uuid4().hex
        answer: asyncio.Future[Mapping[str, object]] = asyncio.get_running_loop().create_future()
        self._waiting[(person_id, call_id)] = answer
        try:
            if not room.tell(person_id, "execute:tool", {**data, "id": call_id}):
                raise ToolFailed("the person has no page open that could carry this out")
            return await answer
        finally:
            del self._waiting[(person_id, call_id)]

    def answer(self, person_id: str, call_id: str, data: Mapping[str, object]) -> None:
        """Take what a page answers; an answer that nobody waits for is dropped."""
        waiting = self._waiting.get((person_id, call_id))
        if waiting is not None and not waiting.done():
            waiting.set_result(data)
