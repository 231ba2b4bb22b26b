"""One-time codes between several processes, each with its own connections to one PostgreSQL."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.kernel.errors import RequestRefused
from services.people.account_links import PeopleService
from services.storage.database import Database
from services.storage.people.state import SqlScopeStore, SqlStateStore

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
PHONE, ANN = ChatAddress(platform="telegram", chat_id="42"), Person(id="42", name="Ann")


@pytest.fixture
async def people(postgres_url):
    """The service of four processes."""
    clock = SystemClock()
    async with AsyncExitStack() as resources:
        databases = [await resources.enter_async_context(Database(postgres_url)) for _ in range(4)]
        yield [PeopleService(SqlScopeStore(each), SqlStateStore(each, clock)) for each in databases]


def desk(number):
    """An account that speaks at another place."""
    return ChatAddress(platform="matrix", chat_id=f"{number}"), Person(id=f"@{number}", name=f"{number}")


async def test_one_of_four_processes_with_the_same_code_at_once_uses_it(people):
    code = await people[0].issue_code(PHONE, ANN, "en")
    redeeming = [each.redeem(*desk(number), code) for number, each in enumerate(people)]
    outcomes = await asyncio.gather(*redeeming, return_exceptions=True)
    accounts = await people[0].accounts_of(PHONE, ANN)

    assert sum(isinstance(each, RequestRefused) and each.code == "link_code_wrong" for each in outcomes) == 3
    assert len(accounts) == 2


async def test_four_accounts_that_are_linked_with_one_person_at_once_are_all_that_person(people):
    givers = [(PHONE, ANN), *map(desk, range(4, 7))]
    for giver in givers[1:]:  # of one person already, so that each has a code of its own
        await people[0].redeem(*giver, await people[0].issue_code(PHONE, ANN, "en"))
    codes = [await people[0].issue_code(*giver, "en") for giver in givers]
    await asyncio.gather(*(each.redeem(*desk(number), codes[number]) for number, each in enumerate(people)))
    known = [{account.key for account in await people[0].accounts_of(*desk(number))} for number in range(4)]

    assert known == [{account.key for account in await people[0].accounts_of(PHONE, ANN)}] * 4
    assert len(known[0]) == 8
