"""Calls, thoughts and control tokens as published models print them."""

# ruff: noqa: E501 - the forms stand as models print them

import time

import pytest

from function_calls.model_calls.text_tool_calls.calls import find_text_calls
from function_calls.tools.catalog.offered_tools import find_name
from function_calls.tools.validation.relaxed_json import read_json

NAMES = ("reminder_set", "reminder_list", "summary")
BODY = '{"type": "daily", "content": "喝茶"}'
TEA = {"type": "daily", "content": "喝茶"}

FORMS = {
    "llama function tag without its bracket": f"<function=reminder_set{BODY}</function>",
    "llama function tag in brackets": f"<function=reminder_set({BODY})</function>",
    "llama function tag, text after name": f"<function=reminder_set>{BODY}<function>",
    "llama no opening tag (groq)": f"reminder_set{BODY}</function>",
    "function tag with a name": f'<function name="reminder_set">{BODY}</function>',
    "function tag with parameters by attribute": '<function name="reminder_set"><parameter name="type">daily</parameter><parameter name="content">喝茶</parameter></function>',
    "tool_call with a name": f'<tool_call name="reminder_set">{BODY}</tool_call>',
    "tool_call with name and params tags": f"<tool_call><name>reminder_set</name><arguments>{BODY}</arguments></tool_call>",
    "function_call name line then json": f"<tool_call>\nreminder_set\n{BODY}\n</tool_call>",
    "tag of the tool": "<reminder_set><type>daily</type><content>喝茶</content></reminder_set>",
    "tag of the tool with json": f"<reminder_set>{BODY}</reminder_set>",
    "mistral with call id": f"[TOOL_CALLS]reminder_set[CALL_ID]abc123xyz[ARGS]{BODY}",
    "mistral end": f'[TOOL_CALLS] [{{"name": "reminder_set", "arguments": {BODY}}}]</s>',
    "mistral id in list": f'[TOOL_CALLS] [{{"name": "reminder_set", "arguments": {BODY}, "id": "abc"}}]',
    "llama python tag call": '<|python_tag|>reminder_set.call(type="daily", content="喝茶")<|eom_id|>',
    "llama python tag python": '<|python_tag|>reminder_set(type="daily", content="喝茶")',
    "deepseek v3.1": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>reminder_set<｜tool▁sep｜>{BODY}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek ascii": f"<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>reminder_set\n```json\n{BODY}\n```\n<|tool_call_end|><|tool_calls_end|>",
    "deepseek outer missing": f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>reminder_set\n```json\n{BODY}\n```<｜tool▁call▁end｜>",
    "deepseek dsml": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="reminder_set">\n<｜DSML｜parameter name="type" string="true">daily</｜DSML｜parameter>\n<｜DSML｜parameter name="content" string="true">喝茶</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    "deepseek dsml ascii": '<|DSML|tool_calls>\n<|DSML|invoke name="reminder_set">\n<|DSML|parameter name="type" string="true">daily</|DSML|parameter>\n<|DSML|parameter name="content" string="true">喝茶</|DSML|parameter>\n</|DSML|invoke>\n</|DSML|tool_calls>',
    "minimax m1": f'<tool_calls>\n{{"name": "reminder_set", "arguments": {BODY}}}\n</tool_calls>',
    "minimax m2": '<minimax:tool_call>\n<invoke name="reminder_set">\n<parameter name="type">daily</parameter>\n<parameter name="content">喝茶</parameter>\n</invoke>\n</minimax:tool_call>',
    "seed": "<seed:tool_call><function=reminder_set><parameter=type>daily</parameter><parameter=content>喝茶</parameter></function></seed:tool_call>",
    "kimi without section": f"<|tool_call_begin|>functions.reminder_set:0<|tool_call_argument_begin|>{BODY}<|tool_call_end|>",
    "kimi bare": f"functions.reminder_set:0{BODY}",
    "glm4 name line": f"reminder_set\n{BODY}",
    "glm observation": f"reminder_set\n{BODY}\n<|observation|>",
    "command-r action": f'Action: ```json\n[{{"tool_name": "reminder_set", "parameters": {BODY}}}]\n```',
    "command-a action": f'<|START_ACTION|>[{{"tool_call_id": "0", "tool_name": "reminder_set", "parameters": {BODY}}}]<|END_ACTION|>',
    "phi": f'<|tool_call|>[{{"name": "reminder_set", "arguments": {BODY}}}]<|/tool_call|>',
    "granite": f'<|tool_call|>[{{"name": "reminder_set", "arguments": {BODY}}}]',
    "functools": f'functools[{{"name": "reminder_set", "arguments": {BODY}}}]',
    "nemotron": f'<TOOLCALL>[{{"name": "reminder_set", "arguments": {BODY}}}]</TOOLCALL>',
    "tool-use": f'<tool-use>\n{{"tool_calls": [{{"id": "pending", "type": "function", "function": {{"name": "reminder_set"}}, "parameters": {BODY}}}]}}\n</tool-use>',
    "gemini tool_code": '```tool_code\nprint(default_api.reminder_set(type="daily", content="喝茶"))\n```',
    "gemini tool_code 2": '```tool_code\ndefault_api.reminder_set(type="daily", content="喝茶")\n```',
    "gemma tool_code": "```tool_code\nreminder_set(type='daily', content='喝茶')\n```",
    "gemini bare": 'print(default_api.reminder_set(type="daily", content="喝茶"))',
    "assigned": 'result = reminder_set(type="daily", content="喝茶")',
    "awaited": 'await reminder_set(type="daily", content="喝茶")',
    "functiongemma": "<start_function_call>call:reminder_set{type:<escape>daily<escape>,content:<escape>喝茶<escape>}<end_function_call>",
    "react": f"Thought: I should set it.\nAction: reminder_set\nAction Input: {BODY}",
    "react fenced": f"Action: reminder_set\nAction Input:\n```json\n{BODY}\n```",
    "js": f"functions.reminder_set({BODY})",
    "js bare keys": 'functions.reminder_set({type: "daily", content: "喝茶"})',
    "python with a dict": f"reminder_set({BODY})",
    "channel without functions": f"<|start|>assistant<|channel|>commentary to=reminder_set<|message|>{BODY}",
    "to functions": f"to=functions.reminder_set {BODY}",
    "tool call words": f"Tool call: reminder_set({BODY})",
    "calling": f"Calling tool reminder_set with {BODY}",
    "chinese words": f"调用工具：reminder_set，参数：{BODY}",
    "name then json": f"reminder_set {BODY}",
    "bracketed": f"[tool_call: reminder_set {BODY}]",
    "parallel tool": f'{{"tool_uses": [{{"recipient_name": "functions.reminder_set", "parameters": {BODY}}}]}}',
    "type function": f'{{"type": "function", "name": "reminder_set", "parameters": {BODY}}}',
    "type function 2": f'{{"type": "function", "function": {{"name": "reminder_set", "parameters": {BODY}}}}}',
    "function as text": f'{{"function": "reminder_set", "parameters": {BODY}}}',
    "function_name": f'{{"function_name": "reminder_set", "function_arg": {BODY}}}',
    "tool action": f'{{"action": "reminder_set", "action_input": {BODY}}}',
    "flat": '{"tool": "reminder_set", "type": "daily", "content": "喝茶"}',
    "prefixed name": f'{{"name": "functions.reminder_set", "arguments": {BODY}}}',
    "camel name": f'{{"name": "reminderSet", "arguments": {BODY}}}',
    "chinese punctuation": "<tool_call>{“name”：“reminder_set”，“arguments”：{“type”：“daily”，“content”：“喝茶”}}</tool_call>",
    "chinese punctuation bare": "{“name”：“reminder_set”，“arguments”：{“type”：“daily”，“content”：“喝茶”}}",
    "json with a comment": f'```json\n// set it\n{{"name": "reminder_set", "arguments": {BODY}}}\n```',
    "unclosed brace": '<tool_call>{"name": "reminder_set", "arguments": {"type": "daily", "content": "喝茶"}</tool_call>',
    "one brace too many": '<tool_call>{"name": "reminder_set", "arguments": {"type": "daily", "content": "喝茶"}}}</tool_call>',
    "tool_call closed by another tag": f'<tool_call>{{"name": "reminder_set", "arguments": {BODY}}}</tool_response>',
    "tool_call opened twice": f'<tool_call>\n<tool_call>\n{{"name": "reminder_set", "arguments": {BODY}}}\n</tool_call>',
    "only closing": f'{{"name": "reminder_set", "arguments": {BODY}}}\n</tool_call>',
    "upper case tag": f'<TOOL_CALL>{{"name": "reminder_set", "arguments": {BODY}}}</TOOL_CALL>',
    "fence in tag": f'<tool_call>\n```json\n{{"name": "reminder_set", "arguments": {BODY}}}\n```\n</tool_call>',
    "escaped tag": f'&lt;tool_call&gt;{{"name": "reminder_set", "arguments": {BODY}}}&lt;/tool_call&gt;',
    "xml fence": "```xml\n<function=reminder_set><parameter=type>daily</parameter><parameter=content>喝茶</parameter></function>\n```",
    "hunyuan": f'<tool_calls>[{{"name": "reminder_set", "arguments": {BODY}}}]</tool_calls>',
    "parameters unclosed": "<function=reminder_set>\n<parameter=type>\ndaily\n<parameter=content>\n喝茶\n</function>",
    "think magistral": f"[THINK]Should I reminder_list()?[/THINK][TOOL_CALLS]reminder_set[ARGS]{BODY}",
    "think seed": f'<seed:think>hm reminder_list()</seed:think><tool_call>{{"name": "reminder_set", "arguments": {BODY}}}</tool_call>',
    "think kimi": f'◁think▷hm reminder_list()◁/think▷<tool_call>{{"name": "reminder_set", "arguments": {BODY}}}</tool_call>',
    "think cohere": f'<|START_THINKING|>hm reminder_list()<|END_THINKING|><|START_ACTION|>[{{"tool_call_id": "0", "tool_name": "reminder_set", "parameters": {BODY}}}]<|END_ACTION|>',
    "think thought": f'<thought>hm</thought><tool_call>{{"name": "reminder_set", "arguments": {BODY}}}</tool_call>',
    "think openthinker": f'<|begin_of_thought|>hm reminder_list()<|end_of_thought|><tool_call>{{"name": "reminder_set", "arguments": {BODY}}}</tool_call>',
    "think upper": f'<Think>hm reminder_list()</Think>{{"name": "reminder_set", "arguments": {BODY}}}',
    "hallucinated next turn": f'<tool_call>{{"name": "reminder_set", "arguments": {BODY}}}</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>ok</tool_response>\n<tool_call>{{"name": "reminder_list", "arguments": {{}}}}</tool_call>',
    "hallucinated result": f'<tool_call>{{"name": "reminder_set", "arguments": {BODY}}}</tool_call>\n<tool_response>\n{{"ok": true}}\n</tool_response>',
    "answer tag": f'<think>x</think><answer><tool_call>{{"name": "reminder_set", "arguments": {BODY}}}</tool_call></answer>',
}
SEVERAL = (
    '{"tool_uses": [{"recipient_name": "functions.reminder_set", "parameters": '
    f'{BODY}}}, {{"recipient_name": "functions.reminder_list", "parameters": {{}}}}]}}'
)
SEVERAL_AT_ONCE = {
    "bare": SEVERAL,
    "json": f'{{"name": "multi_tool_use.parallel", "arguments": {SEVERAL}}}',
    "function": f"multi_tool_use.parallel({SEVERAL})",
    "to": f"to=multi_tool_use.parallel {SEVERAL}",
    "channel": f"<|channel|>commentary to=multi_tool_use.parallel <|constrain|>json<|message|>{SEVERAL}<|call|>",
    "channel of functions": f"<|start|>assistant<|channel|>commentary to=functions.multi_tool_use.parallel<|message|>{SEVERAL}",
    "tool_call": f'<tool_call>{{"name": "multi_tool_use.parallel", "arguments": {SEVERAL}}}</tool_call>',
    "function tag": f"<function=multi_tool_use.parallel>{SEVERAL}</function>",
    "mistral": f"[TOOL_CALLS]multi_tool_use.parallel[ARGS]{SEVERAL}",
    "react": f"Action: multi_tool_use.parallel\nAction Input: {SEVERAL}",
}
SAID = {
    "im_end": ("Tea!<|im_end|>", "Tea!"),
    "eos": ("Tea!</s>", "Tea!"),
    "gemma": ("Tea!<end_of_turn>", "Tea!"),
    "llama": ("<|start_header_id|>assistant<|end_header_id|>\n\nTea!<|eot_id|>", "Tea!"),
    "answer": ("<answer>\nTea!\n</answer>", "Tea!"),
    "response": ("<|START_RESPONSE|>Tea!<|END_RESPONSE|>", "Tea!"),
    "tool response echo": ('<tool_response>{"ok": true}</tool_response>Tea!', "Tea!"),
    "next turn": ("Tea!<|im_end|>\n<|im_start|>user\nThanks!<|im_end|>\n<|im_start|>assistant\nWelcome", "Tea!"),
    "next turn gemma": ("Tea!<end_of_turn>\n<start_of_turn>user\nThanks", "Tea!"),
    "inst": ("Tea! [INST] more [/INST] yes", "Tea!"),
    "context echo": ("<context>\nuser: Ann\nnow: 10\n</context>\nTea!", "Tea!"),
    "context echo after": ("Tea!\n\n<context>\nuser: Ann\nlocation: \nchat: group\n</context>", "Tea!"),
    "think nested": ("<think>a <think>b</think> c</think>Tea!", "Tea!"),
    "think closed twice": ("x</think>\n</think>Tea!", "Tea!"),
    "think magistral": ("[THINK]hm[/THINK]Tea!", "Tea!"),
    "think only": ("<think>hm</think>", ""),
    "think open": ("<think>hm, tea", ""),
    "boxed": ("<|begin_of_box|>Tea!<|end_of_box|>", "Tea!"),
    "final": ("<|channel|>final<|message|>Tea!", "Tea!"),
    "assistantfinal": ("analysisThe user wants tea.assistantfinalTea!", "Tea!"),
    "no call": ("<tool_call>null</tool_call>Tea!", "Tea!"),
    "empty calls": ('{"tool_calls": []}', ""),
    "none json": ('{"tool": "none"}', ""),
    "null": ("null", ""),
    "empty object": ("{}", ""),
    "dots": ("...", ""),
    "play": ("assistant: Tea!\nuser: thanks\nassistant: Welcome", "Tea!"),
    "chinese play": ("助手：好茶！\n用户：谢谢", "好茶！"),
}


