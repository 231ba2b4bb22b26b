"""Manage the keys of the bot's device for encrypted rooms in a folder.

Source: https://spec.matrix.org/latest/client-server-api/#end-to-end-encryption
"""

import secrets
from pathlib import Path
from typing import Final

import nio
from nio.crypto import ENCRYPTION_ENABLED

IS_POSSIBLE: Final = bool(ENCRYPTION_ENABLED)
"""Whether the library's part for encryption is installed."""


def device_in(folder: Path) -> str:
    """Return the id of the bot's device, made together with its keys: with other keys it would be another device."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    kept = folder / "device"
    if not kept.exists():
        kept.write_text(f"BUBBLES-{secrets.token_hex(4).upper()}", encoding="utf-8")
    return kept.read_text(encoding="utf-8")


async def keep_keys(client: nio.AsyncClient) -> None:
    """Let others have what they need to write to this device, and learn what is needed to write to theirs."""
    if client.should_upload_keys:
        await client.keys_upload()
    if client.should_query_keys:
        await client.keys_query()
    if client.should_claim_keys:
        await client.keys_claim(client.get_users_for_key_claiming())
    await client.send_to_device_messages()


def is_encrypted(client: nio.AsyncClient, room_id: str) -> bool:
    """Return whether what is said in a room is encrypted; a room that the bot does not know is not."""
    room = client.rooms.get(room_id)
    return room is not None and bool(room.encrypted)
