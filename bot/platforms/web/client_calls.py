"""Call tools in a person's page over their socket."""

import asyncio
import uuid
from collections.abc import Mapping

from bot.platforms.web.rooms import Listener, Room
from services.kernel.errors import ToolFailed


class ClientCalls:
    """Asks pages and waits for their answers. The event is `execute:tool`, the answer `execute:result`."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], asyncio.Future[Mapping[str, object]]] = {}

    async def ask(
        self, room: Room, person_id: str, data: Mapping[str, object], *, page: Listener | None = None
    ) -> Mapping[str, object]:
        """Call a tool in the pages of a person in `room`, and return the first answer, which has `result` or `error`.

        If `page` is open, only that page is asked. There is no timeout.

        Raises:
            ToolFailed: the person has no page open there.
            ConnectionError: all pages that were asked are closed or disconnected.
        """
        own = room.listeners_of(person_id)
        if not own:
            raise ToolFailed("the person has no page open that could carry this out")
        pages = {page} if page is not None and page in own else own
        call_id = uuid.uuid4().hex
        answer: asyncio.Future[Mapping[str, object]] = asyncio.get_running_loop().create_future()
        self._waiting[(person_id, call_id)] = answer
        unwatch = room.watch_listeners(pages, lambda: _fail(answer))
        try:
            room.send_to_listeners(pages, "execute:tool", {**data, "id": call_id})
            return await answer
        finally:
            unwatch()
            del self._waiting[(person_id, call_id)]

    def is_waiting_for(self, person_id: str) -> bool:
        """Return whether a call waits for an answer of this person's pages."""
        return any(owner == person_id for owner, _ in self._waiting)

    def answer(self, person_id: str, call_id: str, data: Mapping[str, object]) -> None:
        """Pass on the answer of a page; an answer that no call waits for is dropped."""
        waiting = self._waiting.get((person_id, call_id))
        if waiting is not None and not waiting.done():
            waiting.set_result(data)


def _fail(answer: "asyncio.Future[Mapping[str, object]]") -> None:
    if not answer.done():
        answer.set_exception(ConnectionError("the page was closed before it answered"))
