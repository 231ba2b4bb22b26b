"""`/metrics` as Prometheus reads it."""

import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from bot.model_latency import Latencies

ASKED_FOR = {
    "bubbles_messages_5m",
    "bubbles_turns_5m",
    "bubbles_tool_calls_5m",
    "bubbles_tool_seconds_5m",
    "bubbles_model_request_seconds",
    "bubbles_model_tokens_5m",
    "bubbles_model_cost_5m",
    "bubbles_reminder_lateness_seconds_5m",
    "bubbles_deliveries_waiting",
    "bubbles_adapter_live",
}


async def families(api):
    text = (await api.get("/metrics")).text
    return {each.name: each for each in text_string_to_metric_families(text)}


async def test_prometheus_can_read_it_and_finds_everything_that_operators_ask_for(api):
    found = await families(api)

    assert set(found) >= ASKED_FOR
    assert all(each.documentation for each in found.values())


async def test_the_model_s_latency_is_a_histogram_by_model_and_outcome(api):
    taken = Latencies()
    for seconds in (0.2, 3.0):
        taken.add(seconds)
    api.context.app.model_latency.by_outcome['odd"name', "ok"] = taken

    family = (await families(api))["bubbles_model_request_seconds"]
    samples = {(each.name, each.labels.get("le")): each.value for each in family.samples}

    assert family.type == "histogram"
    assert {each.labels["model"] for each in family.samples} == {'odd"name'}
    assert samples["bubbles_model_request_seconds_bucket", "0.25"] == 1
    assert samples["bubbles_model_request_seconds_bucket", "+Inf"] == 2
    assert samples["bubbles_model_request_seconds_sum", None] == 3.2


async def test_every_metric_is_on_the_page_for_operators_and_no_other(api):
    page = (Path(__file__).parents[4] / "docs" / "how-to" / "watch-the-bot.md").read_text(encoding="utf-8")

    assert set(re.findall(r"bubbles_[a-z0-9_]+", page)) == set(await families(api))
