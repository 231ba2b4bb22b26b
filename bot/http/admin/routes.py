"""`/api/admin`: health, adapters, metrics, usage and tokens."""

import platform as machine
import sys
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query, Request

from bot import __version__
from bot.app.connection_checks import describe_outage
from bot.config.platform_catalog import GROUPS
from bot.http.admin.bodies import (
    AdapterEntry,
    Adapters,
    CheckEntry,
    HealthReport,
    IssuedToken,
    MetricsBody,
    NewTokenBody,
    TokenEntry,
    TokenList,
    UsageBody,
    UsageEntry,
)
from bot.http.admin.health import platform_state
from bot.http.core.bodies import Done
from bot.http.core.context import Context, HttpContext
from bot.http.core.errors import HttpRefused, request_language
from bot.http.core.timeseries import samples
from bot.http.security.auth import needs, read_person
from bot.platforms.base import HasHealth, Platform
from bot.platforms.web.frames import format_instant
from function_calls.language.messages import say, text_in
from services.search.service import SearchService
from services.storage.records.activity import usage_by

_LIBRARIES: Final = ("fastapi", "uvicorn", "pydantic", "sqlalchemy", "openai")
_SETTINGS: Final = {"database": "storage", "model": "model", "search": "search", "token": "http.token"}
_FAILED_STATES: Final = frozenset({"deaf", "stopped"})
_DATABASES: Final = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}

routes = APIRouter(prefix="/api/admin", tags=["admin"], dependencies=[Depends(needs("admin"))])


@routes.get("/health")
async def health(request: Request, context: Context) -> HealthReport:
    """Return the checks of the bot's parts with their state and next step, and the versions."""
    language = request_language(request)
    versions = {"bubbles": __version__, "python": machine.python_version(), "platform": sys.platform}
    for name in _LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    uptime = (context.clock.now() - context.started_at).total_seconds()
    checks = [
        _check(language, "database", _database_name(context), is_ok=await context.readiness.reason() is None),
        _check_model(language, context),
        _check(language, "search", is_ok=context.app.services.get(SearchService).is_configured, is_needed=False),
        _check(language, "token", is_ok=bool(context.settings.http.token.get_secret_value()), is_needed=False),
        *(
            _check(language, "platform", each.name, is_ok=platform_state(context.app, each) not in _FAILED_STATES)
            for each in context.app.platforms
        ),
    ]
    return HealthReport(checks=checks, versions=versions, uptime_seconds=round(uptime, 1))


def _check_model(language: str, context: HttpContext) -> CheckEntry:
    """Return whether there is a model, and whether it answered the last request."""
    name, failure = context.settings.model.name, context.app.model_latency.last_failure
    if failure is None:
        return _check(language, "model", name, is_ok=context.app.interpreters.has_model, is_needed=False)
    detail = say(language, "health.model_silent", told=name, reason=describe_outage(failure))
    fix = say(language, "health.model_silent_fix")
    return CheckEntry(name="model", state="error", detail=detail, fix=fix, setting=_SETTINGS["model"])


def _database_name(context: HttpContext) -> str:
    """Return the name of the product: the URL has hosts, users and folders, which clients do not need."""
    return _DATABASES.get(context.database.dialect, "SQL")


@routes.get("/adapters")
async def adapters(request: Request, context: Context) -> Adapters:
    """Return the chat platforms and the states of their connections."""
    last = {each.address.platform: each.last_at for each in reversed(await context.messages.chats())}
    language = request_language(request)
    entries = [_adapter(each, platform_state(context.app, each), language) for each in context.app.platforms]
    for entry in entries:
        if entry.name in last:
            entry.last_event = format_instant(last[entry.name])
        if entry.name == context.room.name:
            now = context.clock.now()
            entry.queue = context.gauges.queue_between(now.replace(second=0, microsecond=0), now)
    return Adapters(adapters=entries, data_dir=str(context.settings.bot.data_dir.resolve()))


@routes.get("/metrics")
async def metrics(context: Context, minutes: Annotated[int, Query(ge=1, le=60 * 24 * 7)] = 60) -> MetricsBody:
    """Return metrics of the last minutes from the call log."""
    return MetricsBody(samples=await samples(context, minutes))


@routes.get("/usage")
async def usage(context: Context, days: Annotated[int, Query(ge=1, le=366)] = 30) -> UsageBody:
    """Return the model usage of the last days, by chat."""
    since = context.clock.now() - timedelta(days=days)
    used = await usage_by(context.database, "chat", since)
    return UsageBody(
        since=format_instant(since),
        tokens=sum(each.tokens for each in used),
        cost=sum(each.cost for each in used),
        chats=[
            UsageEntry(chat=each.name, turns=each.count, tokens=each.tokens, cost=each.cost)
            for each in sorted(used, key=lambda each: (-each.tokens, each.name))
        ],
    )


@routes.get("/tokens")
async def tokens(context: Context) -> TokenList:
    """List the issued tokens."""
    return TokenList(tokens=[TokenEntry.model_validate(each) for each in await context.tokens.list_tokens()])


@routes.post("/tokens", status_code=201)
async def issue_token(body: NewTokenBody, context: Context) -> IssuedToken:
    """Issue a token. Its secret is in this response only."""
    scopes = None if body.scopes is None else frozenset(body.scopes)
    rooms = None if body.rooms is None else frozenset(body.rooms)
    token, secret = await context.tokens.issue(read_person(body.name).name, body.role, scopes, rooms)
    return IssuedToken(**TokenEntry.model_validate(token).model_dump(), token=secret)


@routes.delete("/tokens/{token_id}")
async def revoke_token(token_id: Annotated[str, Path(max_length=40)], context: Context) -> Done:
    """Revoke a token."""
    if not await context.tokens.revoke(token_id):
        raise HttpRefused(404, "not_found")
    return Done()


def _check(language: str, name: str, subject: str = "", *, is_ok: bool, is_needed: bool = True) -> CheckEntry:
    setting = f"platforms.{subject}" if subject in GROUPS else _SETTINGS.get(name, "")
    if is_ok:
        detail = say(language, f"health.{name}_ok", told=subject)
        return CheckEntry(name=name, state="ok", detail=detail, fix="", setting=setting)
    detail, fix = (say(language, f"health.{name}_{part}", told=subject) for part in ("bad", "fix"))
    return CheckEntry(name=name, state="error" if is_needed else "warning", detail=detail, fix=fix, setting=setting)


def _adapter(platform: Platform, state: str, language: str) -> AdapterEntry:
    health = platform.health if isinstance(platform, HasHealth) else None
    return AdapterEntry(
        name=platform.name,
        state=state,
        detail="" if health is None else text_in(language, health.detail),
        since=None if health is None else format_instant(health.since),
        last_event=None,
        reconnects=0 if health is None else health.reconnects,
        queue=0,
    )
