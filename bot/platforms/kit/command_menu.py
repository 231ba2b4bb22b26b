"""Convert a chosen command of a menu to the text that the bot understands."""

from collections.abc import Mapping
from typing import Final

from bot.platforms.chat_commands import Command as Command  # noqa: PLC0414 - wires find it beside the menu


def said_as(name: str, values: Mapping[str, object]) -> str:
    """Return the command `name` with `values` filled in, as `function_calls.conversation.slash_commands` reads it."""
    return " ".join([f"/{name}", *(f"{key}={_quote(value)}" for key, value in values.items() if value is not None)])


def _quote(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if text and not any(mark.isspace() or mark in '"\\' for mark in text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


MENU: Final = (
    Command(
        name="remind",
        english="Set a reminder: tea at 5",
        chinese="设置提醒：五点喝茶",
        argument_english="What and when",
        argument_chinese="什么事，什么时候",
    ),
    Command(name="reminders", english="List the reminders of this chat", chinese="查看本群的提醒"),
    Command(
        name="summary",
        english="Summarise this chat",
        chinese="总结群聊",
        argument_english="Since when or about what",
        argument_chinese="从什么时候起，或关于什么",
    ),
    Command(
        name="search",
        english="Search the web",
        chinese="搜索网页",
        argument_english="What to look for",
        argument_chinese="搜索什么",
    ),
    Command(name="help", english="What I can do", chinese="我能做什么"),
)
"""In the order in which they are shown."""
