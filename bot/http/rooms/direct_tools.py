"""Call tools that run in a person's page, over the page's socket."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from bot.http.core.context import HttpContext
from bot.platforms.web.room import Listener
from function_calls.tools.permission import Viewer as ToolsFor
from services.kernel.chat import Person

_ANSWERED_WITHIN: Final = 60.0  # seconds


class DirectTools:
    """The tools of `tool_servers`, for one person in one room while a message of theirs is answered.

    `page` is the socket that the message came over, if it came over one: the page that can run them.
    """

    def __init__(
        self,
        context: HttpContext,
        session_id: str,
        person: Person,
        tool_servers: Sequence[object],
        page: Listener | None = None,
    ) -> None:
        self._context = context
        self._session_id = session_id
        self._person = person
        self._tool_servers = tool_servers
        self._page = page

    @contextmanager
    def made(self) -> Iterator[None]:
        """Offer them for as long as the context lasts; nothing where there are none."""
        if not self._tool_servers:
            yield
            return
        viewer = ToolsFor(person=self._person, chat=self._context.room.address(self._session_id))
        direct = self._context.app.tools.direct
        with direct.offered(viewer, self._tool_servers, session_id=self._session_id, event_call=self._ask):
            yield

    async def _ask(self, event: Mapping[str, object]) -> object:
        """Send `execute:tool` to the pages of the person; what the first of them answers is the result."""
        room = self._context.room.room(self._session_id)
        data = event["data"]
        asked = data if isinstance(data, Mapping) else {}
        async with asyncio.timeout(_ANSWERED_WITHIN):
            answer = await self._context.room.client_calls.ask(room, self._person.id, asked, page=self._page)
        error = answer.get("error")
        return {"error": error} if error else answer.get("result")