@pytest.mark.parametrize("before", ["", "Sure!"])
@pytest.mark.parametrize("form", FORMS)
def test_call_is_parsed_and_not_sent(form, before):
    printed = find_text_calls(f"{before}\n{FORMS[form]}".lstrip(), NAMES)

    assert [(find_name(call.name, NAMES), read_json(call.arguments).value) for call in printed.calls] == [
        ("reminder_set", TEA)
    ]
    assert printed.text == before


def test_name_of_a_tool_alone_is_a_call():
    printed = find_text_calls("`reminder_list`", NAMES)

    assert ([call.name for call in printed.calls], printed.text) == (["reminder_list"], "")


@pytest.mark.parametrize("form", SEVERAL_AT_ONCE)
def test_parallel_calls_of_gpt_are_separate_calls(form):
    printed = find_text_calls(SEVERAL_AT_ONCE[form], NAMES)

    assert [(find_name(call.name, NAMES), read_json(call.arguments).value) for call in printed.calls] == [
        ("reminder_set", TEA),
        ("reminder_list", {}),
    ]
    assert printed.text == ""


@pytest.mark.parametrize("form", SAID)
def test_only_the_answer_is_sent(form):
    text, answer = SAID[form]

    assert find_text_calls(text, NAMES) == find_text_calls(answer, NAMES)
    assert find_text_calls(text, NAMES).text == answer


