"""Define the argument models of the functions for time zones and quiet hours."""

from typing import Literal

from pydantic import Field

from function_calls.models import Arguments

Whose = Literal["me", "chat"]


class TimeZoneArgs(Arguments):
    """Arguments of `time_zone`."""

    zone: str | None = Field(
        default=None,
        description="时区 / a city, an IANA name or an offset, in the person's words: 'Berlin', '纽约', 'UTC+8'. "
        "Leave it out to be told the present one.",
    )
    whose: Whose = Field(default="me", description="me=the person who asks, chat=everybody in this chat (本群)")
    person: str | None = Field(
        default=None, description="Another person of the chat whose present time is asked (别人那边几点)."
    )
    move_reminders: bool = Field(
        default=False, description="Only when asked that the recurring reminders follow (让提醒跟着改)."
    )


class QuietHoursArgs(Arguments):
    """Arguments of `quiet_hours`."""

    hours: str | None = Field(
        default=None,
        description="免打扰时段 / from when to when, 'HH:MM-HH:MM' or the person's words, or 'off' (关闭). "
        "Leave it out to be told the present ones.",
    )
    whose: Whose = Field(default="me", description="me=the person who asks, chat=everybody in this chat (本群)")


class ZonePutBackArgs(Arguments):
    """Arguments of `time_zone_put_back`; an empty zone means that none was set."""

    zone: str
    whose: Whose


class QuietPutBackArgs(Arguments):
    """Arguments of `quiet_hours_put_back`; an empty zone means that there were none. Times are `HH:MM`."""

    whose: Whose
    starts: str = "00:00"
    ends: str = "00:00"
    zone: str = ""
