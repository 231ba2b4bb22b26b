"""The interpreter on a language model, with a scripted model."""

import json

import pytest

from bot.testing.models import ScriptedModel, completion, requested
from bot.testing.turns import make_message, make_tool, make_turn
from function_calls.llm import FunctionCallLLM
from function_calls.tools.calls import Receipt, Step, ToolCall, ToolResult
from services.kernel.errors import ModelUnavailable

TEXT = {"type": "string"}
REMIND = make_tool(
    "reminder_set",
    required=["type", "time", "content"],
    type={"type": "string", "enum": ["once", "daily", "weekly"]},
    time=TEXT,
    content=TEXT,
)
LIST = make_tool("reminder_list")
SEARCH = make_tool("perplexity_search", required=["query"], query=TEXT)
TOOLS = (REMIND, LIST, SEARCH)
TEA = {"type": "daily", "time": "09:00", "content": "tea"}


def call_tea(**changes):
    return requested("reminder_set", **{**TEA, **changes})


async def understand(script, turn=None, **options):
    model = ScriptedModel(script)
    interpretation = await FunctionCallLLM(model, **options).interpret(turn or make_turn("hi", tools=TOOLS))
    return interpretation, model


def last_tool_messages(model):
    return [message["content"] for message in model.shown[-1].messages if message["role"] == "tool"]


async def test_valid_call_is_returned():
    found, _ = await understand([completion("", call_tea())])

    assert [(call.name, call.arguments) for call in found.calls] == [("reminder_set", TEA)]


async def test_several_calls_in_one_call_of_gpt_are_separated():
    held = [{"recipient_name": "functions.reminder_set", "parameters": TEA}, {"recipient_name": "reminder_list"}]

    found, _ = await understand([completion("", requested("multi_tool_use.parallel", tool_uses=held))])

    assert [(call.name, call.arguments) for call in found.calls] == [("reminder_set", TEA), ("reminder_list", {})]


@pytest.mark.parametrize("answer", [json.dumps(TEA), completion("", requested("", **TEA))], ids=["printed", "made"])
async def test_arguments_without_a_name_belong_to_the_only_tool_that_accepts_them(answer):
    found, _ = await understand([answer])

    assert [(call.name, call.arguments) for call in found.calls] == [("reminder_set", TEA)]


async def test_object_that_fits_no_tool_is_an_answer():
    found, _ = await understand(['{"type": "tea", "leaves": 3}'])

    assert (found.calls, found.answer) == ((), '{"type": "tea", "leaves": 3}')


async def test_run_is_the_same_as_interpret():
    llm = FunctionCallLLM(ScriptedModel(["hello"]))

    assert (await llm.run(make_turn("hi", tools=TOOLS))).answer == "hello"


async def test_empty_answer_of_a_model_stays_empty():
    found, _ = await understand([""], make_turn(make_message("lunch?", is_addressed=False), tools=TOOLS))

    assert (found.calls, found.answer) == ((), "")


async def test_repairable_arguments_need_no_second_request():
    broken = requested("reminder_set", json.dumps(json.dumps(TEA)))

    found, model = await understand([completion("", broken)])

    assert found.calls[0].arguments == TEA
    assert found.calls[0].repairs
    assert len(model.shown) == 1


async def test_no_arguments_at_all_are_an_empty_object():
    found, _ = await understand([completion("", requested("reminder_list", ""))])

    assert found.calls[0].arguments == {}


async def test_message_to_the_model_names_every_wrong_field():
    bad = call_tea(type="sometimes", time=None)

    found, model = await understand([completion("", bad), completion("", call_tea())])

    assert found.calls[0].arguments == TEA
    (message,) = last_tool_messages(model)
    assert "type" in message
    assert "time" in message
    assert "weekly" in message


async def test_truncated_json_never_becomes_an_empty_object():
    cut = requested("reminder_list", '{"owner": "an')

    found, model = await understand([completion("", cut), completion("Whose list?")])

    assert found.calls == ()
    assert found.answer == "Whose list?"
    assert "not valid" in last_tool_messages(model)[0]


