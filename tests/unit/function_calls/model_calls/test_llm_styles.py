"""Call styles other than native calls: the prompt, enforced JSON, and the probe."""

import json

import jsonschema_rs
import pytest
from msgspec.structs import replace

from bot.testing.models import ScriptedModel, completion, requested
from bot.testing.turns import ANN, make_message, make_tool, make_turn
from function_calls.llm import FunctionCallLLM
from function_calls.model_calls.prompts import worked_examples
from function_calls.model_calls.styles.style_detection import make_styles, probe
from function_calls.model_calls.transcript import Instructions
from function_calls.tools.calls import Step, ToolCall, ToolResult
from services.kernel.chat import Person
from services.kernel.errors import ModelUnavailable
from services.language_model.failures import RequestRejected

BOB = Person(id="bob", name="Bob")
BUBBLES = Person(id="bot", name="Bubbles", is_bot=True)
CLOCK = make_tool("get_time", required=["zone"], zone={"type": "string", "description": "IANA zone"})
LIST = make_tool("reminder_list")
TOOLS = (CLOCK, LIST)
TOKYO = {"zone": "Asia/Tokyo"}
CHOICE = json.dumps({"tool_calls": [{"name": "get_time", "parameters": TOKYO}]})
NOTHING = '{\n  "tool_calls": []\n}'
AFTER = Step(
    text="",
    calls=(ToolCall(id="c1", name="get_time", arguments=TOKYO),),
    results=(ToolResult(ok=True, value={"local_time": "11:00"}),),
)


async def understand(style, script, turn):
    model = ScriptedModel(script)
    found = await FunctionCallLLM(model, styles=make_styles(style, model)).interpret(turn)
    return found, model


def turn_of(turn_text="请告诉我东京的时间", **options):
    return make_turn(turn_text, tools=TOOLS, **options)


async def test_prompt_style_lists_tools_in_the_system_prompt_as_flat_json():
    _, model = await understand("prompt", [CHOICE], turn_of())

    system = model.shown[0].messages[0]["content"]
    tools = json.loads(system.removeprefix("Available Tools: ").split("\n\nYour task is")[0])
    assert tools[0] == {
        "type": "function",
        "name": "get_time",
        "description": "Do get_time.",
        "parameters": dict(CLOCK.parameters),
    }
    assert model.shown[0].tools is None
    assert '"tool_calls": []' in system


async def test_prompt_style_sends_the_last_four_messages_newest_first():
    recent = [
        make_message("one", sender=ANN),
        make_message("two", sender=BUBBLES),
        make_message("three", sender=BOB),
        make_message("four", sender=BUBBLES),
    ]

    _, model = await understand("prompt", [CHOICE], turn_of("five", recent=recent))

    assert (
        model.shown[0]
        .messages[1]["content"]
        .startswith(
            'Query: History:\nUSER: """five"""\nASSISTANT: """four"""\nUSER: """Bob: three"""\nASSISTANT: """two"""\n'
            "Query: five\n"
        )
    )


@pytest.mark.parametrize(
    "text", [CHOICE, f"Here it is:\n```json\n{CHOICE}\n```", json.dumps({"name": "get_time", "parameters": TOKYO})]
)
async def test_prompt_style_reads_the_json_in_the_answer_as_the_call(text):
    found, _ = await understand("prompt", [text], turn_of())

    assert [(call.name, call.arguments) for call in found.calls] == [("get_time", TOKYO)]


@pytest.mark.parametrize(
    "text",
    [
        '{"tool_calls": [{"name": "reminder_list", "parameters": null}]}',
        '{"name": "reminder_list", "parameters": null}',
        '{"tool_calls": [{"name": "reminder_list", "parameters": {}}]}',
        '{"tool_calls": [{"name": "reminder_list"}]}',
    ],
)
async def test_prompt_style_reads_null_or_missing_parameters_as_no_arguments(text):
    found, _ = await understand("prompt", [text], turn_of())

    assert [(call.name, call.arguments) for call in found.calls] == [("reminder_list", {})]


async def test_prompt_style_uses_own_template_and_task_model_for_the_choice_only():
    model = ScriptedModel([CHOICE, "It is eleven."])
    instructions = Instructions(tools_prompt="Choose one of {{TOOLS}}", task_model="small")
    llm = FunctionCallLLM(model, styles=make_styles("prompt", model, instructions))

    await llm.interpret(turn_of())
    await llm.interpret(turn_of(steps=[AFTER]))

    first, second = model.shown
    assert first.messages[0]["content"].startswith("Choose one of [{")
    assert (first.model, second.model) == ("small", "")


async def test_turn_that_names_a_style_is_interpreted_in_it():
    model = ScriptedModel([CHOICE, completion("", requested("get_time", zone="Asia/Tokyo"))])
    llm = FunctionCallLLM(
        model, styles=make_styles("native", model), named_styles=lambda name: make_styles(name, model)
    )

    found = [
        await llm.interpret(replace(turn_of(), call_style="prompt")),
        await llm.interpret(turn_of()),
    ]

    assert [each.calls[0].arguments for each in found] == [TOKYO, TOKYO]
    assert [each.tools is None for each in model.shown] == [True, False]