@pytest.mark.parametrize(
    "name",
    [
        "functions.reminder_set",
        "default_api.reminder_set",
        "default_api:reminder_set",
        "functions.reminder_set:0",
        "reminder-set",
        "reminderSet",
        "REMINDER_SET",
        "ReminderSet",
        " reminder_set\n",
        "reminder_set()",
        "reminder_set<|channel|>commentary",
        "mcp__bubbles__reminder_set",
        "set_reminder",
        "setReminder",
    ],
)
def test_similar_name_of_a_tool_is_resolved(name):
    assert find_name(name, NAMES) == "reminder_set"


@pytest.mark.parametrize("name", ["reminder", "create_reminder", "", "()", "set", "reminder_sets", "fly"])
def test_dissimilar_name_is_no_tool(name):
    assert find_name(name, NAMES) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("jira__create_issue", None),
        ("functions.jira__create_issue", None),
        ("create_issue", "github__create_issue"),
        ("mcp__github__create_issue", "github__create_issue"),
        ("GitHub__create-issue", "github__create_issue"),
    ],
)
def test_name_of_a_tool_of_another_server_is_no_tool(name, expected):
    assert find_name(name, ("github__create_issue", "reminder_set")) == expected


def test_ambiguous_name_is_no_tool():
    assert find_name("b", ("x__b", "y__b")) is None