async def test_history_has_valid_json_after_unreadable_arguments():
    _, model = await understand([completion("", requested("reminder_set", '{"type": "da')), completion("sorry")])

    (assistant,) = [message for message in model.shown[-1].messages if message["role"] == "assistant"]
    json.loads(assistant["tool_calls"][0]["function"]["arguments"])


async def test_an_unknown_tool_is_answered_with_the_nearest_names():
    script = [completion("", requested("reminder_lists")), completion("", requested("reminder_list"))]

    found, model = await understand(script)

    assert [call.name for call in found.calls] == ["reminder_list"]
    assert "Did you mean reminder_list" in last_tool_messages(model)[0]


async def test_call_of_a_nonexistent_tool_ends_with_a_question():
    found, _ = await understand([completion("", requested("fly")), completion("", requested("fly"))])

    assert found.calls == ()
    assert "no tool" in found.answer


@pytest.mark.parametrize("name", ["reminderSet", "functions.reminder_set", "Reminder-Set"])
async def test_tool_name_in_another_form_is_resolved(name):
    found, model = await understand([completion("", requested(name, **TEA))])

    assert found.calls[0].name == "reminder_set"
    assert found.calls[0].repairs
    assert len(model.shown) == 1


async def test_unusable_call_made_twice_ends_with_a_question():
    bad = call_tea(type="sometimes")

    found, model = await understand([completion("", bad), completion("", bad)], repair_rounds=5)

    assert found.calls == ()
    assert "type" in found.answer
    assert found.answer.endswith("?")
    assert len(model.shown) == 2


async def test_question_is_in_the_language_of_the_person():
    bad = completion("", call_tea(type="sometimes"))

    found, _ = await understand([bad, bad], make_turn("提醒我", tools=TOOLS, language="zh"))

    assert "没看明白" in found.answer


async def test_person_is_asked_after_the_allowed_repairs():
    script = [completion("", call_tea(type=word)) for word in ("a", "b", "c")]

    found, model = await understand(script, repair_rounds=1)

    assert "type" in found.answer
    assert len(model.shown) == 2


async def test_valid_call_waits_for_the_correction_of_another():
    script = [
        completion("", call_tea(content="tea"), requested("perplexity_search", id="call_2")),
        completion("", requested("perplexity_search", id="call_3", query="tea")),
    ]

    found, _ = await understand(script)

    assert [call.name for call in found.calls] == ["reminder_set", "perplexity_search"]


async def test_valid_call_is_made_if_another_stays_invalid():
    wrong = requested("perplexity_search", id="call_2")

    found, _ = await understand([completion("", call_tea(), wrong), completion("", wrong)])

    assert [call.name for call in found.calls] == ["reminder_set"]
    assert "query" in found.notice


async def test_the_same_call_printed_twice_in_one_answer_is_made_once():
    found, _ = await understand([completion("", call_tea(), requested("reminder_set", id="call_2", **TEA))])

    assert len(found.calls) == 1


async def test_number_of_calls_in_one_answer_is_limited():
    flood = [requested("perplexity_search", id=f"c{n}", query=str(n)) for n in range(40)]

    found, _ = await understand([completion("", *flood), completion("fewer then")])

    assert len(found.calls) == 16
    assert found.notice == "fewer then"


async def test_call_ids_are_unique_within_a_turn():
    step = one_step(ToolCall(id="call_1", name="reminder_list", arguments={}), ToolResult(ok=True, text="none"))
    calls = [requested("perplexity_search", id="call_1", query="a"), requested("perplexity_search", id="", query="b")]

    found, _ = await understand([completion("", *calls)], make_turn("hi", tools=TOOLS, steps=[step]))

    assert len({"call_1", *(call.id for call in found.calls)}) == 3


def one_step(call, result):
    return Step(text="", calls=(call,), results=(result,))


def turn_after(call, *results):
    return make_turn("hi", tools=TOOLS, steps=[one_step(call, result) for result in results])


TEA_CALL = ToolCall(id="c0", name="reminder_set", arguments=TEA)


