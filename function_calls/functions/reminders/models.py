"""Define the argument models of the functions that change reminders, and of their inverses."""

from datetime import datetime
from typing import Literal

from pydantic import Field, model_validator

from function_calls.models import Arguments
from services.recurrence.rules import MAX_OCCURRENCES
from services.recurrence.schedule import MAX_PAUSE_MINUTES

_WHICH = (
    "提醒列表中的 ID / ID from the reminder list, its first characters are enough. Also understood: its number in the "
    "list or words of its content; 'both', 'them' for those spoken of together last, 'first 2', 'last 2'; several "
    "joined by commas ('1, 3'); 'all' for all of one's own. Leave it out for the one that was spoken of last."
)
_TIME = (
    "新的时间 / the new time: 'YYYY-MM-DD HH:MM', or 'HH:MM' for another hour of the same day (of every day, if it "
    "repeats), or 'YYYY-MM-DD' for the same hour of another day. The person's own words for the time "
    "('tomorrow at 9', '下周一九点') are understood too."
)


class ReminderUpdateArgs(Arguments):
    """Arguments of `reminder_update`; an empty text, as models write it for an argument they leave out, is none."""

    reminder_id: str | None = Field(default=None, description=_WHICH)
    time: str | None = Field(default=None, description=_TIME)
    content: str | None = Field(default=None, description="新的内容 / the new text; leave it out to keep the old one")
    added: str | None = Field(default=None, description="加上的内容 / words to put behind the text that it has")
    type: Literal["once", "daily", "weekly"] | None = Field(
        default=None, description="Only to make it repeat differently: once (its next time only), daily or weekly."
    )
    weekday: int | None = Field(
        default=None, ge=0, le=6, description="With type=weekly, the day of the week: 0=周一 Monday … 6=周日 Sunday"
    )
    rrule: str | None = Field(
        default=None, description="Only for repetitions that daily and weekly cannot say: an RFC 5545 RRULE."
    )
    skip: str | None = Field(
        default=None,
        description="跳过 / leave out a day (or a week) of one that repeats: 'YYYY-MM-DD', the person's words for the "
        "day, or 'next' for its next time. Days that come again ('Sundays', 'weekends') are left out for good.",
    )
    days: str | None = Field(
        default=None,
        description="改为星期几 / on which days of the week it comes: 'weekdays', 'every day except Friday'; "
        "'+Wednesday' adds a day, '-Sunday' leaves one out for good.",
    )
    until: str | None = Field(default=None, description="到哪天为止 / the last day on which one that repeats comes.")
    times: int | None = Field(
        default=None, ge=1, le=MAX_OCCURRENCES, description="再提醒几次 / how many more times one that repeats comes."
    )
    occurrence: str | None = Field(
        default=None,
        description="改哪一次 / with a new time for one that repeats: the day of the one occurrence to move "
        "('YYYY-MM-DD', the person's words, 'next'), or 'all'.",
    )
    since: str | None = Field(
        default=None,
        description="从哪天起 / with a new time for one that repeats: the day from which on it holds "
        "('YYYY-MM-DD', the person's words); before that it comes as it did.",
    )
    until_done: int | None = Field(
        default=None,
        ge=0,
        le=MAX_PAUSE_MINUTES,
        description="Repeat it until it is done: every so many minutes (10 when not said); 0 stops repeating.",
    )
    person: str | None = Field(
        default=None,
        description="提醒谁 / whom it reminds from now on: names, 'everyone'; '+Ann' adds somebody, '-Ann' leaves "
        "somebody out.",
    )
    urgent: bool | None = Field(default=None, description="紧急 / true: say it in quiet hours (免打扰) as well")
    missed: Literal["latest", "all", "none"] | None = Field(
        default=None, description="What of a recurring one is said when the bot was down: the latest, all, or none."
    )

    @model_validator(mode="before")
    @classmethod
    def _drop_empty_texts(cls, given: object) -> object:
        return {name: value for name, value in given.items() if value != ""} if isinstance(given, dict) else given


class ReminderStateArgs(Arguments):
    """Arguments of `reminder_state`."""

    action: Literal["pause", "resume", "done", "join", "leave"] = Field(
        description="pause=暂停, resume=恢复, done=做完了 (what repeats until done ends), join=me too 也提醒我, "
        "leave=the person who asks is reminded no longer 不用提醒我了",
    )
    reminder_id: str | None = Field(
        default=None,
        description="哪一个 / which one, as in reminder_update; 'all' to pause or resume all of one's own.",
    )
    until: str | None = Field(
        default=None,
        description="Only with pause: until when or for how long, as in reminder_snooze. What repeats goes on then.",
    )
    during: str | None = Field(
        default=None,
        description="Only with pause: the days of the pause where it does not begin now: 'next week', 'tomorrow', "
        "'Dec 20 to Jan 3', 下周.",
    )


class ReminderSnoozeArgs(Arguments):
    """Arguments of `reminder_snooze`."""

    reminder_id: str | None = Field(
        default=None, description="推迟哪一个 / which one, as in reminder_update. Leave it out for the one said last."
    )
    time: str | None = Field(
        default=None,
        description="推迟到什么时候 / until when or for how long: 'YYYY-MM-DD HH:MM', 'HH:MM', or words such as "
        "'10 minutes', '半小时', 'tomorrow at 9'; 'YYYY-MM-DD' keeps the hour. Ten minutes when left out.",
    )
    again: bool | None = Field(
        default=None, description="再提醒一次 / true: say it then as well, and leave it where it is."
    )


class ReminderRestoreArgs(Arguments):
    """Arguments of `reminder_restore`, which undoes a deletion; `reminder_id` is the whole id."""

    reminder_id: str


class PersonArgs(Arguments):
    """Somebody who is reminded."""

    id: str
    name: str


class ReminderPutBackArgs(Arguments):
    """Arguments of `reminder_put_back`, which undoes a change: the reminder before it.

    `start` is wall clock in `zone`, ISO 8601, and `fold` 1 for the second of two equal ones; `rule` an RRULE value,
    empty for once. `ended`: the change ended it.
    """

    reminder_id: str
    content: str
    start: str
    fold: Literal[0, 1] = 0
    zone: str
    rule: str
    targets: list[PersonArgs]
    urgent: bool = False
    missed: Literal["latest", "all", "none"] = "latest"
    ended: bool = False

    def local_start(self) -> datetime:
        """Return `start` as naive wall-clock time."""
        return datetime.fromisoformat(self.start).replace(fold=self.fold)
