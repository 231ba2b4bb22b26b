"""Parse the events of platforms: their models and timestamps."""

from datetime import UTC, datetime
from typing import TypeVar

from loguru import logger
from pydantic import BaseModel, ConfigDict, ValidationError

E = TypeVar("E", bound="Form")


class Form(BaseModel):
    """An object that a platform sends; fields that the bot does not read are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


def parse_event(model: type[E], event: object, platform: str) -> E | None:
    """Return `event`, JSON text or an object, as `model`; None, with a log entry, where it has another form."""
    try:
        if isinstance(event, str | bytes):
            return model.model_validate_json(event)
        return model.model_validate(event)
    except ValidationError as error:
        logger.bind(platform=platform).error("could not parse an event: {}", error)
        return None


def instant(seconds: float | str) -> datetime:
    """Return `seconds` since 1970 in UTC, and 1970 for values beyond the calendar: servers may send anything."""
    try:
        return datetime.fromtimestamp(float(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def instant_of_milliseconds(milliseconds: float | str) -> datetime:
    """Return the same for milliseconds since 1970."""
    try:
        return instant(float(milliseconds) / 1000)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, UTC)
