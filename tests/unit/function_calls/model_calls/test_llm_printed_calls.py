"""Calls that models print into their text, by form."""

import json

import pytest

from function_calls.model_calls.text_tool_calls.calls import find_text_calls

NAMES = ("reminder_set", "reminder_list", "summary")
TEA = {"type": "daily", "content": "喝茶"}
BODY = json.dumps(TEA, ensure_ascii=False)

FORMS = {
    "hermes": f'<tool_call>\n{{"name": "reminder_set", "arguments": {BODY}}}\n</tool_call>',
    "hermes not closed": f'<tool_call>{{"name": "reminder_set", "arguments": {BODY}}}',
    "hermes with arguments as text": f'<tool_call>{{"name":"reminder_set","arguments":{json.dumps(BODY)}}}</tool_call>',
    "doubled tag name": f'<function_call>{{"name": "reminder_set", "arguments": {BODY}}}</function_call>',
    "llama function tag": f"<function=reminder_set>{BODY}</function>",
    "qwen coder": "<tool_call>\n<function=reminder_set>\n<parameter=type>\ndaily\n</parameter>\n"
    "<parameter=content>\n喝茶\n</parameter>\n</function>\n</tool_call>",
    "invoke": '<function_calls><invoke name="reminder_set"><parameter name="type">daily</parameter>'
    '<parameter name="content">喝茶</parameter></invoke></function_calls>',
    "glm": "<tool_call>reminder_set\n<arg_key>type</arg_key>\n<arg_value>daily</arg_value>\n"
    "<arg_key>content</arg_key>\n<arg_value>喝茶</arg_value>\n</tool_call>",
    "mistral list": f'[TOOL_CALLS][{{"name": "reminder_set", "arguments": {BODY}}}]',
    "mistral named": f"[TOOL_CALLS]reminder_set[ARGS]{BODY}",
    "python tag": f'<|python_tag|>{{"name": "reminder_set", "parameters": {BODY}}}<|eom_id|>',
    "deepseek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>reminder_set\n"
    f"```json\n{BODY}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.reminder_set:0<|tool_call_argument_begin|>"
    f"{BODY}<|tool_call_end|><|tool_calls_section_end|>",
    "gpt-oss": "<|channel|>analysis<|message|>They want tea.<|end|><|start|>assistant<|channel|>commentary "
    f"to=functions.reminder_set <|constrain|>json<|message|>{BODY}<|call|>",
    "gpt-oss, recipient first": "<|start|>assistant to=functions.reminder_set<|channel|>commentary json<|message|>"
    f"{BODY}<|call|>",
    "gpt-oss without its tokens": f"commentary to=functions.reminder_set json{BODY}",
    "fenced": f'```json\n{{"name": "reminder_set", "arguments": {BODY}}}\n```',
    "fenced, wrapped": f'```json\n{{"tool_calls": [{{"name": "reminder_set", "parameters": {BODY}}}]}}\n```',
    "bare": f'{{"name": "reminder_set", "arguments": {BODY}}}',
    "bare, openai form": '[{"id": "x", "type": "function", "function": '
    f'{{"name": "reminder_set", "arguments": {BODY}}}}}]',
    "bare, single quotes": "{'name': 'reminder_set', 'arguments': {'type': 'daily', 'content': '喝茶'}}",
    "name as key": f'{{"reminder_set": {BODY}}}',
    "function style": 'reminder_set(type="daily", content="喝茶")',
    "function style in a list": "[reminder_set(type='daily', content='喝茶')]",
    "function style in a fence": '```python\nreminder_set(type="daily", content="喝茶")\n```',
    "after a thought": '<think>I should call {"x": 1}</think>\n'
    f'<tool_call>{{"name": "reminder_set", "arguments": {BODY}}}</tool_call>',
}


@pytest.mark.parametrize("form", FORMS)
def test_printed_call_is_parsed_and_not_sent(form):
    printed = find_text_calls(FORMS[form], NAMES)

    assert [call.name for call in printed.calls] == ["reminder_set"]
    arguments = json.loads(printed.calls[0].arguments)
    assert arguments == TEA
    assert printed.text == ""


@pytest.mark.parametrize("form", FORMS)
def test_text_around_a_printed_call_is_kept(form):
    printed = find_text_calls(f"Sure!\n{FORMS[form]}", NAMES)

    assert len(printed.calls) == 1
    assert printed.text == "Sure!"


def test_two_calls_in_one_block_are_both_found():
    text = '<tool_call>{"name": "summary", "arguments": {}}\n{"name": "reminder_list", "arguments": {}}</tool_call>'

    assert [call.name for call in find_text_calls(text, NAMES).calls] == ["summary", "reminder_list"]


def test_a_tagged_call_of_an_unknown_tool_is_still_a_call():
    printed = find_text_calls('<tool_call>{"name": "fly", "arguments": {}}</tool_call>', NAMES)

    assert [call.name for call in printed.calls] == ["fly"]


def test_tagged_call_with_cut_arguments_stays_text():
    printed = find_text_calls('<tool_call>{"name": "reminder_set", "arguments": {"type": "dai', NAMES)

    assert printed.calls[0].arguments.startswith('{"type": "dai')
    assert printed.text == ""


@pytest.mark.parametrize(
    "text",
    [
        "You have 3 reminders (see the list).",
        "在 Python 里写 print(1) 就行。",
        '```json\n{"name": "Ann", "age": 3}\n```',
        'A person is {"name": "Ann", "parameters": {"age": 3}} in JSON.',
        "```\nhello\n```",
        "Use summary(text) in your code.",
        "3 < 5 and x > y",
        "The sources are [1] and [2].",
        "Your reminder_list {of things} is empty.",
        "The summary: we agreed (mostly) on tea.",
        "Analysis (2 < 3) shows {x}.",
        "analysis of the talk: tea.",
        'Use it so: summary = "short" (see below).',
        "A <b>bold</b> word and a <context> of its own",
        '{"city": "Hangzhou", "days": 3}',
        "Thought: tea.\nAction: drink {it}.",
    ],
)
def test_ordinary_text_is_unchanged(text):
    printed = find_text_calls(text, NAMES)

    assert (printed.calls, printed.text) == ((), text)


@pytest.mark.parametrize(
    "text",
    ["<tool_call></tool_call>", "done <|im_end|>", "</tool_call>", "<tool_call>what?</tool_call>", "[TOOL_CALLS]"],
)
def test_broken_call_syntax_is_never_sent(text):
    answer = find_text_calls(text, NAMES).text

    assert not set("<|[") & set(answer)


def test_thoughts_are_not_sent():
    assert find_text_calls("<think>the user is silly</think>Hello.", NAMES).text == "Hello."


def test_only_the_last_channel_is_sent():
    text = "<|channel|>analysis<|message|>Hm, tea.<|end|><|start|>assistant<|channel|>final<|message|>Tea!<|return|>"

    assert find_text_calls(text, NAMES).text == "Tea!"


def test_thought_opened_by_the_template_is_not_sent():
    assert find_text_calls("the user is silly</think>Hello.", NAMES).text == "Hello."


def test_hostile_text_is_searched_for_printed_calls_in_bounded_time():
    text = '[{"reminder_set' * 3000

    find_text_calls(text, NAMES)
