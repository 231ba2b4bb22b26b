"""The functions for data of people: consent, scope and export."""

import json

import pytest
from msgspec.structs import replace

from function_calls.functions.privacy import handlers as handlers_privacy
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.context import Services
from function_calls.tools.session_state import MemoryScopeStore
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.kernel.state import MemoryStateStore
from services.people.account_links import PeopleService
from services.people.privacy import PrivacyService
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore
from services.storage.people.privacy import SqlPrivacyStore

ALONE = {"address": ChatAddress(platform="fake", chat_id="ann"), "is_private": True}
ADMIN = {"sender": Person(id="cy", name="cy", is_admin=True)}


@pytest.fixture
async def services():
    async with Database("sqlite://") as database:
        yield Services(
            HistoryService(SqlMessageStore(database)),
            PrivacyService(SqlPrivacyStore(database), keep_days=30),
            PeopleService(MemoryScopeStore(), MemoryStateStore(SystemClock())),
        )


@pytest.fixture
def ask(services, context_of):
    registry = Registry(injectable=(HistoryService, PrivacyService, PeopleService))
    registry.collect(handlers_privacy)

    async def dispatch(name, arguments=None, *, language="en", is_sure=False, is_undoing=False, **message):
        call = ToolCall(id="1", name=name, arguments=arguments or {})
        approved = call if is_sure else None
        own = context_of(**message)
        context = replace(own, services=services, language=language, approved=approved, is_undoing=is_undoing)
        return await FunctionCallRouter(registry).dispatch(call, context)

    return dispatch


@pytest.fixture
def record_message(services, message):
    async def record(number, **changes):
        await services.get(HistoryService).record(replace(message, id=f"m{number}", text=f"tea {number}", **changes))

    return record


async def test_erasure_needs_a_confirmation(ask, record_message):
    await record_message(1)

    question = await ask("forget_me")

    assert question.ending == "question"
    assert "messages (1)" in (await ask("export_my_data")).text


async def test_erasure_is_reported_in_numbers(ask, record_message):
    await record_message(1)
    await record_message(2, address=ALONE["address"])

    here = await ask("forget_me", is_sure=True)
    result = await ask("forget_me", is_sure=True, **ALONE)

    assert here.text.startswith("🧽 Deleted in this chat: your messages (1), my answers to them (0)")
    assert result.text.startswith("🧽 Deleted in all chats of this platform: your messages (1)")
    assert here.receipts[0].action == "forgotten"


@pytest.mark.parametrize(
    ("language", "expected"), [("en", "From now on I keep none"), ("zh", "从现在起，我在这个群里不再保存")]
)
async def test_opting_out_is_confirmed_and_can_be_undone(ask, language, expected):
    result = await ask("history_opt_out", language=language)

    assert result.text.startswith(expected)
    assert result.receipts[0].undo.name == "history_opt_in"
    assert not (await ask("history_opt_out")).ok
    assert (await ask("history_opt_in")).ok


async def test_person_who_opted_out_everywhere_cannot_opt_in_to_a_group_and_is_told_so(ask):
    await ask("history_opt_out")
    await ask("history_opt_out", **ALONE)

    results = [await ask("history_opt_in") for _ in range(2)]
    await ask("history_opt_in", **ALONE)

    assert {result.text.partition(",")[0] for result in results} == {"You opted out in all chats of this platform"}
    assert not results[0].ok
    assert "You have opted out" not in (await ask("export_my_data")).text


async def test_talk_between_people_does_not_opt_anyone_out(ask):
    assert (await ask("history_opt_out", is_addressed=False)).ending == "answered"
    assert not (await ask("history_opt_in")).ok


async def test_data_is_shown_completely_only_in_private(ask, record_message):
    await record_message(1)
    await record_message(2, sender=Person(id="bob", name="bob"))

    group, private = await ask("export_my_data"), await ask("export_my_data", **ALONE)

    assert "tea" not in group.text
    assert private.text.endswith("• today at 12:00, fake:home: tea 1")


async def test_private_export_has_a_file_and_group_export_does_not(ask, record_message):
    for number in range(102):
        await record_message(number)

    group, private = await ask("export_my_data"), await ask("export_my_data", **ALONE)

    (file,) = private.files
    data = json.loads(file.content)
    assert group.files == ()
    assert (file.name, file.media_type) == ("my-data.json", "application/json")
    assert [each["text"] for each in data["messages"]] == [f"tea {number}" for number in range(102)]
    assert data["messages"][0]["chat"] == "fake:home"
    assert "The last 100 messages:" in private.text
    assert "fake:home: tea 1\n" not in private.text


async def test_retention_is_set_by_admins_only(ask):
    refusal = await ask("history_retention", {"days": 7})
    question = await ask("history_retention")
    changed = await ask("history_retention", {"days": 7}, **ADMIN)

    assert (refusal.ok, refusal.text) == (False, "Only an admin of this chat may do that.")
    assert (question.text, question.receipts) == ("Messages of this chat are kept for 30 days.", ())
    assert changed.text == "✅ Messages of this chat are now kept for 7 days; older ones are deleted once a day."


async def test_undo_of_a_retention_restores_that_of_the_settings_or_the_earlier_one(ask, services, message):
    privacy = services.get(PrivacyService)
    changes = [await ask("history_retention", {"days": days}, **ADMIN) for days in (7, 3)]
    steps = [change.receipts[0].undo for change in reversed(changes)]
    kept = []
    for step in steps:
        await ask(step.name, step.arguments, is_undoing=True, **ADMIN)
        kept.append(await privacy.own_retention_days(message.address))

    assert kept == [7, None]


@pytest.mark.parametrize(("language", "expected"), [("en", "for 1 day;"), ("es", "1 día;"), ("zh", "1 天，")])
async def test_retention_of_one_day_is_named_in_the_singular(ask, language, expected):
    assert expected in (await ask("history_retention", {"days": 1}, language=language, **ADMIN)).text
