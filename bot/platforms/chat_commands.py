"""Slash commands that platforms show in their menus."""

from typing import Literal

from msgspec import Struct

OptionKind = Literal["text", "integer", "number", "boolean"]


class CommandOption(Struct, frozen=True, kw_only=True):
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


class Command(Struct, frozen=True, kw_only=True):
    """`/name`, what it is for in each language, and what may follow it (empty where nothing does).

    A command of a function has `options` instead; `command_menu.said_as` makes a text of what was filled in.
    """

    name: str
    english: str
    chinese: str
    argument_english: str = ""
    argument_chinese: str = ""
    options: tuple[CommandOption, ...] = ()
