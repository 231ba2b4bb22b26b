"""Find the bot's IANA time zone: the setting, else the machine's."""

from zoneinfo import ZoneInfo


def bot_zone_name(setting: str) -> str:
    """Return the IANA name of the zone to use; UTC where the machine names none."""
    if setting:
        return setting
    from tzlocal import get_localzone_name

    try:
        return get_localzone_name() or "UTC"
    except (LookupError, OSError, ValueError):
        return "UTC"


def bot_zone(setting: str) -> ZoneInfo:
    """Return the zone itself."""
    return ZoneInfo(bot_zone_name(setting))
