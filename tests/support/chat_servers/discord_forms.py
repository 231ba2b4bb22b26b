"""Discord's objects as its documentation shows them. Source: https://discord.com/developers/docs/resources/message."""

from services.kernel.clock import SystemClock
from tests.support.chat_servers.loopback import JsonObject

BOT_ID = "1"
GUILD = "10"
CHANNEL = "20"
MEMBERS = ("7", "8", "9")
"""The people of the guild."""

MESSAGE_CONTENT = 1 << 19
"""Flag of an application that may read messages: GATEWAY_MESSAGE_CONTENT_LIMITED."""

EVERYTHING = (1 << 50) - 1
"""What the bot may do in the guild, as a number of bits."""

BOT: JsonObject = {
    "id": BOT_ID,
    "username": "bubbles",
    "discriminator": "0",
    "avatar": None,
    "bot": True,
    "global_name": None,
}


def user(sender: str, *, name: str = "", is_bot: bool = False) -> JsonObject:
    """Return a user object."""
    return {
        "id": sender,
        "username": f"person{sender}",
        "discriminator": "0",
        "avatar": None,
        "global_name": name or f"Person {sender}",
        "bot": is_bot,
    }


def member() -> JsonObject:
    """Return a member of the guild, without the user."""
    return {
        "roles": [],
        "joined_at": "2026-01-01T00:00:00+00:00",
        "deaf": False,
        "mute": False,
        "flags": 0,
        "permissions": "0",
    }


def message(
    message_id: str,
    text: str,
    *,
    channel: str = CHANNEL,
    sender: str = "7",
    name: str = "",
    is_bot: bool = False,
) -> JsonObject:
    """Return a message of the guild's channel."""
    return {
        "id": message_id,
        "channel_id": channel,
        "guild_id": GUILD,
        "author": user(sender, name=name, is_bot=is_bot),
        "member": member(),
        "content": text,
        "timestamp": SystemClock().now().isoformat(),
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "pinned": False,
        "type": 0,
    }


def interaction(interaction_id: str, kind: int, data: JsonObject, sender: JsonObject) -> JsonObject:
    """Return the interaction of a slash command (kind 2) or a pressed button (kind 3)."""
    return {
        "id": interaction_id,
        "application_id": BOT_ID,
        "type": kind,
        "token": f"token-{interaction_id}",
        "version": 1,
        "guild_id": GUILD,
        "channel_id": CHANNEL,
        "channel": channel(),
        "member": {**member(), "user": sender},
        "data": data,
        "locale": "en-GB",
        "entitlements": [],
        "authorizing_integration_owners": {},
        "context": 0,
        "attachment_size_limit": 10_485_760,
    }


def reacted(message_id: str, emoji: str, sender: JsonObject, *, is_added: bool) -> JsonObject:
    """Return the event of a reaction that was added, or removed, with only the id of the person."""
    change: JsonObject = {
        "user_id": sender["id"],
        "channel_id": CHANNEL,
        "guild_id": GUILD,
        "message_id": message_id,
        "emoji": {"id": None, "name": emoji},
        "burst": False,
        "type": 0,
    }
    return {**change, "member": {**member(), "user": sender}} if is_added else change


def channel() -> JsonObject:
    """Return the text channel."""
    return {
        "id": CHANNEL,
        "guild_id": GUILD,
        "type": 0,
        "name": "team",
        "position": 0,
        "permission_overwrites": [],
        "permissions": "0",
    }


def ready(gateway: str, flags: int) -> JsonObject:
    """Return the first event of a session."""
    return {
        "v": 10,
        "user": BOT,
        "guilds": [{"id": GUILD, "unavailable": True}],
        "session_id": "session",
        "resume_gateway_url": gateway,
        "application": {"id": BOT_ID, "flags": flags},
    }


def application(flags: int) -> JsonObject:
    """Return the application of the bot."""
    return {
        "id": BOT_ID,
        "name": "bubbles",
        "description": "",
        "icon": None,
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "",
        "flags": flags,
        "owner": user("7"),
        "summary": "",
    }


def gateway_for_bots(gateway: str) -> JsonObject:
    """Return the address of the gateway and the limits of connections."""
    limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
    return {"url": gateway, "shards": 1, "session_start_limit": limit}


def guild() -> JsonObject:
    """Return the guild with its channel and without members."""
    nothing: JsonObject = dict.fromkeys(
        [
            "application_id",
            "system_channel_id",
            "rules_channel_id",
            "public_updates_channel_id",
            "vanity_url_code",
            "description",
            "banner",
            "icon",
            "splash",
            "discovery_splash",
            "afk_channel_id",
        ]
    )
    empty: JsonObject = {
        name: []
        for name in [
            "members",
            "emojis",
            "features",
            "voice_states",
            "presences",
            "threads",
            "stage_instances",
            "guild_scheduled_events",
            "stickers",
        ]
    }
    zero: JsonObject = dict.fromkeys(
        [
            "verification_level",
            "default_message_notifications",
            "explicit_content_filter",
            "mfa_level",
            "system_channel_flags",
            "premium_tier",
            "nsfw_level",
        ],
        0,
    )
    return {
        **nothing,
        **empty,
        **zero,
        "id": GUILD,
        "name": "guild",
        "owner_id": "9",
        "channels": [channel()],
        "roles": [_everyone_role()],
        "member_count": 2,
        "large": False,
        "afk_timeout": 300,
        "preferred_locale": "en-US",
        "widget_enabled": False,
    }


def _everyone_role() -> JsonObject:
    return {
        "id": GUILD,
        "name": "@everyone",
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": 0,
        "permissions": "68608",
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }
