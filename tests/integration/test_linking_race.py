"""One-time codes between several processes, each with its own connections to one PostgreSQL."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from services.chat import ChatAddress, Person
from services.clock import SystemClock
from services.errors import RequestRefused
from services.people.codes import LinkCodes
from services.people.service import PeopleService
from services.storage.database import Database
from services.storage.scope_store import SqlScopeStore
from services.storage.state_store import SqlStateStore

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
PHONE, ANN = ChatAddress(platform="telegram", chat_id="42"), Person(id="42", name="Ann")


async def test_of_four_processes_that_are_told_one_code_at_once_one_takes_it(postgres_url):
    clock = SystemClock()
    async with AsyncExitStack() as resources:
        databases = [await resources.enter_async_context(Database(postgres_url)) for _ in range(4)]
        people = [PeopleService(SqlScopeStore(each), LinkCodes(SqlStateStore(each, clock))) for each in databases]
        code = await people[0].code_for(PHONE, ANN, "en")
        redeeming = [
            each.redeem(ChatAddress(platform="matrix", chat_id=f"{n}"), Person(id=f"@{n}", name=f"{n}"), code)
            for n, each in enumerate(people)
        ]
        outcomes = await asyncio.gather(*redeeming, return_exceptions=True)
        accounts = await people[0].accounts_of(PHONE, ANN)

    assert sum(isinstance(each, RequestRefused) and each.code == "link_code_wrong" for each in outcomes) == 3
    assert len(accounts) == 2
