"""Read and write the JSON record of one reminder, with validation."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, NaiveDatetime

from services.kernel.chat import Person
from services.recurrence.fires import zone_of
from services.recurrence.rules import load_calendar
from services.recurrence.schedule import Schedule, read_schedule, rule_text
from services.reminders.exchange.model import PortableReminder
from services.reminders.model import CatchUp, ReminderAction, ReminderState

_LONGEST_NAME = 500
_STATES: Final[Mapping[ReminderState, Literal["paused", "done"]]] = {
    ReminderState.PAUSED: "paused",
    ReminderState.DONE: "done",
}
_FIRST_YEAR, _LAST_YEAR = 1900, 9998  # so that an instant is valid in every zone


def _storable(text: str) -> str:
    """Refuse text that no database and no chat can store."""
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("has characters that cannot be stored")
    return text


Storable = AfterValidator(_storable)
Name = Annotated[str, Field(max_length=_LONGEST_NAME), Storable]
GivenName = Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME), Storable]


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

    uid: GivenName
    content: Annotated[str, Field(min_length=1, max_length=100_000), Storable]
    creator: PersonRecord
    targets: Annotated[tuple[PersonRecord, ...], Field(max_length=1000)] = ()
    start: NaiveDatetime
    fold: Literal[0, 1] = 0
    zone: Name
    rule: Annotated[str, Field(max_length=20_000), Storable] = ""
    language: GivenName
    is_private: bool = False
    state: Literal["active", "paused", "done"] = "active"
    created_at: AwareDatetime
    thread_id: Name | None = None
    is_urgent: bool = False
    catch_up: Literal["latest", "all", "none"] = "latest"
    action: Literal["say", "summary"] = "say"

    def reminder(self) -> PortableReminder:
        """Return the validated reminder.

        Raises:
            RequestRefused: `zone_unknown`, `rule_not_understood` and as `read_schedule`.
            ValueError: the start is out of range.
        """
        schedule = read_schedule(self.start.replace(fold=self.fold), self.zone, self.rule)
        validate_schedule(schedule)
        return PortableReminder(
            uid=self.uid,
            content=self.content,
            creator=self.creator.person,
            targets=tuple(person.person for person in self.targets),
            schedule=schedule,
            language=self.language,
            is_private=self.is_private,
            state=ReminderState(self.state),
            created_at=self.created_at,
            thread_id=self.thread_id,
            is_urgent=self.is_urgent,
            catch_up=CatchUp(self.catch_up),
            action=ReminderAction(self.action),
        )


def record_of(reminder: PortableReminder) -> ReminderRecord:
    """Return the record of a reminder, without loss."""
    schedule = reminder.schedule
    return ReminderRecord(
        uid=reminder.uid,
        content=reminder.content,
        creator=_person_record(reminder.creator),
        targets=tuple(_person_record(person) for person in reminder.targets),
        start=schedule.start.replace(fold=0),
        fold=1 if schedule.start.fold else 0,
        zone=schedule.zone,
        rule=rule_text(schedule),
        language=reminder.language,
        is_private=reminder.is_private,
        state=_STATES.get(reminder.state, "active"),
        created_at=reminder.created_at,
        thread_id=reminder.thread_id,
        is_urgent=reminder.is_urgent,
        catch_up=reminder.catch_up.value,
        action="summary" if reminder.action is ReminderAction.SUMMARY else "say",
    )


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
