"""Load the prompts and worked examples of this folder, and fill in their variables."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from msgspec import Struct, convert, field

from function_calls.tools.calls import Turn

_VARIABLE = r"\{\{([A-Z_]+)\}\}"
_MAX_NAME_LENGTH = 64
_UNKNOWN = "Unknown"


@cache
def prompt(name: str) -> str:
    """Return the text of `prompts/<name>.md`."""
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").rstrip("\n")


def fill(template: str, variables: Mapping[str, str]) -> str:
    """Fill in the `{{VARIABLES}}` of `template`; unknown ones stay unchanged.

    Values are not expanded again, so a person named `{{TOOLS}}` keeps that name.
    """
    return re.sub(_VARIABLE, lambda found: variables.get(found[1], found[0]), template)


def has_variables(template: str) -> bool:
    """Return whether `template` has variables, and so differs between messages."""
    return re.search(_VARIABLE, template) is not None


def variables_of(turn: Turn) -> dict[str, str]:
    """Return the specification's variables for this message, all in the person's zone."""
    location = turn.state.get("location")
    date, time, weekday = turn.message_time.strftime("%Y-%m-%d %H:%M:%S %A").split(" ", 2)
    return {
        "BOT_NAME": turn.bot_name,
        "USER_NAME": one_line(turn.message.sender.name) or _UNKNOWN,
        "USER_LOCATION": one_line(location) if isinstance(location, str) and location else _UNKNOWN,
        "CURRENT_DATETIME": f"{date} {time}",
        "CURRENT_DATE": date,
        "CURRENT_TIME": time,
        "CURRENT_WEEKDAY": weekday,
        "CURRENT_TIMEZONE": str(turn.zone),
        "USER_LANGUAGE": turn.language,
        "CHAT_KIND": _chat_kind(turn),
        **{name: one_line(value) for name, value in turn.variables.items()},
    }


def one_line(name: str) -> str:
    """Return a person's name for a prompt: one line, limited in length."""
    return " ".join(name.split())[:_MAX_NAME_LENGTH]


def _chat_kind(turn: Turn) -> str:
    if turn.message.is_private:
        return "private"
    return "group, the message is addressed to you" if turn.message.is_addressed else "group, not addressed to you"


class WorkedExample(Struct, frozen=True, kw_only=True):
    """A sentence, the requested tool (`none` for no tool) and its arguments."""

    sentence: str
    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@cache
def worked_examples() -> tuple[WorkedExample, ...]:
    """Return the examples of `worked_examples.toml` in order."""
    data = tomllib.loads(files(__name__).joinpath("worked_examples.toml").read_text(encoding="utf-8"))
    return convert(data["example"], tuple[WorkedExample, ...])
