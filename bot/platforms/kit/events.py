"""Parse the events of platforms: models, timestamps, numbers of chats, and the name of the bot in a text."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import TypeVar

from loguru import logger
from pydantic import BaseModel, ConfigDict, ValidationError

from function_calls.language.recognized_phrases import call_pattern
from services.kernel.chat import ChatAddress
from services.kernel.errors import DeliveryFailed

E = TypeVar("E", bound="Form")


class Form(BaseModel):
    """An object that a platform sends; unknown fields are ignored."""

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


def mapping(value: object) -> Mapping[str, object]:
    """Return `value` if it is a JSON object, else an empty one: platforms may send anything."""
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[Mapping[str, object]]:
    """Return the JSON objects in the list `value`; none if it is not a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def instant(since_1970: float | str, *, per_second: int = 1) -> datetime:
    """Return a time in UTC, and 1970 for values beyond the calendar: servers may send anything.

    `per_second` is 1 for a time in seconds, 1000 for one in milliseconds.
    """
    try:
        return datetime.fromtimestamp(float(since_1970) / per_second, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def number_of(address: ChatAddress) -> int:
    """Return the id of a chat as a number.

    Raises:
        DeliveryFailed: it is none, such as in an imported reminder.
    """
    try:
        return int(address.chat_id)
    except ValueError:
        raise DeliveryFailed(f"{address.key} is no chat", is_permanent=True) from None


def is_called(text: str, bot_name: str) -> bool:
    """Return whether `text` mentions `@name` anywhere, or begins or ends by calling the name."""
    return _pattern(bot_name).search(text) is not None


@cache
def _pattern(bot_name: str) -> re.Pattern[str]:
    name = re.escape(bot_name)
    return re.compile(
        rf"@{name}(?![A-Za-z0-9_])|^{call_pattern(bot_name)}(?![A-Za-z0-9_])"
        rf"|[,，?？!！。.…]\s*{name}[\s!?.。！？]*$",
        re.IGNORECASE,
    )