async def test_prompt_style_appends_results_to_the_message_and_answers_in_words():
    found, model = await understand("prompt", ["It is eleven."], turn_of(steps=[AFTER]))

    assert found.answer == "It is eleven."
    message = model.shown[0].messages[-1]
    assert message["role"] == "user"
    assert message["content"].endswith('\n\nTool `get_time` Output: {\n  "local_time": "11:00"\n}')
    assert "Available Tools" not in model.shown[0].messages[0]["content"]


async def test_prompt_style_asks_for_an_answer_in_words_if_no_tool_is_chosen():
    found, model = await understand("prompt", [NOTHING, "Hello!"], turn_of("hello"))

    assert found.answer == "Hello!"
    assert len(model.shown) == 2


async def test_prompt_style_does_not_answer_people_if_no_tool_is_chosen():
    turn = make_turn(make_message("lunch?", is_addressed=False), tools=TOOLS)

    found, model = await understand("prompt", [NOTHING], turn)

    assert (found.calls, found.answer) == ((), "")
    assert len(model.shown) == 1


async def test_prompt_style_reports_an_unknown_tool_in_words():
    unknown = json.dumps({"tool_calls": [{"name": "get_tine", "parameters": TOKYO}]})

    found, model = await understand("prompt", [unknown, CHOICE], turn_of())

    assert found.calls[0].name == "get_time"
    assert "Did you mean get_time" in model.shown[1].messages[-1]["content"]
    assert [message["role"] for message in model.shown[1].messages] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("style", ["prompt", "json_router"])
async def test_call_syntax_in_the_text_is_never_sent(style):
    found, _ = await understand(style, [f"It is <tool_call>{CHOICE}</tool_call> eleven."], turn_of(steps=[AFTER]))

    assert found.answer == "It is  eleven."
    assert found.calls == ()


@pytest.mark.parametrize("style", ["prompt", "json_router"])
async def test_choice_of_a_tool_is_never_streamed(style):
    texts = []

    async def on_text(text):
        texts.append(text)

    model = ScriptedModel(["Let me see, nothing fits.", "Hello!"])
    await FunctionCallLLM(model, styles=make_styles(style, model)).interpret(turn_of("hello"), on_text=on_text)

    assert texts == ["Hello!"]


async def test_json_router_offers_one_flat_object_per_tool_and_none():
    _, model = await understand("json_router", ['{"tool": "none"}', "hi"], turn_of())

    schema = model.shown[0].response_format["json_schema"]["schema"]
    validator = jsonschema_rs.validator_for(schema)
    assert validator.is_valid({"tool": "get_time", **TOKYO})
    assert validator.is_valid({"tool": "none"})
    assert not validator.is_valid({"tool": "get_time"})
    assert not validator.is_valid({"tool": "reminder_list", **TOKYO})


async def test_json_router_sends_a_schema_without_references():
    parts = {"Node": {"type": "object", "properties": {"inner": {"$ref": "#/$defs/Node"}}}}
    tool = make_tool("draw", tree={"$ref": "#/$defs/Node"})
    tool = replace(tool, parameters={**tool.parameters, "$defs": parts})
    _, model = await understand("json_router", ['{"tool": "none"}', "hi"], replace(turn_of(), tools=(tool,)))

    schema = model.shown[0].response_format["json_schema"]["schema"]
    assert jsonschema_rs.validator_for(schema).is_valid({"tool": "draw", "tree": {"inner": {"inner": {}}}})
    assert "$ref" not in json.dumps(schema)


async def test_json_router_sends_the_description_of_an_argument_once():
    description = "The city's name in the language of the person."
    tool = make_tool("get_weather", city={"type": "string", "description": description})
    _, model = await understand("json_router", ['{"tool": "none"}', "hi"], replace(turn_of(), tools=(tool,)))

    request = model.shown[0]
    assert description in request.messages[0]["content"]
    assert description not in json.dumps(request.response_format)


async def test_json_router_reads_the_flat_object_as_a_call():
    found, _ = await understand("json_router", [json.dumps({"tool": "get_time", **TOKYO})], turn_of())

    assert [(call.name, call.arguments) for call in found.calls] == [("get_time", TOKYO)]


async def test_json_router_does_not_answer_people_if_it_chooses_none():
    turn = make_turn(make_message("haha", is_addressed=False), tools=TOOLS)

    found, model = await understand("json_router", ['{"tool": "none"}'], turn)

    assert (found.calls, found.answer, len(model.shown)) == ((), "", 1)


async def test_json_router_sends_the_same_prefix_for_every_message():
    model = ScriptedModel(['{"tool": "reminder_list"}'] * 2)
    llm = FunctionCallLLM(model, styles=make_styles("json_router", model))

    await llm.interpret(turn_of("one"))
    await llm.interpret(make_turn(make_message("two", sender=BOB), tools=TOOLS, language="zh"))

    assert model.shown[0].messages[:-1] == model.shown[1].messages[:-1]


