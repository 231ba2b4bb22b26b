"""`/health/live` and `/health/ready`, for whoever keeps the bot running."""

import asyncio
from typing import Literal

from fastapi import APIRouter, Response

from bot.http.answer import Answer
from bot.http.context import Context, HttpContext

_PATIENCE = 2.0


class HealthBody(Answer):
    """Whether it works."""

    status: Literal["ok", "failing"]
    database: Literal["ok", "failing"] | None = None


routes = APIRouter(prefix="/health", tags=["health"])


@routes.get("/live")
async def live() -> HealthBody:
    """The process answers."""
    return HealthBody(status="ok")


@routes.get("/ready", responses={503: {"model": HealthBody, "description": "Not ready"}})
async def ready(response: Response, context: Context) -> HealthBody:
    """The database answers too."""
    if await database_answers(context):
        return HealthBody(status="ok", database="ok")
    response.status_code = 503
    return HealthBody(status="failing", database="failing")


async def database_answers(context: HttpContext) -> bool:
    """Whether the database answers within two seconds."""
    try:
        async with asyncio.timeout(_PATIENCE):
            await context.messages.chats(limit=1)
    except Exception:  # noqa: BLE001 - whatever it is, the database does not answer
        return False
    return True
