"""Errors of requests, by field and in the language of the client."""

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.http.core.errors import field_problems, join_problems

CHINESE = {"Accept-Language": "zh-CN,zh;q=0.9"}


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str


def test_problem_without_its_own_text_is_described_in_general():
    problems = field_problems("zh", [{"type": "something_new", "loc": ("body", "text"), "ctx": {"odd": 1}}])

    assert problems == {"text": "值无效。"}


def test_each_field_has_its_own_problem():
    with pytest.raises(ValidationError) as error:
        Form.model_validate({"other": 1})

    problems = field_problems("en", [{**each, "loc": ("body", *each["loc"])} for each in error.value.errors()])

    assert problems == {"text": "Required.", "other": "Unknown field."}


@pytest.mark.parametrize(
    ("body", "field", "expected"),
    [
        ({"session_id": "lobby"}, "message", "必填。"),
        ({"session_id": "lobby", "message": "x" * 20_001}, "message", "最多只能有 20000 个字符。"),
        ({"session_id": "lobby", "message": 7}, "message", "应该是文字。"),
        ({"session_id": "lobby", "message": "hi", "attachments": [{}]}, "attachments.0.kind", "必填。"),
    ],
    ids=["missing", "too long", "no text", "deep inside"],
)
async def test_invalid_request_is_reported_in_the_language_of_the_client(api, body, field, expected):
    answer = await api.post("/api/chat/send", json=body, headers=CHINESE)

    assert answer.status_code == 422
    assert answer.json()["fields"] == {field: expected}
    assert f"`{field}` 为必填项。" in answer.json()["detail"] or expected in answer.json()["detail"]


@pytest.mark.parametrize(
    ("language", "problems", "line"),
    [
        ("en", {"type": "Required."}, "`type` is required."),
        (
            "en",
            {"type": "Required.", "at": "Must be text.", "kind": "Required."},
            "`type`, `kind` are required. at: Must be text.",
        ),
        ("es", {"type": "Obligatorio."}, "`type` es obligatorio."),
    ],
)
def test_missing_fields_are_named_in_one_sentence(language, problems, line):
    assert join_problems(language, problems) == line


async def test_error_is_in_spanish_for_readers_of_spanish(api):
    answer = await api.get("/api/nothing", headers={"Accept-Language": "es-MX,es;q=0.9"})

    assert answer.json()["detail"] == "Aquí no hay nada."


async def test_invalid_query_is_reported_by_its_name(api):
    answer = await api.get("/api/admin/metrics?minutes=none", headers=CHINESE)

    assert answer.json()["fields"] == {"minutes": "应该是数字。"}


async def test_invalid_json_is_reported_for_the_whole_request(api):
    answer = await api.post("/api/chat/send", content=b"{", headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["fields"]) == (400, {"": "Not valid JSON."})


WEEKLY = {"type": "weekly", "time": "09:00", "content": "tea", "weekday": 0}


@pytest.mark.parametrize(
    ("change", "field", "expected"),
    [
        ({"time": None}, "time", "应该是文字。"),
        ({"type": "hourly"}, "type", "应该是 once、daily、weekly。"),
        ({"weekday": 9}, "weekday", "最多是 6。"),
        ({"weekday": "Monday"}, "weekday", "应该是数字。"),
        ({"colour": "red"}, "colour", "未知字段。"),
    ],
    ids=["no text", "not one of them", "too large", "of another kind", "unknown"],
)
async def test_invalid_arguments_of_a_tool_are_reported_in_the_language_of_the_client(api, change, field, expected):
    body = {"arguments": WEEKLY | change}

    answer = await api.post("/api/tools/reminder_set/invoke", json=body, headers=CHINESE)

    assert (answer.status_code, answer.json()["fields"]) == (422, {field: expected})
    assert expected in answer.json()["detail"]


async def test_a_model_behind_the_tool_server_reads_the_whole_reason_in_english(api):
    answer = await api.post("/tools/reminder_set", json=WEEKLY | {"type": "weakly"}, headers=CHINESE)

    assert answer.status_code == 422
    assert "Did you mean" in answer.json()["detail"]
