"""Named chats, and people who may reach them."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.testing.clocks import FixedClock
from function_calls.tools.session_state import MemoryScopeStore
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.errors import RequestRefused
from services.people.chat_aliases import ChatAliasService
from services.people.model import Account
from tests.support.stores.messages import MemoryMessageStore

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OPS, PUB = ChatAddress(platform="slack", chat_id="C1:x"), ChatAddress(platform="slack", chat_id="C2")
ANN = Account(platform="slack", person_id="U1", name="Ann")


class Members:
    """What the platform says of everybody."""

    def __init__(self):
        self.answer = True

    async def __call__(self, chat, person_id):
        return self.answer


@pytest.fixture
def members():
    return Members()


@pytest.fixture
def history():
    return HistoryService(MemoryMessageStore())


@pytest.fixture
def places(members, history):
    return ChatAliasService(MemoryScopeStore(), history, FixedClock(NOW), members)


async def refusal(awaitable):
    with pytest.raises(RequestRefused) as error:
        await awaitable
    return error.value.code


async def test_a_member_reaches_a_chat_by_its_name(places):
    await places.open(OPS, "#Ops")

    assert await places.resolve("OPS", [ANN]) == (OPS, ANN)


async def test_non_member_gets_the_same_answer_as_for_an_unknown_chat(places, members):
    await places.open(OPS, "ops")
    members.answer = False

    assert (
        await refusal(places.resolve("ops", [ANN]))
        == await refusal(places.resolve("nowhere", [ANN]))
        == "place_unknown"
    )


async def test_an_account_on_another_platform_is_no_member(places):
    await places.open(OPS, "ops")

    assert (
        await refusal(places.resolve("ops", [Account(platform="irc", person_id="U1", name="Ann")])) == "place_unknown"
    )


@pytest.mark.parametrize(("days", "is_in"), [(1, True), (29, True), (31, False), (None, False)])
async def test_members_are_known_from_the_history_without_the_platform(places, members, history, days, is_in):
    members.answer = None
    await places.open(OPS, "ops")
    if days is not None:
        at = NOW - timedelta(days=days)
        await history.record(
            ChatMessage(id="1", address=OPS, sender=Person(id="U1", name="Ann"), text="hi", sent_at=at)
        )
    reached = True
    try:
        await places.resolve("ops", [ANN])
    except RequestRefused:
        reached = False

    assert reached is is_in


async def test_name_belongs_to_one_chat_until_released(places):
    await places.open(OPS, "ops")

    assert await refusal(places.open(PUB, "ops")) == "place_name_taken"
    await places.open(OPS, "operations")
    assert await places.open(PUB, "ops") == "ops"
    assert (await places.resolve("operations", [ANN]))[0] == OPS


async def test_a_closed_chat_is_not_reached(places):
    await places.open(OPS, "ops")

    assert await places.close(OPS)
    assert await refusal(places.resolve("ops", [ANN])) == "place_unknown"
    assert not await places.close(OPS)


@pytest.mark.parametrize("name", ["", "two words", "x" * 33, "-", "a/b"])
async def test_a_name_is_one_word(places, name):
    assert await refusal(places.open(OPS, name)) == "place_name_bad"
