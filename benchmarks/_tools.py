"""Twelve functions that every contender of the overhead benchmark offers to its model."""

from collections.abc import Awaitable, Callable
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

MODEL = "bench-model"
SYSTEM = "You are the assistant of a group chat. Use a function where one does what is asked, else answer briefly."


class Spec(NamedTuple):
    """One function: its name and description, the model of its arguments, and its handler."""

    name: str
    doc: str
    model: type[BaseModel]
    handler: Callable[..., Awaitable[str]]


class ReminderSet(BaseModel):
    type: Literal["once", "daily", "weekly", "monthly"] = Field(description="How often it fires.")
    time: str = Field(description="Time of day, HH:MM.", pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")
    content: str = Field(description="What to remind of.", min_length=1, max_length=500)
    weekday: int | None = Field(default=None, description="1 is Monday; weekly only.", ge=1, le=7)


class ReminderList(BaseModel):
    owner: str = Field(default="me", description="Whose they are.")
    limit: int = Field(default=20, description="How many at most.", ge=1, le=100)


class ReminderCancel(BaseModel):
    reminder_id: int = Field(description="Its number in the list.", ge=1)


class Weather(BaseModel):
    city: str = Field(description="Name of the city.", min_length=1)
    days: int = Field(default=1, description="How many days ahead.", ge=1, le=14)
    units: Literal["metric", "imperial"] = Field(default="metric", description="Units of the answer.")


class TodoAdd(BaseModel):
    title: str = Field(description="What is to be done.", min_length=1, max_length=200)
    priority: int = Field(default=3, description="1 is the most urgent.", ge=1, le=5)
    tags: list[str] = Field(default_factory=list, description="Labels to find it by.", max_length=10)


class TodoList(BaseModel):
    done: bool | None = Field(default=None, description="Only the done or only the open ones.")
    tag: str | None = Field(default=None, description="Only those with this label.")


class NoteSave(BaseModel):
    title: str = Field(description="Heading of the note.")
    body: str = Field(description="Text of the note.")
    pinned: bool = Field(default=False, description="Whether it stands on top.")


class WebSearch(BaseModel):
    query: str = Field(description="What to look for.", min_length=1)
    top: int = Field(default=5, description="How many results.", ge=1, le=20)
    site: str | None = Field(default=None, description="Only on this site.")


class Translate(BaseModel):
    text: str = Field(description="The text.")
    target: str = Field(description="Language to translate into, ISO 639-1.", min_length=2, max_length=2)
    source: str | None = Field(default=None, description="Language of the text, where it is known.")


class PollCreate(BaseModel):
    question: str = Field(description="The question.", min_length=1)
    options: list[str] = Field(description="The answers to choose from.", min_length=2, max_length=10)
    minutes: int = Field(default=60, description="How long it stays open.", ge=1, le=10080)


class MemberMute(BaseModel):
    member: str = Field(description="Name of the member.")
    minutes: int = Field(default=10, description="For how long.", ge=1, le=43200)
    reason: str = Field(default="", description="Why, as the member is told.")


class CurrencyConvert(BaseModel):
    amount: float = Field(description="The amount.", ge=0)
    from_currency: str = Field(description="ISO 4217 code.", min_length=3, max_length=3)
    to_currency: str = Field(description="ISO 4217 code.", min_length=3, max_length=3)
    date: str | None = Field(default=None, description="Day of the rate, ISO 8601; today without.")


_FUNCTIONS: tuple[tuple[str, str, type[BaseModel]], ...] = (
    ("reminder_set", "Set a reminder for the person who asks.", ReminderSet),
    ("reminder_list", "List the reminders of a person.", ReminderList),
    ("reminder_cancel", "Cancel one reminder.", ReminderCancel),
    ("weather_get", "Tell the weather of a city.", Weather),
    ("todo_add", "Put an entry on the group's to-do list.", TodoAdd),
    ("todo_list", "List the group's to-do entries.", TodoList),
    ("note_save", "Save a note to be found again later.", NoteSave),
    ("web_search", "Search the web.", WebSearch),
    ("translate", "Translate a text.", Translate),
    ("poll_create", "Start a poll in the group.", PollCreate),
    ("member_mute", "Mute a member for a while.", MemberMute),
    ("currency_convert", "Convert an amount of money.", CurrencyConvert),
)


def models(n: int) -> list[Spec]:
    """Return the first `n` functions, at most twelve."""
    return [Spec(name, doc, model, _make_handler(name, model)) for name, doc, model in _FUNCTIONS[:n]]


def _make_handler(name: str, model: type[BaseModel]) -> Callable[..., Awaitable[str]]:
    async def handler(args: BaseModel) -> str:
        return f"ok: {args.model_dump_json(exclude_none=True)}"

    handler.__name__ = name
    handler.__annotations__["args"] = model
    return handler
