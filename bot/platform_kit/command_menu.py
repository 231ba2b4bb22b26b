"""The commands that platforms offer while somebody types; each is a text that the bot understands everywhere."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """`/name`, what it is for in each language, and what may follow it (empty where nothing does)."""

    name: str
    english: str
    chinese: str
    argument_english: str = ""
    argument_chinese: str = ""


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
