"""Call actions of a OneBot client over a WebSocket, and match responses by their echo."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from services.kernel.errors import DeliveryFailed

_ANSWER_SECONDS = 20.0


class Answer(BaseModel):
    """The answer to an action. Source: https://github.com/botuniverse/onebot-11/blob/master/api/README.md."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    status: Literal["ok", "async", "failed"] = "failed"
    retcode: int = -1
    data: object = None
    echo: object = None
    message: str | None = ""
    wording: str | None = ""

    @property
    def reason(self) -> str:
        """Return why it failed, as far as the client says."""
        return self.wording or self.message or f"retcode {self.retcode}"


class PendingCalls:
    """The actions that wait for an answer on one connection."""

    def __init__(self) -> None:
        self._echoes = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[Answer]] = {}

    async def call(
        self, send: Callable[[Mapping[str, object]], Awaitable[None]], action: str, params: Mapping[str, object]
    ) -> Answer:
        """Ask for `action` through `send` and return the answer.

        Raises:
            DeliveryFailed: the connection broke, or nothing was answered; whether it was done is unknown.
        """
        echo = f"bubbles-{next(self._echoes)}"
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[echo] = answer
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                await send({"action": action, "params": dict(params), "echo": echo})
                return await answer
        except TimeoutError as error:
            raise DeliveryFailed(f"onebot: no answer to {action}", is_unknown=True) from error
        finally:
            self._waiting.pop(echo, None)

    def answered(self, answer: Answer) -> None:
        """Give `answer` to whoever waits for it; late ones are nobody's any more."""
        waiting = self._waiting.get(str(answer.echo))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def broke(self) -> None:
        """Let everybody know who waits that the connection is gone."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(DeliveryFailed("onebot: the connection broke", is_unknown=True))