async def test_json_router_shows_worked_examples_of_the_offered_tools_only():
    _, model = await understand("json_router", ['{"tool": "reminder_list"}'], turn_of())

    answers = [json.loads(m["content"])["tool"] for m in model.shown[0].messages if m["role"] == "assistant"]
    assert set(answers) == {"reminder_list", "none"}


def test_worked_examples_fit_the_built_in_argument_models():
    from function_calls import models

    built_in = {
        "reminder_set": models.ReminderArgs,
        "reminder_list": models.ReminderListArgs,
        "reminder_delete": models.ReminderDeleteArgs,
        "perplexity_search": models.PerplexityArgs,
        "summary": models.SummaryArgs,
    }

    for example in worked_examples():
        if example.tool != "none":
            built_in[example.tool].model_validate(dict(example.arguments))


PROBED = requested("report_number", number=7)
REJECTED = RequestRejected("tools are not supported")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ([completion("", PROBED)], "native"),
        (["<tool_call>7</tool_call>", '{"tool": "report_number", "number": 7}'], "json_router"),
        ([REJECTED, '{"tool": "report_number", "number": 7}'], "json_router"),
        ([REJECTED, REJECTED], "prompt"),
        (["seven", "seven"], "prompt"),
        ([completion("", requested("report_number", number=8)), "seven"], "prompt"),
        ([ModelUnavailable("malformed"), "seven"], "prompt"),
    ],
)
async def test_probe_finds_the_abilities_of_an_endpoint(script, expected):
    assert await probe(ScriptedModel(script)) == expected


async def test_result_of_the_probe_is_stored():
    model = ScriptedModel([REJECTED, REJECTED, CHOICE, CHOICE])
    llm = FunctionCallLLM(model, styles=make_styles("auto", model))

    await llm.interpret(turn_of())
    await llm.interpret(turn_of())

    assert model.remaining == 0


async def test_unreachable_endpoint_is_probed_again():
    model = ScriptedModel([ModelUnavailable("connection"), completion("", PROBED), "hello"])
    llm = FunctionCallLLM(model, styles=make_styles("auto", model))

    with pytest.raises(ModelUnavailable):
        await llm.interpret(turn_of())

    assert (await llm.interpret(turn_of())).answer == "hello"


TOOLLESS = RequestRejected("HTTP 400 registry.ollama.ai/library/gemma:latest does not support tools")
FORMLESS = RequestRejected("HTTP 400 This response_format type is unavailable now")
ROUTED = json.dumps({"tool": "get_time", **TOKYO})


@pytest.mark.parametrize(
    ("style", "script", "again"),
    [
        ("native", [TOOLLESS, ROUTED], [ROUTED]),
        ("native", [TOOLLESS, FORMLESS, CHOICE], [CHOICE]),
        ("json_router", [FORMLESS, CHOICE], [CHOICE]),
        ("auto", [completion("", PROBED), TOOLLESS, ROUTED], [ROUTED]),
    ],
)
async def test_refused_style_is_replaced_by_the_next_and_remembered(style, script, again):
    model = ScriptedModel([*script, *again])
    llm = FunctionCallLLM(model, styles=make_styles(style, model))

    found = [await llm.interpret(turn_of()) for _ in range(2)]

    assert [[(call.name, call.arguments) for call in each.calls] for each in found] == [[("get_time", TOKYO)]] * 2
    assert model.remaining == 0


@pytest.mark.parametrize(
    ("style", "rejection"),
    [
        ("native", RequestRejected("HTTP 400 maximum context length is 4096 tokens")),
        ("native", RequestRejected("HTTP 400 Content Exists Risk")),
        ("prompt", TOOLLESS),
    ],
)
async def test_refusal_unrelated_to_the_style_is_a_failure(style, rejection):
    with pytest.raises(RequestRejected):
        await understand(style, [rejection], turn_of())


async def test_prompt_style_sends_a_clients_conversation_unchanged_as_history():
    sent = tuple({"role": role, "content": f"{role} {'x' * 600}"} for role in ("system", "user", "assistant"))

    _, model = await understand("prompt", [CHOICE], replace(turn_of("five"), client_messages=sent))

    query = model.shown[0].messages[1]["content"]
    assert f'ASSISTANT: """{sent[2]["content"]}"""\nUSER: """{sent[1]["content"]}"""' in query


async def test_prompt_style_asks_for_a_required_call_in_words():
    _, model = await understand("prompt", [CHOICE], replace(turn_of(), tool_choice="required"))

    assert "At least one tool must be called" in model.shown[0].messages[1]["content"]


async def test_json_required_call_has_no_choice_of_none():
    answer = json.dumps({"tool": "get_time", **TOKYO})

    _, model = await understand("json_router", [answer], replace(turn_of(), tool_choice="required"))

    schema = model.shown[0].response_format["json_schema"]["schema"]
    assert [branch["properties"]["tool"]["const"] for branch in schema["anyOf"]] == ["get_time", "reminder_list"]
