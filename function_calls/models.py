"""Define the argument models of the built-in functions, whose schemas models read."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from services.recurrence.schedule import MAX_PAUSE_MINUTES

_Weekday = Annotated[
    int | None,
    Field(ge=0, le=6, description="type=weekly 时的星期索引 / day of the week: 0=周一 Monday … 6=周日 Sunday"),
]


class Arguments(BaseModel):
    """Base class of argument models, which refuses unknown fields, so that a misspelt argument is reported."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ReminderArgs(Arguments):
    """Arguments of `reminder_set`."""

    type: Literal["once", "daily", "weekly"] = Field(
        description="提醒类型 / kind: once=一次性提醒 (one time), daily=每天 (every day), weekly=每周 (every week)"
    )
    time: str = Field(
        description="提醒时间 / when. once: 'YYYY-MM-DD HH:MM'; daily, weekly: 'HH:MM', 24-hour clock. "
        "The person's own words for the time ('in 10 seconds', '明天早上八点半') are understood too.",
    )
    content: str = Field(description="提醒内容 / what to be reminded of, said to the person as it stands")
    weekday: _Weekday = None
    rrule: str | None = Field(
        default=None,
        description="Only for repetitions that daily and weekly cannot say: an RFC 5545 RRULE such as "
        "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0. `type` and `time` then name the first fire.",
    )
    person: str | None = Field(
        default=None,
        description="Who is reminded when it is not the person who asks: names or @names as written, or 'everyone'.",
    )
    until_done: int | None = Field(
        default=None,
        ge=1,
        le=MAX_PAUSE_MINUTES,
        description="Only when to be repeated until it is done (直到做完): every so many minutes, 10 when not said.",
    )
    urgent: bool | None = Field(
        default=None, description="紧急 / true only when asked to say it in quiet hours (免打扰) as well."
    )


class ReminderListArgs(Arguments):
    """Arguments of `reminder_list`: none are needed."""

    filter: str | None = Field(
        default=None,
        description="只列出哪些 / which ones only: the person's words for when they are due ('today', 'this week', "
        "'明天'), or words of their content. Leave it out for all.",
    )
    page: int | None = Field(
        default=None, ge=0, description="第几页 / which page of a long list, 1 and up; 0 = the next page (下一页)."
    )
    who_set: bool = Field(default=False, description="谁设的 / say who has set each, and when.")
    whose: Literal["mine", "chat"] | None = Field(
        default=None,
        description="'mine' = 'my reminders', 我的提醒: those that the person has set or is reminded of; 'chat' = all "
        "of this chat, 所有提醒. Leave it out where nobody is named.",
    )


class ReminderDeleteArgs(Arguments):
    """Arguments of `reminder_delete`."""

    reminder_id: str = Field(
        description="提醒列表中的 ID / ID from the reminder list, its first characters are enough. "
        "Also understood: its number in the list or words of its content; 'both', 'them', 'first 2', 'last 2'; several "
        "joined by commas ('1, 3'); or 'all'.",
    )


class PerplexityArgs(Arguments):
    """Arguments of `perplexity_search`."""

    query: str = Field(description="要搜索的问题或主题 / the question or topic to search the web for")


class SummaryScheduleArgs(Arguments):
    """Arguments of `summary_schedule`."""

    type: Literal["once", "daily", "weekly"] = Field(
        description="一次、每天还是每周 / how often: once, daily (every day) or weekly (every week)"
    )
    time: str = Field(
        description="发布时间 / when to post. once: 'YYYY-MM-DD HH:MM'; daily, weekly: 'HH:MM', 24-hour clock. "
        "The person's own words for the time are understood too.",
    )
    weekday: _Weekday = None
    rrule: str | None = Field(
        default=None, description="Only for repetitions that daily and weekly cannot say: an RFC 5545 RRULE."
    )


class SummaryArgs(Arguments):
    """Arguments of `summary`: none are needed."""

    window: str | None = Field(
        default=None,
        description="总结哪一段 / which messages, in the person's own words: 'today', 'since noon', 'yesterday', "
        "'last 50 messages', 'since my last message', '最近两小时'. Leave it out for the recent ones.",
    )
    topic: str | None = Field(default=None, description="Only messages about this: a few words as they may be written.")
    person: str | None = Field(default=None, description="Only messages of this person: the name as written.")
