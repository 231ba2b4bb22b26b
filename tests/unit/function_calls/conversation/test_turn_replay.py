"""Replays of recorded turns."""

import pytest

from bot.testing.models import ScriptedInterpreter
from function_calls.conversation.records.replay import rebuild_turn, replay
from function_calls.tools.calls import Interpretation, ToolCall
from services.kernel.errors import ModelUnavailable
from tests.support.records import make_call_record, make_turn_record

SAME = ToolCall(id="1", name="reminder_set", arguments={"content": "茶"})
OTHER = ToolCall(id="1", name="reminder_set", arguments={"content": "coffee"})


def rebuild_recorded_turn(record=None):
    return rebuild_turn(record or make_turn_record(), bot_name="Bubbles", tools=(), recent=())


async def replay_turn(script, calls):
    return await replay(rebuild_recorded_turn(), calls, ScriptedInterpreter(script), route="model", rounds=4)


def test_replayed_turn_has_the_recorded_circumstances():
    record = make_turn_record()
    turn = rebuild_recorded_turn(record)

    assert (turn.message.text, turn.message.sender, turn.language) == (record.text, record.person, "zh")
    assert (turn.now, str(turn.zone)) == (record.at, "Asia/Shanghai")
    assert turn.now.utcoffset().total_seconds() == 8 * 3600


async def test_the_same_call_is_answered_from_the_record():
    done = await replay_turn([[SAME]], [make_call_record()])

    assert done.is_like([make_call_record()])
    assert done.reply.text == "✅ tea"
    assert done.usage.round == 1


async def test_model_gets_the_recorded_results():
    script = ScriptedInterpreter([[SAME], "It is set."])
    done = await replay(rebuild_recorded_turn(), [make_call_record(ending="")], script, route="model", rounds=4)

    assert script.turns[1].steps[0].results[0].for_model() == '{"id":"r1"}'
    assert done.reply.text == "It is set."


async def test_call_with_other_arguments_is_marked():
    done = await replay_turn([[OTHER]], [make_call_record()])

    assert [each.match for each in done.calls] == ["other arguments"]
    assert not done.is_like([make_call_record()])


async def test_each_of_several_calls_finds_its_own_record():
    records = [make_call_record(1, arguments='{"content": "coffee"}', said="☕"), make_call_record(1, said="🍵")]
    done = await replay_turn([[SAME, OTHER]], records)

    assert [each.result.text for each in done.calls] == ["🍵", "☕"]
    assert done.is_like(records)


async def test_a_call_that_is_not_on_record_is_not_executed():
    unknown = ToolCall(id="1", name="delete_everything", arguments={})
    done = await replay_turn([[unknown], "I cannot."], [make_call_record()])

    assert [each.match for each in done.calls] == ["not on record"]
    assert "nothing is executed" in done.calls[0].result.error


async def test_a_recorded_failure_fails_again_in_the_same_way():
    done = await replay_turn([[SAME], "It took too long."], [make_call_record(status="timeout", ending="")])

    assert (done.calls[0].result.ok, done.calls[0].result.failure) == (False, "timeout")


async def test_replay_with_fewer_calls_differs_from_the_record():
    done = await replay_turn([Interpretation(answer="No.")], [make_call_record()])

    assert done.calls == ()
    assert not done.is_like([make_call_record()])


async def test_unreachable_model_is_an_error():
    with pytest.raises(ModelUnavailable):
        await replay_turn([ModelUnavailable("connection")], [])
