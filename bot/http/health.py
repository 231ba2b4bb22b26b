"""`/health/live` and `/health/ready`, for whoever keeps the bot running."""

from typing import Literal

from fastapi import APIRouter, Response

from bot.http.answer import Answer
from bot.http.context import Context
from bot.http.readiness import Reason


class HealthBody(Answer):
    """Whether it works."""

    status: Literal["ok", "failing"]
    database: Literal["ok", "failing"] | None = None
    reason: Reason | None = None


routes = APIRouter(prefix="/health", tags=["health"])


@routes.get("/live")
async def live() -> HealthBody:
    """The process answers."""
    return HealthBody(status="ok")


@routes.get("/ready", responses={503: {"model": HealthBody, "description": "Not ready"}})
async def ready(response: Response, context: Context) -> HealthBody:
    """The database takes a write too, its disk has room and no damage is known.

    One write in five seconds answers all probes of that time. `reason` is `disk_full`, `damaged`, `locked` or
    `unavailable`.
    """
    reason = await context.readiness.reason()
    if reason is None:
        return HealthBody(status="ok", database="ok")
    response.status_code = 503
    return HealthBody(status="failing", database="failing", reason=reason)
