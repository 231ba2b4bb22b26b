"""Metering of requests and budgets."""

import asyncio
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.testing.clocks import FixedClock
from bot.testing.models import ScriptedModel, completion
from services.call_log.model import Spent, UsageCost
from services.call_log.usage import (
    Budgets,
    DailyBudget,
    Limit,
    MeteredModel,
    Price,
    TurnUsage,
    count_usage,
    current_usage,
)
from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import CompletionRequest, Usage

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
REQUEST = CompletionRequest(messages=[])
PRICE = Price(input=10_000, output=20_000)  # a scripted completion, 10 tokens in and 5 out, costs 0.2


def turn_usage(person="ann", chat="home"):
    address = ChatAddress(platform="fake", chat_id=chat)
    return TurnUsage(address=address, person=Person(id=person, name=person))


def budget_of(clock=None, spent=(), *, zone=UTC, **budgets):
    requests = []

    async def spent_since(moment):
        requests.append(moment)
        return spent

    budget = DailyBudget(Budgets(**budgets), clock or FixedClock(NOON), zone, spent_since)
    budget.asked = requests
    return budget


def metered(budget=None, answers=10):
    scripted = ScriptedModel(["hello"] * answers)
    return MeteredModel(scripted, price=PRICE, budget=budget), scripted


async def test_cached_tokens_have_their_own_price():
    price = Price(input=10, output=30, cached=1)

    assert price.of(Usage(prompt_tokens=1_000_000, cached_tokens=400_000, completion_tokens=100_000)) == pytest.approx(
        6.0 + 0.4 + 3.0
    )


async def test_usage_of_a_request_is_added_to_the_message():
    model, _ = metered()
    with count_usage(turn_usage()) as account:
        account.begin_round("model")
        await model.complete(REQUEST)
        await model.complete(REQUEST)

    assert (account.charge.tokens, account.charge.cost) == (30, pytest.approx(0.4))
    assert [(each.round, each.model) for each in account.completions] == [(1, "scripted"), (1, "scripted")]
    assert current_usage() is None


async def test_failed_request_is_counted_with_its_reason():
    model = MeteredModel(ScriptedModel([ModelUnavailable("timeout")]))
    with count_usage(turn_usage()) as account, pytest.raises(ModelUnavailable):
        await model.complete(REQUEST)

    assert [each.error for each in account.completions] == ["timeout"]


async def test_model_works_without_a_message():
    model, _ = metered()

    assert (await model.complete(REQUEST)).text == "hello"


@pytest.mark.parametrize("limit", [Limit(tokens=30), Limit(cost=0.4)])
@pytest.mark.parametrize("scope", ["message", "person", "chat", "day"])
async def test_when_a_budget_is_used_up_no_request_is_made(scope, limit):
    model, scripted = metered(budget_of(**{scope: limit}))
    with count_usage(turn_usage()):
        await model.complete(REQUEST)
        await model.complete(REQUEST)
        with pytest.raises(ModelUnavailable) as error:
            await model.complete(REQUEST)

    assert error.value.reason == "budget"
    assert len(scripted.shown) == 2


@pytest.mark.parametrize(
    ("scope", "person", "chat", "passes"),
    [
        ("message", "ann", "home", True),
        ("person", "ann", "work", False),
        ("person", "bob", "home", True),
        ("chat", "bob", "home", False),
        ("chat", "ann", "work", True),
        ("day", "bob", "work", False),
    ],
)
async def test_a_budget_holds_for_its_own_scope(scope, person, chat, passes):
    model, scripted = metered(budget_of(**{scope: Limit(tokens=1)}))
    with count_usage(turn_usage()):
        await model.complete(REQUEST)
    with count_usage(turn_usage(person, chat)):
        if passes:
            await model.complete(REQUEST)
        else:
            with pytest.raises(ModelUnavailable):
                await model.complete(REQUEST)

    assert len(scripted.shown) == (2 if passes else 1)


async def test_spending_of_the_day_is_kept_after_a_restart():
    on_record = [Spent(chat_key="fake:home", person_key="fake:ann", tokens=100, cost=1.0)]
    model, scripted = metered(budget_of(spent=on_record, person=Limit(tokens=100)))
    with count_usage(turn_usage("bob")):
        await model.complete(REQUEST)
    with count_usage(turn_usage("ann")), pytest.raises(ModelUnavailable):
        await model.complete(REQUEST)

    assert len(scripted.shown) == 1


async def test_new_day_in_the_bots_zone_starts_at_zero():
    clock = FixedClock(datetime(2026, 11, 20, 15, 0, tzinfo=UTC))
    budget = budget_of(clock, zone=ZoneInfo("Asia/Shanghai"), day=Limit(tokens=1))
    model, _ = metered(budget)
    await model.complete(REQUEST)
    with pytest.raises(ModelUnavailable):
        await model.complete(REQUEST)

    clock.set(clock.now() + timedelta(hours=1))
    await model.complete(REQUEST)

    assert budget.asked[-1] == datetime(2026, 11, 21, tzinfo=ZoneInfo("Asia/Shanghai"))


async def test_requests_in_tasks_of_a_tool_count_for_the_message():
    import asyncio

    model, _ = metered()
    with count_usage(turn_usage()) as account:
        async with asyncio.TaskGroup() as group:
            group.create_task(model.complete(REQUEST))
            group.create_task(model.complete(REQUEST))

    assert len(account.completions) == 2


async def test_answer_of_the_model_is_unchanged():
    played = completion("hi")

    assert await MeteredModel(ScriptedModel([played])).complete(REQUEST) is played


async def test_request_that_ends_while_the_spending_of_the_day_is_read_counts():
    is_read = asyncio.Event()

    async def spent_since(_):
        await is_read.wait()
        return ()

    budget = DailyBudget(Budgets(day=Limit(tokens=15)), FixedClock(NOON), UTC, spent_since)
    first = asyncio.create_task(budget.check(None))
    await asyncio.sleep(0)
    budget.charge(None, UsageCost(prompt_tokens=15))
    is_read.set()

    with pytest.raises(ModelUnavailable, match="day"):
        await first
