"""Read and write the JSON record of one reminder, with validation."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, NaiveDatetime

from services.kernel.chat import Person
from services.kernel.text import replace_unstorable
from services.recurrence.fires import zone_of
from services.recurrence.rules import load_calendar
from services.recurrence.schedule import Schedule, read_schedule, rule_text
from services.reminders.exchange.model import PortableReminder
from services.reminders.model import CatchUp, ReminderAction, ReminderState

_MAX_UID_LENGTH = 500
_STATES: Final[Mapping[ReminderState, Literal["paused", "done"]]] = {
    ReminderState.PAUSED: "paused",
    ReminderState.DONE: "done",
}
_SAME_FIELDS: Final = (
    *("uid", "content", "language", "is_private", "created_at", "thread_id", "is_urgent", "catch_up", "action"),
)
_FIRST_YEAR, _LAST_YEAR = 1900, 9998  # so that an instant is valid in every zone


def _storable(text: str) -> str:
    """Refuse text that no database and no chat can store."""
    if replace_unstorable(text) != text:
        raise ValueError("has characters that cannot be stored")
    return text


Storable = AfterValidator(_storable)
Name = Annotated[str, Storable]  # of any length, because a reminder may name people in the words of a message
GivenName = Annotated[str, Field(min_length=1), Storable]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PersonRecord(_Record):
    """A person, by the id and the name of the chat platform."""

    id: GivenName
    name: Name

    @property
    def person(self) -> Person:
        """The person as services use it."""
        return Person(id=self.id, name=self.name)


class ReminderRecord(_Record):
    """One reminder. `start` is wall time in `zone`; `fold` tells two equal wall times apart."""

    uid: Annotated[GivenName, Field(max_length=_MAX_UID_LENGTH)]
    content: Annotated[str, Field(min_length=1, max_length=100_000), Storable]
    creator: PersonRecord
    targets: tuple[PersonRecord, ...] = ()
    start: NaiveDatetime
    fold: Literal[0, 1] = 0
    zone: Name
    rule: Annotated[str, Storable] = ""
    language: GivenName
    is_private: bool = False
    state: Literal["active", "paused", "done"] = "active"
    created_at: AwareDatetime
    thread_id: Name | None = None
    is_urgent: bool = False
    catch_up: CatchUp = CatchUp.LATEST
    action: ReminderAction = ReminderAction.SAY

    def reminder(self) -> PortableReminder:
        """Return the validated reminder.

        Raises:
            RequestRefused: `zone_unknown`, `rule_not_understood` and as `read_schedule`.
            ValueError: the start is out of range.
        """
        schedule = read_schedule(self.start.replace(fold=self.fold), self.zone, self.rule)
        validate_schedule(schedule)
        return PortableReminder(
            **_same_fields(self),
            creator=self.creator.person,
            targets=tuple(person.person for person in self.targets),
            schedule=schedule,
            state=ReminderState(self.state),
        )


def record_of(reminder: PortableReminder) -> ReminderRecord:
    """Return the record of a reminder, without loss."""
    schedule = reminder.schedule
    return ReminderRecord(
        **_same_fields(reminder),
        creator=_person_record(reminder.creator),
        targets=tuple(_person_record(person) for person in reminder.targets),
        start=schedule.start.replace(fold=0),
        fold=1 if schedule.start.fold else 0,
        zone=schedule.zone,
        rule=rule_text(schedule),
        state=_STATES.get(reminder.state, "active"),
    )


def _same_fields(reminder: ReminderRecord | PortableReminder) -> dict[str, Any]:
    """Return the fields that a record and its reminder have alike."""
    return {name: getattr(reminder, name) for name in _SAME_FIELDS}


def validate_schedule(schedule: Schedule) -> Schedule:
    """Return `schedule` if its zone and its rule are valid.

    Raises:
        RequestRefused: they are not valid.
        ValueError: the start is out of range.
    """
    zone_of(schedule)
    if schedule.rule is not None:
        load_calendar(schedule.rule)
    if schedule.start.year < _FIRST_YEAR or schedule.start.year > _LAST_YEAR:
        raise ValueError(f"the date {schedule.start.isoformat()} is out of range")
    return schedule


def _person_record(person: Person) -> PersonRecord:
    return PersonRecord(id=person.id, name=person.name)