async def test_failed_call_is_not_repeated_but_asked_about():
    turn = turn_after(TEA_CALL, ToolResult.failed("time is past", text="That time has passed."))

    found, model = await understand([completion("", call_tea())], turn)

    assert found.calls == ()
    assert found.answer.startswith("That time has passed.")
    assert len(model.shown) == 1


async def test_a_call_with_other_arguments_after_a_failure_is_made():
    turn = turn_after(TEA_CALL, ToolResult.failed("time is past"))

    found, _ = await understand([completion("", call_tea(time="11:00"))], turn)

    assert found.calls[0].arguments["time"] == "11:00"


async def test_a_change_is_not_made_twice_in_one_turn():
    done = ToolResult(ok=True, text="set", receipts=(Receipt(action="set", subject="tea"),))

    found, model = await understand([completion("", call_tea()), "It is set."], turn_after(TEA_CALL, done))

    assert (found.calls, found.answer) == ((), "It is set.")
    assert model.shown[-1].tools is None


async def test_endless_lookups_end_with_an_answer():
    look = ToolCall(id="c0", name="reminder_list", arguments={})
    turn = turn_after(look, *[ToolResult(ok=True, text="none")] * 3)

    found, _ = await understand([completion("", requested("reminder_list")), "You have none."], turn)

    assert (found.calls, found.answer) == ((), "You have none.")


async def test_silence_after_a_tool_is_replaced_by_its_result():
    turn = turn_after(ToolCall(id="c0", name="reminder_list", arguments={}), ToolResult(ok=True, text="1. tea"))

    found, _ = await understand([""], turn)

    assert found.answer == "1. tea"


async def test_answer_truncated_at_the_length_limit_is_marked():
    found, _ = await understand([completion("Once upon a", finish_reason="length")])

    assert found.answer == "Once upon a"
    assert "cut off" in found.notice


async def test_empty_answer_at_the_length_limit_is_an_unavailable_model():
    with pytest.raises(ModelUnavailable):
        await understand([completion("", finish_reason="length")])


async def test_call_truncated_at_the_length_limit_is_reported_to_the_model():
    cut = completion("", requested("reminder_set", '{"type": "da'), finish_reason="length")

    _, model = await understand([cut, completion("", call_tea())])

    assert "shorter" in last_tool_messages(model)[0]


async def test_filtered_answer_is_reported():
    found, _ = await understand([completion("", finish_reason="content_filter")])

    assert "filter" in found.answer


async def test_unavailable_model_is_raised_to_the_caller():
    with pytest.raises(ModelUnavailable):
        await understand([ModelUnavailable("timeout")])


async def test_the_tool_list_is_serialised_once_for_a_tool_set():
    model = ScriptedModel(["a", "b"])
    llm = FunctionCallLLM(model)

    await llm.interpret(make_turn("one", tools=TOOLS))
    await llm.interpret(make_turn("two", tools=tuple(TOOLS)))

    assert model.shown[0].tools is model.shown[1].tools
    assert [tool["function"]["name"] for tool in json.loads(model.shown[0].tools)] == [tool.name for tool in TOOLS]


async def test_another_tool_set_is_another_list():
    model = ScriptedModel(["a", "b"])
    llm = FunctionCallLLM(model)

    await llm.interpret(make_turn("one", tools=TOOLS))
    await llm.interpret(make_turn("two", tools=(LIST,)))

    assert len(json.loads(model.shown[1].tools)) == 1


async def test_text_is_streamed_and_calls_are_not():
    texts = []

    async def on_text(text):
        texts.append(text)

    model = ScriptedModel(['<tool_call>{"name": "reminder_list", "arguments": {}}</tool_call>', "You have none."])
    llm = FunctionCallLLM(model)
    first = await llm.interpret(make_turn("list", tools=TOOLS), on_text=on_text)
    second = await llm.interpret(make_turn("list", tools=TOOLS), on_text=on_text)

    assert first.calls[0].name == "reminder_list"
    assert "".join(texts) == second.answer == "You have none."
