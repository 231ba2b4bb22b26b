"""Slash commands as platforms offer them while somebody types."""

from dataclasses import dataclass
from typing import Literal

OptionKind = Literal["text", "integer", "number", "boolean"]


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandOption:
    """A field of a command that is filled in by itself. `choices` are the only texts that it takes, if there are any.

    `least` and `most` bound a number; None where nothing does.
    """

    name: str
    kind: OptionKind
    english: str
    chinese: str
    is_required: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """`/name`, what it is for in each language, and what may follow it (empty where nothing does).

    A command of a function has `options` instead; `command_menu.said_as` makes a text of what was filled in.
    """

    name: str
    english: str
    chinese: str
    argument_english: str = ""
    argument_chinese: str = ""
    options: tuple[CommandOption, ...] = ()
