"""Build the manifest of a Slack app from the bot's commands.

Source: https://docs.slack.dev/reference/app-manifest
"""

from collections.abc import Iterable, Iterator
from typing import Final

from bot.config.platform_catalog import EVENTS_PATH
from bot.platforms.base import Command
from bot.platforms.kit.commands import MENU_NAMES

SCOPES: Final = (
    "app_mentions:read",
    "channels:history",
    "channels:read",
    "chat:write",
    "commands",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "mpim:history",
    "reactions:read",
    "users:read",
)
"""Scopes to read and send messages and files, and to list names and members of channels."""

EVENTS: Final = (
    "member_joined_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "reaction_added",
    "reaction_removed",
)
"""Events that the app subscribes to."""

MAX_COMMANDS: Final = 50
_MAX_NAME: Final = 32
_MAX_HINT: Final = 1000
# Slack refuses a manifest with one of its own commands; people can use /bubbles with the name instead.
_SLACKS_OWN: Final = frozenset(
    {"active", "apps", "archive", "away", "call", "collapse", "dm", "dnd", "expand", "feed", "feedback", "help"}
    | {"invite", "join", "keys", "kick", "leave", "list", "me", "msg", "mute", "open", "prefs", "remind", "remove"}
    | {"rename", "search", "shortcuts", "shrug", "star", "status", "topic", "who"}
)


def manifest(bot_name: str, commands: Iterable[Command], *, url: str = "") -> dict[str, object]:
    """Return the manifest of an app called `bot_name` with `commands`; as many of them as Slack takes.

    `url` is the public address of the bot, to which Slack posts; without it the app uses Socket Mode.
    """
    posted = {"request_url": url.rstrip("/") + EVENTS_PATH} if url else {}
    return {
        "display_information": {"name": bot_name},
        "features": {
            "bot_user": {"display_name": bot_name, "always_online": True},
            "slash_commands": list(_slash_commands(bot_name, commands, url))[:MAX_COMMANDS],
        },
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": {**posted, "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **posted},
            "socket_mode_enabled": not url,
        },
    }


def _slash_commands(bot_name: str, commands: Iterable[Command], url: str) -> Iterator[dict[str, object]]:
    hint = "remind me of tea at 5 · 五点提醒我喝茶"
    yield _slash_command("bubbles", f"Ask {bot_name} · 对 {bot_name} 说话", hint, url)
    for command in commands:
        if command.name not in _SLACKS_OWN and len(command.name) < _MAX_NAME:
            yield _slash_command(command.name, _in_both(command.english, command.chinese), _hint(command), url)


def _slash_command(name: str, description: str, hint: str, url: str) -> dict[str, object]:
    made: dict[str, object] = {"command": f"/{name}", "description": description, "should_escape": False}
    if hint:
        made["usage_hint"] = hint[:_MAX_HINT]
    return {**made, "url": url.rstrip("/") + EVENTS_PATH} if url else made


def _hint(command: Command) -> str:
    """Return what may follow: words, or fields as `bot.platforms.kit.commands.format_call` writes them."""
    if command.name in MENU_NAMES:
        return " ".join(_in_both(option.english, option.chinese) for option in command.options)
    fields = ((f"{option.name}={'|'.join(option.choices) or '…'}", option) for option in command.options)
    return " ".join(text if option.is_required else f"[{text}]" for text, option in fields)


def _in_both(english: str, chinese: str) -> str:
    return english if chinese == english else f"{english} · {chinese}"
