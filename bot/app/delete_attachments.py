"""Delete the attachments of deleted messages on platforms that store files."""

from collections.abc import Mapping, Sequence

from bot.platforms.base import KeepsFiles, Platform
from services.people.privacy.model import GoneMessage


async def delete_attachments(platforms: Mapping[str, Platform], gone: Sequence[GoneMessage]) -> None:
    """Let each platform delete the files of its messages in `gone`."""
    for name, platform in platforms.items():
        theirs = [each for each in gone if each.address.platform == name]
        if theirs and isinstance(platform, KeepsFiles):
            await platform.forget(theirs)
