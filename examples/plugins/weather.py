"""The weather of a place, from Open-Meteo's public service, which asks for no key. Copy it into `plugins/`.

`[plugins.options.weather]` takes `places_url`, `forecast_url` and `keep_minutes`.
"""

import json
from datetime import datetime, timedelta
from typing import Annotated, Any

import httpx
from pydantic import BaseModel, ConfigDict, Field

from bot.plugins.contributions import Contributions
from function_calls import CallContext, ToolFailed, tool_function
from services.kernel.clock import Clock

_MAX_ENTRIES = 500
_MAX_BYTES = 200_000


class Options(BaseModel):
    """The table of this plugin."""

    model_config = ConfigDict(extra="forbid")

    places_url: str = "https://geocoding-api.open-meteo.com/v1/search"
    forecast_url: str = "https://api.open-meteo.com/v1/forecast"
    keep_minutes: int = Field(10, ge=0)
    timeout_seconds: float = Field(10.0, gt=0)


class WeatherService:
    """Asks for the weather and remembers the answer for a while."""

    def __init__(self, options: Options, clock: Clock) -> None:
        self._options = options
        self._clock = clock
        self._cache: dict[str, tuple[datetime, str]] = {}

    async def get(self, city: str, language: str) -> str:
        """Return one line about the weather in `city`.

        Raises:
            ToolFailed: the service cannot be reached, or knows no such place.
        """
        key, now = f"{language}:{city.casefold()}", self._clock.now()
        known = self._cache.get(key)
        if known is not None and now - known[0] < timedelta(minutes=self._options.keep_minutes):
            return known[1]
        line = await self._fetch(city, language)
        self._cache.pop(key, None)
        self._cache[key] = (now, line)
        while len(self._cache) > _MAX_ENTRIES:
            del self._cache[next(iter(self._cache))]
        return line

    async def _fetch(self, city: str, language: str) -> str:
        try:
            async with httpx.AsyncClient(timeout=self._options.timeout_seconds) as client:
                found = await _json(client, self._options.places_url, name=city, count=1, language=language)
                places = found.get("results") or []
                if not places:
                    raise ToolFailed(f"No place called {city} is known. / 没有找到叫 {city} 的地方。")
                place = places[0]
                where = {"latitude": place["latitude"], "longitude": place["longitude"]}
                current = "temperature_2m,wind_speed_10m"
                forecast = await _json(client, self._options.forecast_url, **where, current=current)
                return _line(str(place["name"]), forecast["current"])
        except (httpx.HTTPError, KeyError, TypeError, ValueError) as error:
            raise ToolFailed("The weather service does not answer. / 天气服务没有回应。") from error


@tool_function(
    returns="reply",
    returns_untrusted=True,
    timeout=20,
    idempotent=True,
    examples=("what is the weather in {city}", "weather in {city}", "{city}天气怎么样", "{city}的天气"),
    conversation_examples=("and in {city}", "what about {city}", "那{city}呢"),
)
async def weather(
    city: Annotated[str, Field(min_length=1, max_length=80, description="The place, as people call it.")],
    service: WeatherService,
    ctx: CallContext,
) -> str:
    """Tell the weather of a place now (查天气)."""
    return await service.get(city, ctx.language)


def setup(add: Contributions) -> None:
    """Add the function and its service."""
    add.services.append(WeatherService(add.settings(Options), add.clock))
    add.functions.append(weather)


async def _json(client: httpx.AsyncClient, url: str, **query: str | float) -> dict[str, Any]:
    async with client.stream("GET", url, params=query) as answer:
        answer.raise_for_status()
        body = bytearray()
        async for piece in answer.aiter_bytes():
            body += piece
            if len(body) > _MAX_BYTES:
                raise ValueError("the answer is too long")
        document = json.loads(body)
        if not isinstance(document, dict):
            raise TypeError("the answer is no object")
        return document


def _line(name: str, current: dict[str, Any]) -> str:
    return f"🌡 {name}: {current['temperature_2m']:g} °C, 💨 {current['wind_speed_10m']:g} km/h"
