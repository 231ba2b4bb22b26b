"""`/health/live` and `/health/ready`: liveness and readiness probes, and the state of each connection."""

from typing import Literal

from fastapi import APIRouter, Response

from bot.app.application import App
from bot.http.core.bodies import Answer
from bot.http.core.context import Context, HttpContext, Reason
from bot.platforms.base import HasHealth, Platform


def platform_state(app: App, platform: Platform) -> str:
    """Return the state of a platform: `elsewhere` if another worker is connected to it, `live` without a connection."""
    if not app.cluster.is_here(platform.name):
        return "elsewhere"
    return platform.health.state if isinstance(platform, HasHealth) else "live"


class HealthBody(Answer):
    """The result of a probe; `platforms` are failing when all of them have been refused permanently."""

    status: Literal["ok", "failing"]
    database: Literal["ok", "failing"] | None = None
    platforms: Literal["failing"] | None = None
    reason: Reason | None = None


routes = APIRouter(prefix="/health", tags=["health"])


@routes.get("/live")
async def live() -> HealthBody:
    """Answer 200 while the process runs."""
    return HealthBody(status="ok")


@routes.get("/ready", responses={503: {"model": HealthBody, "description": "Not ready"}})
async def ready(response: Response, context: Context) -> HealthBody:
    """Answer 200 if the database is writable and not all chat platforms are refused permanently.

    The database is tried at most once in five seconds. `reason` is `disk_full`, `damaged`, `locked` or
    `unavailable`.
    """
    reason, is_refused = await context.readiness.reason(), are_all_platforms_refused(context)
    if reason is None and not is_refused:
        return HealthBody(status="ok", database="ok")
    response.status_code = 503
    return HealthBody(
        status="failing",
        database="ok" if reason is None else "failing",
        platforms="failing" if is_refused else None,
        reason=reason,
    )


def are_all_platforms_refused(context: HttpContext) -> bool:
    """Return whether there are connections to chat platforms, and all of them have stopped."""
    states = [platform.health.state for platform in context.app.platforms if isinstance(platform, HasHealth)]
    return bool(states) and all(state == "stopped" for state in states)
