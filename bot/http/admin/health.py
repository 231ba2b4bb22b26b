"""`/health/live` and `/health/ready`: liveness and readiness probes, and the state of each connection."""

from typing import Literal

from fastapi import APIRouter, Response

from bot.app.application import App
from bot.http.core.bodies import Answer
from bot.http.core.context import Context, HttpContext, Reason
from bot.platforms.base import HasHealth, Platform


def state_of(app: App, platform: Platform) -> str:
    """Return the state of a platform: `elsewhere` if another worker is connected to it, `live` without a connection."""
    if not app.cluster.is_here(platform.name):
        return "elsewhere"
    return platform.health.state if isinstance(platform, HasHealth) else "live"


class HealthBody(Answer):
    """Whether it works; `platforms` fail when the last of them has been refused for good."""

    status: Literal["ok", "failing"]
    database: Literal["ok", "failing"] | None = None
    platforms: Literal["failing"] | None = None
    reason: Reason | None = None


routes = APIRouter(prefix="/health", tags=["health"])


@routes.get("/live")
async def live() -> HealthBody:
    """Answer as long as the process runs."""
    return HealthBody(status="ok")


@routes.get("/ready", responses={503: {"model": HealthBody, "description": "Not ready"}})
async def ready(response: Response, context: Context) -> HealthBody:
    """Answer 200 if the database takes a write and at least one chat platform is not refused for good.

    One write in five seconds answers all probes of that time. `reason` is `disk_full`, `damaged`, `locked` or
    `unavailable`.
    """
    reason, is_refused = await context.readiness.reason(), every_platform_is_refused(context)
    if reason is None and not is_refused:
        return HealthBody(status="ok", database="ok")
    response.status_code = 503
    return HealthBody(
        status="failing",
        database="ok" if reason is None else "failing",
        platforms="failing" if is_refused else None,
        reason=reason,
    )


def every_platform_is_refused(context: HttpContext) -> bool:
    """Tell whether there are connections to chat platforms, and all of them have stopped."""
    states = [each.health.state for each in context.app.platforms if isinstance(each, HasHealth)]
    return bool(states) and all(state == "stopped" for state in states)
