"""A time server with the operations, names and schemas of the public one that the specification shows."""

from datetime import UTC, datetime, tzinfo
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, available_timezones

from dateutil import parser
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

from services.kernel.clock import Clock

_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}


class FormatTimeInput(BaseModel):
    """What `format_time` takes."""

    format: Annotated[str, Field(description="Python strftime format string")] = "%Y-%m-%d %H:%M:%S"
    timezone: Annotated[str, Field(description="IANA timezone name (e.g., UTC, America/New_York)")] = "UTC"


class ConvertTimeInput(BaseModel):
    """What `convert_time` takes."""

    timestamp: Annotated[str, Field(description="ISO 8601 formatted time string (e.g., 2024-01-01T12:00:00Z)")]
    from_tz: Annotated[str, Field(description="Original IANA time zone of input (e.g. UTC or Europe/Berlin)")]
    to_tz: Annotated[str, Field(description="Target IANA time zone to convert to")]


class ElapsedTimeInput(BaseModel):
    """What `elapsed_time` takes."""

    start: Annotated[str, Field(description="Start timestamp in ISO 8601 format")]
    end: Annotated[str, Field(description="End timestamp in ISO 8601 format")]
    units: Annotated[Literal["seconds", "minutes", "hours", "days"], Field(description="Unit for elapsed time")] = (
        "seconds"
    )


class ParseTimestampInput(BaseModel):
    """What `parse_timestamp` takes."""

    timestamp: Annotated[str, Field(description="Flexible input timestamp string (e.g., 2024-06-01 12:00 PM)")]
    timezone: Annotated[str, Field(description="Assumed timezone if none is specified in input")] = "UTC"


def time_server(clock: Clock, *, local_zone: str = "Asia/Shanghai") -> FastAPI:
    """Return the application, whose time is that of `clock`."""
    app = FastAPI(
        title="Secure Time Utilities API",
        version="1.0.0",
        description="Provides secure UTC/local time retrieval, formatting, timezone conversion, and comparison.",
    )

    @app.get("/get_current_utc_time", summary="Current UTC time")
    def get_current_utc() -> dict[str, str]:
        """Returns the current time in UTC in ISO format."""
        return {"utc": clock.now().astimezone(UTC).isoformat()}

    @app.get("/get_current_local_time", summary="Current Local Time")
    def get_current_local() -> dict[str, str]:
        """Returns the current time in local timezone in ISO format."""
        return {"local_time": clock.now().astimezone(_zone(local_zone)).isoformat()}

    @app.post("/format_time", summary="Format current time")
    def format_current_time(data: FormatTimeInput) -> dict[str, str]:
        """Return the current time formatted for a specific timezone and format."""
        return {"formatted_time": clock.now().astimezone(_zone(data.timezone)).strftime(data.format)}

    @app.post("/convert_time", summary="Convert between timezones")
    def convert_time(data: ConvertTimeInput) -> dict[str, str]:
        """Convert a timestamp from one timezone to another."""
        return {"converted_time": _parsed(data.timestamp, data.from_tz).astimezone(_zone(data.to_tz)).isoformat()}

    @app.post("/elapsed_time", summary="Time elapsed between timestamps")
    def elapsed_time(data: ElapsedTimeInput) -> dict[str, float | str]:
        """Calculate the difference between two timestamps in chosen units."""
        seconds = (_parsed(data.end, "UTC") - _parsed(data.start, "UTC")).total_seconds()
        return {"elapsed": seconds / _SECONDS[data.units], "unit": data.units}

    @app.post("/parse_timestamp", summary="Parse and normalize timestamps")
    def parse_timestamp(data: ParseTimestampInput) -> dict[str, str]:
        """Parse human-friendly input timestamp and return standardized UTC ISO time."""
        return {"utc": _parsed(data.timestamp, data.timezone).astimezone(UTC).isoformat()}

    @app.get("/list_time_zones", summary="All valid time zones")
    def list_time_zones() -> list[str]:
        """Return a list of all valid IANA time zones."""
        return sorted(available_timezones())

    return app


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise HTTPException(400, f"Invalid timezone: {name}") from error


def _parsed(text: str, zone: str) -> datetime:
    try:
        found: datetime = parser.parse(text)
    except (ValueError, OverflowError) as error:
        raise HTTPException(400, f"Invalid timestamp: {text}") from error
    return found if found.tzinfo else found.replace(tzinfo=_zone(zone))
