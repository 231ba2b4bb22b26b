"""Recording in the background: batches, masking and failures."""

import asyncio

import pytest
from msgspec.structs import replace

from services.call_log.secret_mask import MASK, SecretMask
from services.call_log.service import CallLog
from services.language_model.ports import RequestedCall
from services.storage.records.store import SqlCallStore
from tests.support.records import HOME, make_call_record, make_completion_record, make_turn_record


class CountingStore(SqlCallStore):
    def __init__(self, database):
        super().__init__(database)
        self.batches = []

    async def add(self, turns, calls):
        self.batches.append((len(turns), len(calls)))
        await super().add(turns, calls)


class BrokenStore(SqlCallStore):
    def __init__(self, database):
        super().__init__(database)
        self.is_broken = True

    async def add(self, turns, calls):
        if self.is_broken:
            raise OSError("disk full")
        await super().add(turns, calls)


async def test_records_of_one_turn_are_written_together(sqlite_database):
    store = CountingStore(sqlite_database)
    log = CallLog(store)
    for number in range(10):
        log.record(make_call_record(number))
        log.record(make_turn_record(number))

    await log.drain()

    assert store.batches == [(10, 10)]


@pytest.mark.looptime
async def test_records_are_written_in_the_background(sqlite_database):
    store = CountingStore(sqlite_database)
    CallLog(store).record(make_turn_record())

    await asyncio.sleep(1)

    assert store.batches == [(1, 0)]


async def test_new_record_can_be_read(sqlite_database):
    log = CallLog(SqlCallStore(sqlite_database))
    log.record(make_turn_record())
    log.record(make_call_record())

    turn = await log.turn("m1", HOME)

    assert turn is not None
    assert await log.calls_of(turn) == (make_call_record(),)


async def test_history_has_the_form_of_the_specification(sqlite_database):
    log = CallLog(SqlCallStore(sqlite_database))
    log.record(make_call_record(1, identity="tc_1"))
    log.record(make_call_record(2, identity="tc_2", status="denied"))

    found = {name: await log.of_message(HOME, name) for name in ("m1", "m2", "m3")}

    assert found["m1"] == (
        {
            "id": "tc_1",
            "name": "reminder_set",
            "arguments": {"content": "茶"},
            "result": '{"id":"r1"}',
            "error": None,
            "status": "success",
            "duration": 45,
            "spawn_task": {"agent": "scout"},
        },
    )
    assert (found["m2"][0]["status"], found["m2"][0]["error"], found["m2"][0]["result"]) == ("denied", "it broke", None)
    assert found["m3"] == ()


async def test_failing_store_loses_only_the_record(sqlite_database):
    store = BrokenStore(sqlite_database)
    log = CallLog(store)
    log.record(make_turn_record(1))
    await log.drain()
    store.is_broken = False
    log.record(make_turn_record(2))

    assert [each.message_id for each in await log.latest_turns(5)] == ["m2"]


async def test_lone_surrogate_is_replaced_and_loses_no_record_of_its_batch(sqlite_database):
    log = CallLog(SqlCallStore(sqlite_database))
    requested = (RequestedCall(id="1", name="\ud83d", arguments="{}"),)
    named = replace(make_completion_record(), model="\ud83d", finish_reason="\ud83d", requested=())
    log.record(make_turn_record(completions=(replace(named, requested=requested), named)))
    call = make_call_record(tool="\ud83d", said="half \ud83d")
    log.record(replace(call, repairs=("/content: \ud83d",), model="\ud83d"))

    turn = await log.turn("m1", HOME)

    assert turn is not None
    (call,) = await log.calls_of(turn)
    assert (call.tool_name, call.said, call.repairs) == ("\ufffd", "half \ufffd", ("/content: \ufffd",))


async def test_secrets_are_masked_before_they_are_stored(sqlite_database):
    log = CallLog(SqlCallStore(sqlite_database), mask=SecretMask(["planted"]))
    log.record(make_turn_record(text="my key is planted", reply="planted!"))
    log.record(make_call_record(arguments='{"api_key": "x", "content": "planted"}', said="planted"))

    turn = await log.turn("m1")
    assert turn is not None
    (call,) = await log.calls_of(turn)

    assert "planted" not in repr(turn) + repr(call)
    assert call.arguments == f'{{"api_key": "{MASK}", "content": "{MASK}"}}'


async def test_a_very_long_text_is_cut_with_a_note_and_never_within_a_secret(sqlite_database):
    log = CallLog(SqlCallStore(sqlite_database), mask=SecretMask(["planted-secret"]))
    log.record(make_turn_record(text="x" * 999_993 + "planted-secret" + "y" * 900_000))

    turn = await log.turn("m1")

    assert turn is not None
    assert len(turn.text) < 1_000_100
    assert "plant" not in turn.text
    assert turn.text.endswith("… [1900007 characters]")