@pytest.mark.parametrize("argument", ["{[1]: 2}", "{{1}}", "{*a}", "-'a'"])
def test_argument_without_a_value_in_python_is_no_call(argument):
    assert find_text_calls(f"reminder_set(content={argument})", NAMES).calls == ()


@pytest.mark.parametrize(
    "text",
    [
        "reminder_set {" * 2000,
        "Action: " * 5000 + "{",
        "<tool_call" * 5000,
        "a{" * 9000,
        "<tool " * 30_000,
        "<function name=" * 20_000,
        "<invoke name=" * 20_000,
        "<tool_call><invoke name='x'>" + "<parameter=" * 20_000,
        "{" + "\n" * 100_000,
        "<" + " " * 100_000,
        "<|tool_call_begin|>summary\n```a b" + "\n" * 100_000 + "b",
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_is_searched_for_calls_in_bounded_time(text):
    find_text_calls(text, NAMES)


HOSTILE = {
    "verb repeated without spaces": "{\n" + "invok" * 200,
    "verb with a long end": "{\ninvok" + "a" * 20_000,
    "underscores": "{\nuse" + "_" * 20_000 + " x",
    "opening bracket and line breaks": "{" + "\n" * 49_000,
    "open objects behind other names": "a{\n" * 16_000,
    "open objects behind a name": "summary{\n" * 5_000,
    "name and spaces in a block": "<tool_call>a" + " " * 60_000 + "x",
    "spaces behind a special token": "<|tool_call_begin|>" + " " * 60_000 + "!",
    "open keys": "<tool_call>a" + "<arg_key>" * 20_000,
    "open values": "<tool_call>a" + "<arg_key>k</arg_key><arg_value>" * 6_000,
    "open tags": "<function=x>" + "<a>" * 60_000,
    "open calls of Gemma": "<tool_call>" + "call:a{" * 60_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_searched_in_bounded_time(text):
    assert all(call.name not in NAMES for call in find_text_calls(text, NAMES).calls)


@pytest.mark.parametrize("value", ["{(1, 2): 3}", '{b"x": 3}', "0x" + "f" * 3900])
def test_python_value_without_a_form_in_json_is_no_call(value):
    text = f"reminder_set(content={value})"

    assert find_text_calls(text, {"reminder_set"}).calls == ()


@pytest.mark.parametrize(
    "text",
    [
        "<invoke name=" + " " * 20_000,
        "<tool name=" + " " * 20_000,
        '<invoke name="reminder_set"><parameter=' + "a" * 20_000,
        '<invoke name="reminder_set"><parameter=a' + " " * 20_000,
    ],
)
def test_tag_that_never_ends_is_read_in_linear_time(text):
    begun = time.process_time()
    find_text_calls(text, {"reminder_set"})

    assert time.process_time() - begun < 0.5
