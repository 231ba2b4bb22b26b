"""Contract of the store of turns and calls."""

from datetime import timedelta

from services.call_log.model import CallStore, Spent
from services.kernel.chat import ChatAddress
from tests.support.records import HOME, START, make_call_record, make_completion_record, make_turn_record

WORK = ChatAddress(platform="fake", chat_id="work")


async def test_turn_is_read_as_stored(records: CallStore):
    record = make_turn_record(completions=(make_completion_record(), make_completion_record(round_number=2)))

    await records.add([record], [])

    assert await records.turn("m1") == record
    assert await records.turn("m1", HOME.key) == record


async def test_call_is_read_as_stored(records: CallStore):
    calls = [make_call_record(), make_call_record(2, status="timeout", ending="")]

    await records.add([], calls)

    assert await records.calls(HOME.key, ["m1", "m2"]) == tuple(calls)


async def test_turns_and_calls_of_another_chat_are_not_found(records: CallStore):
    await records.add([make_turn_record(address=WORK)], [make_call_record(address=WORK)])

    assert await records.turn("m1", HOME.key) is None
    assert await records.calls(HOME.key, ["m1"]) == ()
    assert await records.latest_turns(5, chat_key=HOME.key) == ()


async def test_turns_are_listed_latest_first(records: CallStore):
    await records.add([make_turn_record(1), make_turn_record(2, person="bob"), make_turn_record(3)], [])

    latest = await records.latest_turns(2)
    of_ann = await records.latest_turns(5, chat_key=HOME.key, person_id="ann")

    assert [each.message_id for each in latest] == ["m3", "m2"]
    assert [each.message_id for each in of_ann] == ["m3", "m1"]


async def test_usage_is_summed_by_person_and_chat(records: CallStore):
    spent = (make_completion_record(tokens=100, cost=0.25),)
    await records.add(
        [
            make_turn_record(1, completions=spent),
            make_turn_record(2, completions=spent),
            make_turn_record(3, completions=spent),
            make_turn_record(4, completions=spent, address=WORK),
        ],
        [],
    )

    found = await records.spent_since(START + timedelta(minutes=2))

    assert sorted(found, key=lambda each: each.chat_key) == [
        Spent(chat_key="fake:home", person_key="fake:ann", tokens=200, cost=0.5),
        Spent(chat_key="fake:work", person_key="fake:ann", tokens=100, cost=0.25),
    ]


async def test_only_the_cost_of_a_forgotten_message_stays(records: CallStore):
    turn = make_turn_record(completions=(make_completion_record(tokens=100),))
    await records.add([turn, make_turn_record(2)], [make_call_record(), make_call_record(2)])

    await records.forget(HOME.key, "m1")

    found = await records.turn("m1")
    assert found is not None
    assert (found.text, found.reply, found.completions[0].requested) == ("", "", ())
    assert found.charge == turn.charge
    assert [each.message_id for each in await records.calls(HOME.key, ["m1", "m2"])] == ["m2"]


async def test_old_calls_are_purged(records: CallStore):
    await records.add([make_turn_record(1), make_turn_record(2)], [make_call_record(1), make_call_record(2)])

    count = await records.purge(START + timedelta(minutes=2))

    assert count == 1
    assert await records.turn("m1") is None
    assert [each.message_id for each in await records.calls(HOME.key, ["m1", "m2"])] == ["m2"]
