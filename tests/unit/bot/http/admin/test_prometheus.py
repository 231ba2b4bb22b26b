"""The metrics at `/metrics` in the form of Prometheus."""

import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from bot.observability.metrics import Latencies

ASKED_FOR = {
    "bubbles_messages",
    "bubbles_turns",
    "bubbles_tool_call_seconds",
    "bubbles_model_request_seconds",
    "bubbles_model_tokens",
    "bubbles_model_cost",
    "bubbles_reminder_lateness_seconds",
    "bubbles_deliveries_waiting",
    "bubbles_adapter_live",
}


async def families(api):
    text = (await api.get("/metrics")).text
    return {each.name: each for each in text_string_to_metric_families(text)}


async def test_prometheus_parses_all_required_metrics(api):
    found = await families(api)

    assert set(found) >= ASKED_FOR
    assert all(each.documentation for each in found.values())


async def test_the_model_s_latency_is_a_histogram_by_model_and_outcome(api):
    latencies = Latencies()
    for seconds in (0.2, 3.0):
        latencies.add(seconds)
    api.context.app.model_latency.by_outcome['odd"name', "ok"] = latencies

    family = (await families(api))["bubbles_model_request_seconds"]
    samples = {(each.name, each.labels.get("le")): each.value for each in family.samples}

    assert family.type == "histogram"
    assert {each.labels["model"] for each in family.samples} == {'odd"name'}
    assert samples["bubbles_model_request_seconds_bucket", "0.25"] == 1
    assert samples["bubbles_model_request_seconds_bucket", "+Inf"] == 2
    assert samples["bubbles_model_request_seconds_sum", None] == 3.2


async def test_every_metric_is_on_the_page_for_operators_and_no_other(api):
    page = (Path(__file__).parents[5] / "docs" / "how-to" / "watch-the-bot.md").read_text(encoding="utf-8")

    named = {re.sub("_(total|bucket)$", "", each) for each in re.findall(r"bubbles_[a-z0-9_]+", page)}
    assert named == set(await families(api))


async def test_counters_count_messages_and_calls_and_never_fall(api):
    async def count():
        found = (await families(api)).values()
        counted = [each for each in found if each.type in {"counter", "histogram"}]
        return {(each.name, *each.labels.values()): each.value for one in counted for each in one.samples}

    counted = []
    for text in ("remind me tomorrow to call Lin", "list my reminders"):
        await api.post("/api/chat/send", json={"session_id": "lobby", "message": text})
        counted.append(await count())
    first, second = counted

    assert [each["bubbles_messages_total", "people"] for each in counted] == [1, 2]
    assert [each["bubbles_messages_total", "bot"] for each in counted] == [1, 2]
    assert first["bubbles_turns_total", "offline", "answered"] == 1
    assert first["bubbles_tool_call_seconds_count", "reminder_set", "success"] == 1
    assert second["bubbles_tool_call_seconds_count", "reminder_list", "success"] == 1
    assert all(second[each] >= first[each] for each in first)
