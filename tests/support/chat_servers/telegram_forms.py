"""Telegram's objects as its documentation shows them. Source: https://core.telegram.org/bots/api#available-types."""

import time

from tests.support.chat_servers.loopback import JsonObject

ADMIN = "9"
"""The one administrator of every group."""

MEMBERS = ("7", "8", ADMIN)
"""Who is in every group."""

BOT: JsonObject = {
    "id": 1,
    "is_bot": True,
    "first_name": "Bubbles",
    "username": "bubbles_bot",
    "can_join_groups": True,
    "can_read_all_group_messages": True,
    "supports_inline_queries": False,
}


def user(sender: str, *, name: str = "", is_bot: bool = False) -> JsonObject:
    """Return a user object; `sender` is the number."""
    return {"id": int(sender), "is_bot": is_bot, "first_name": name or f"Person {sender}"}


def chat_of(chat: str) -> JsonObject:
    """Return a group for negative numbers, a private chat for others."""
    if chat.startswith("-"):
        return {"id": int(chat), "type": "supergroup", "title": "team"}
    return {"id": int(chat), "type": "private", "first_name": f"Person {chat}"}


def message(
    message_id: int,
    text: str,
    *,
    chat: str = "-100",
    sender: str = "7",
    name: str = "",
    is_bot: bool = False,
) -> JsonObject:
    """Return a text message."""
    return {
        "message_id": message_id,
        "date": int(time.time()),
        "chat": chat_of(chat),
        "from": user(sender, name=name, is_bot=is_bot),
        "text": text,
    }


def pressed(data: str, message_id: int, sender: JsonObject) -> JsonObject:
    """Return the callback query of a pressed button under a message of the bot."""
    under = {**message(message_id, "pressed"), "from": BOT}
    return {"id": f"q{message_id}", "from": sender, "chat_instance": "1", "data": data, "message": under}


def member(sender: str, *, is_admin: bool) -> JsonObject:
    """Return a chat member."""
    if not is_admin:
        return {"status": "member", "user": user(sender)}
    rights = (
        "can_be_edited is_anonymous can_manage_chat can_delete_messages can_manage_video_chats can_restrict_members "
        "can_promote_members can_change_info can_invite_users can_post_stories can_edit_stories can_delete_stories "
        "can_send_welcome_messages"
    )
    return {"status": "administrator", "user": user(sender), **dict.fromkeys(rights.split(), True)}


def reacted(message_id: str, before: list[str], after: list[str], sender: JsonObject) -> JsonObject:
    """Return the update of a person's reactions to a message."""
    return {
        "chat": chat_of("-100"),
        "message_id": int(message_id),
        "user": sender,
        "date": int(time.time()),
        "old_reaction": [{"type": "emoji", "emoji": emoji} for emoji in before],
        "new_reaction": [{"type": "emoji", "emoji": emoji} for emoji in after],
    }
