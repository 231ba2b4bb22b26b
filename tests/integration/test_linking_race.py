"""Codes for linking accounts, redeemed by several processes at once on one PostgreSQL database."""

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
async def people_services(postgres_url):
    """Return the services of four processes."""
    clock = SystemClock()
    async with AsyncExitStack() as resources:
        databases = [await resources.enter_async_context(Database(postgres_url)) for _ in range(4)]
        yield [PeopleService(SqlScopeStore(each), SqlStateStore(each, clock)) for each in databases]


def make_account(number):
    """Return the address and person of another account."""
    return ChatAddress(platform="matrix", chat_id=f"{number}"), Person(id=f"@{number}", name=f"{number}")


async def test_code_is_redeemed_once_by_four_concurrent_processes(people_services):
    code = await people_services[0].issue_code(PHONE, ANN, "en")
    redeeming = [each.redeem(*make_account(number), code) for number, each in enumerate(people_services)]
    outcomes = await asyncio.gather(*redeeming, return_exceptions=True)
    accounts = await people_services[0].accounts_of(PHONE, ANN)

    assert sum(isinstance(each, RequestRefused) and each.code == "link_code_wrong" for each in outcomes) == 3
    assert len(accounts) == 2


async def test_accounts_linked_concurrently_are_one_person(people_services):
    accounts = [(PHONE, ANN), *map(make_account, range(4, 7))]
    for account in accounts[1:]:  # accounts of one person that each issue a code
        await people_services[0].redeem(*account, await people_services[0].issue_code(PHONE, ANN, "en"))
    codes = [await people_services[0].issue_code(*account, "en") for account in accounts]
    await asyncio.gather(
        *(each.redeem(*make_account(number), codes[number]) for number, each in enumerate(people_services))
    )
    known = [
        {account.key for account in await people_services[0].accounts_of(*make_account(number))} for number in range(4)
    ]

    assert known == [{account.key for account in await people_services[0].accounts_of(PHONE, ANN)}] * 4
    assert len(known[0]) == 8
