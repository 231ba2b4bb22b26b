"""Linked accounts of one person, by a one-time code, and preferences of chats."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.testing.clocks import FixedClock
from function_calls.tools.session_state import MemoryScopeStore
from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.kernel.state import MemoryStateStore
from services.people.account_links import MAX_ACCOUNTS, MAX_GUESSES, PeopleService, parse_code
from services.people.chat_preferences import ChatPreferences, ChatPreferenceService

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PHONE, DESK, OFFICE = (ChatAddress(platform=name, chat_id="private") for name in ("telegram", "matrix", "slack"))
ANN, ANNA, AC = Person(id="42", name="Ann"), Person(id="@anna:example.org", name="Anna"), Person(id="U1", name="AC")
EVE = Person(id="666", name="Eve")


@pytest.fixture
def clock():
    return FixedClock(NOW)


@pytest.fixture
def people(clock):
    return PeopleService(MemoryScopeStore(), MemoryStateStore(clock))


async def link_accounts(people, here, person, there, other):
    return await people.redeem(there, other, await people.issue_code(here, person, "en"))


async def keys(people, chat, person):
    return {each.key for each in await people.accounts_of(chat, person)}


async def refusal(awaitable):
    with pytest.raises(RequestRefused) as error:
        await awaitable
    return error.value.code


async def test_code_on_the_other_platform_links_two_accounts(people):
    done = await link_accounts(people, PHONE, ANN, DESK, ANNA)

    assert done.holder.key == "telegram:42"
    assert done.issued_in == PHONE
    assert (
        await keys(people, PHONE, ANN) == await keys(people, DESK, ANNA) == {"telegram:42", "matrix:@anna:example.org"}
    )


async def test_present_speaker_comes_first(people):
    await link_accounts(people, PHONE, ANN, DESK, ANNA)

    assert (await people.accounts_of(DESK, ANNA))[0].person_id == ANNA.id


async def test_a_third_account_belongs_to_the_same_person(people):
    await link_accounts(people, PHONE, ANN, DESK, ANNA)
    await link_accounts(people, DESK, ANNA, OFFICE, AC)

    assert len(await keys(people, PHONE, ANN)) == 3


async def test_code_is_valid_once(people):
    code = await people.issue_code(PHONE, ANN, "en")
    await people.redeem(DESK, ANNA, code)

    assert await refusal(people.redeem(OFFICE, EVE, code)) == "link_code_wrong"


class FarStore(MemoryStateStore):
    """A store that answers so late that two processes know the same before either writes."""

    async def get(self, key):
        value = await super().get(key)
        await asyncio.sleep(0)
        return value


async def test_code_is_used_by_only_one_of_two_processes(clock):
    state, book = FarStore(clock), MemoryScopeStore()
    one, two = (PeopleService(book, state) for _ in range(2))
    code = await one.issue_code(PHONE, ANN, "en")

    outcomes = await asyncio.gather(one.redeem(DESK, ANNA, code), two.redeem(OFFICE, EVE, code), return_exceptions=True)

    assert sorted(type(each).__name__ for each in outcomes) == ["LinkResult", "RequestRefused"]


class FarBook(MemoryScopeStore):
    """A book that answers so late that two processes have read the same before either writes."""

    async def load(self, scopes):
        values = await super().load(scopes)
        await asyncio.sleep(0)
        return values


async def test_accounts_linked_by_two_processes_at_once_belong_to_one_person(clock):
    state, book = MemoryStateStore(clock), FarBook()
    one, two, three = (PeopleService(book, state) for _ in range(3))
    await link_accounts(three, PHONE, ANN, DESK, ANNA)
    first, second = await one.issue_code(PHONE, ANN, "en"), await two.issue_code(DESK, ANNA, "en")
    await asyncio.gather(one.redeem(OFFICE, AC, first), two.redeem(OFFICE, EVE, second))

    assert await keys(three, PHONE, ANN) == await keys(three, OFFICE, EVE)
    assert len(await keys(three, PHONE, ANN)) == 4


async def test_account_that_leaves_while_another_joins_is_unlinked(clock):
    state, book = MemoryStateStore(clock), FarBook()
    one, two = (PeopleService(book, state) for _ in range(2))
    await link_accounts(one, PHONE, ANN, DESK, ANNA)
    code = await one.issue_code(PHONE, ANN, "en")
    await asyncio.gather(one.unlink(DESK, ANNA), two.redeem(OFFICE, AC, code))

    assert await keys(one, DESK, ANNA) == await keys(two, DESK, ANNA)
    assert len(await keys(one, DESK, ANNA)) == 1
    assert len(await keys(one, PHONE, ANN)) == 2


async def test_code_is_valid_for_ten_minutes(people, clock):
    code = await people.issue_code(PHONE, ANN, "en")
    clock.set(NOW + timedelta(minutes=10))

    assert await refusal(people.redeem(DESK, ANNA, code)) == "link_code_wrong"


async def test_new_code_invalidates_the_previous_one(people):
    first = await people.issue_code(PHONE, ANN, "en")
    await people.issue_code(PHONE, ANN, "en")

    assert await refusal(people.redeem(DESK, ANNA, first)) == "link_code_wrong"


async def test_code_seen_by_others_is_invalid(people):
    code = await people.issue_code(PHONE, ANN, "en")
    await people.revoke_code(code)

    assert await refusal(people.redeem(DESK, ANNA, code)) == "link_code_wrong"


async def test_linking_an_account_with_itself_fails_and_keeps_the_code(people):
    code = await people.issue_code(PHONE, ANN, "en")

    assert await refusal(people.redeem(PHONE, ANN, code)) == "link_code_own"
    assert (await people.redeem(DESK, ANNA, code)).holder.key == "telegram:42"


async def test_correct_code_is_refused_after_several_wrong_ones(people, clock):
    code = await people.issue_code(PHONE, ANN, "en")
    for number in range(MAX_GUESSES):
        assert await refusal(people.redeem(DESK, EVE, f"link-AAAA-AAA{number}")) == "link_code_wrong"

    assert await refusal(people.redeem(DESK, EVE, code)) == "link_guesses"
    clock.set(NOW + timedelta(minutes=11))
    assert await refusal(people.redeem(DESK, EVE, code)) == "link_code_wrong"


async def test_unlinked_account_is_single_and_the_others_stay_linked(people):
    await link_accounts(people, PHONE, ANN, DESK, ANNA)
    await link_accounts(people, DESK, ANNA, OFFICE, AC)

    assert [each.key for each in await people.unlink(PHONE, ANN)] == ["telegram:42"]
    assert await keys(people, PHONE, ANN) == {"telegram:42"}
    assert len(await keys(people, DESK, ANNA)) == 2


async def test_single_account_cannot_stay_linked(people):
    await link_accounts(people, PHONE, ANN, DESK, ANNA)
    await people.unlink(PHONE, ANN, "matrix")

    assert await keys(people, PHONE, ANN) == {"telegram:42"}
    assert await people.unlink(PHONE, ANN) == ()


async def test_unlinked_person_can_be_linked_again(people):
    for _ in range(2):
        await link_accounts(people, PHONE, ANN, DESK, ANNA)
        await people.unlink(DESK, ANNA)
    await link_accounts(people, PHONE, ANN, DESK, ANNA)

    assert len(await keys(people, PHONE, ANN)) == 2


async def test_number_of_accounts_of_a_person_is_limited(people):
    for number in range(MAX_ACCOUNTS - 1):
        await link_accounts(people, PHONE, ANN, DESK, Person(id=str(number), name="x"))

    assert await refusal(link_accounts(people, PHONE, ANN, OFFICE, AC)) == "link_full"


async def test_link_transfers_no_rights(people):
    await link_accounts(people, PHONE, Person(id="42", name="Ann", is_admin=True), DESK, ANNA)

    assert not any(each.person.is_admin for each in await people.accounts_of(DESK, ANNA))


@pytest.mark.parametrize(
    "text", ["link-ABCD-EFGH", " LINK-abcd-efgh. ", "linkABCDEFGH", "`link-ABCD-EFGH`", "ｌｉｎｋ-ABCD-EFGH"]
)
def test_code_is_read_in_every_copied_form(text):
    assert parse_code(text) == "link-ABCD-EFGH"


@pytest.mark.parametrize("text", ["link me", "see link-ABCD-EFGH", "linkabc", ""])
def test_other_words_are_no_code(text):
    assert parse_code(text) is None


async def test_preferences_that_were_read_before_a_change_are_not_cached(clock):
    class Slow(MemoryStateStore):
        async def get(self, key):
            found = await super().get(key)
            await asyncio.sleep(0)
            return found

    preferences = ChatPreferenceService(Slow(clock), clock)
    earlier = asyncio.create_task(preferences.of(PHONE))
    await asyncio.sleep(0)
    await preferences.set(PHONE, ChatPreferences(instructions="Be brief."))
    await earlier

    assert (await preferences.of(PHONE)).instructions == "Be brief."
