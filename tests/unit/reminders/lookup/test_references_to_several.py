"""References to several reminders: in words, from an end of the list, or one by one."""

from datetime import timedelta

import pytest

from services.kernel.errors import RequestRefused
from services.reminders.lookup.several import several_in
from tests.unit.reminders.conftest import ANN, BOB, HOME


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("both", 2),
        ("Both of them", 2),
        ("both of my reminders", 2),
        ("them both", 2),
        ("the two", 2),
        ("these two reminders", 2),
        ("two of them", 2),
        ("all three", 3),
        ("them all", None),
        ("all of them", None),
        ("those", None),
        ("两个都", 2),
        ("这两个提醒", 2),
        ("它们俩都", 2),
        ("那三条", 3),
        ("它们都", None),
        ("这些", None),
        ("都", None),
    ],
)
def test_last_mentioned_reminders_are_referred_to_together(words, count):
    named = several_in(words)

    assert named is not None
    assert (named.kind, named.count) == ("spoken", count)


@pytest.mark.parametrize(
    ("words", "kind", "count"),
    [
        ("first two", "first", 2),
        ("the last 3 reminders", "last", 3),
        ("the top two", "first", 2),
        ("前两个", "first", 2),
        ("头三条", "first", 3),
        ("最后两个", "last", 2),
        ("后两条提醒", "last", 2),
    ],
)
def test_number_of_reminders_counts_from_an_end_of_the_list(words, kind, count):
    named = several_in(words)

    assert named is not None
    assert (named.kind, named.count) == (kind, count)


@pytest.mark.parametrize(
    ("words", "references"),
    [
        ("1, 3", ("1", "3")),
        ("1, 2 and 4", ("1", "2", "4")),
        ("2-4", ("2", "3", "4")),
        ("numbers 1 and 3", ("1", "3")),
        ("the milk and the dentist reminders", ("milk", "dentist")),
        ("第1个和第3个", ("1", "3")),
        ("1到3", ("1", "2", "3")),
        ("第1、2个", ("1", "2")),
        ("牛奶和看牙", ("牛奶", "看牙")),
        ("ptc7uz, cbf5eq", ("ptc7uz", "cbf5eq")),
    ],
)
def test_each_of_several_reminders_has_its_reference(words, references):
    named = several_in(words)

    assert named is not None
    assert named.references == references


@pytest.mark.parametrize(
    "words", ["", "2", "milk", "all", "全部", "everything", "ptc7uz", "last", "最后一个", "it", "都江堰"]
)
def test_reference_to_one_or_all_is_not_to_several(words):
    assert several_in(words) is None


async def test_several_are_looked_up_in_one_list(desk):
    for seconds, content in enumerate(("milk", "dentist", "gym"), start=60):
        await desk.set(content, seconds=seconds)

    assert [each.content for each in await desk.service.finder.several(HOME, ANN, "1, 3")] == ["milk", "gym"]
    assert [each.content for each in await desk.service.finder.several(HOME, ANN, "gym and milk")] == ["gym", "milk"]
    assert [each.content for each in await desk.service.finder.several(HOME, ANN, "the first two")] == [
        "milk",
        "dentist",
    ]


async def test_content_of_one_reminder_is_not_split(desk):
    await desk.set("milk and eggs")
    await desk.set("eggs", seconds=61)

    assert await desk.service.finder.several(HOME, ANN, "milk and eggs") == ()


async def test_missing_one_of_several_is_reported(desk):
    await desk.set("milk")

    with pytest.raises(RequestRefused) as error:
        await desk.service.finder.several(HOME, ANN, "milk and beer")

    assert (error.value.code, error.value.fields["reference"]) == ("reminder_unknown", "beer")


async def test_last_two_are_those_set_since_the_list_was_shown(desk):
    await desk.set("soon", seconds=60)
    await desk.set("late", seconds=300)
    await desk.service.list(HOME, ANN)
    desk.clock.shift(timedelta(seconds=1))
    await desk.set("between", seconds=100)
    await desk.set("bob's", seconds=400, by=BOB)

    assert [each.content for each in await desk.service.finder.several(HOME, ANN, "last two")] == ["late", "between"]


async def test_stored_list_without_its_time_still_counts(desk):
    for seconds, content in enumerate(("milk", "dentist", "gym"), start=60):
        await desk.set(content, seconds=seconds)
    here = await desk.service.list(HOME, ANN)
    await desk.state.set(
        "reminders.shown:console:home#ann", [each.id for each in reversed(here)], keep=timedelta(days=1)
    )

    assert [each.content for each in await desk.service.finder.several(HOME, ANN, "first two")] == ["gym", "dentist"]
