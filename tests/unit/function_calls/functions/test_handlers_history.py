"""The function `history_search`: its results for people and for a model."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from function_calls.functions.history import handlers as handlers_history
from function_calls.functions.history.handlers import HistorySearchArgs
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.context import Services
from services.history.service import HistoryService
from services.kernel.chat import Attachment, ChatAddress, Person
from tests.support.stores.messages import MemoryMessageStore


@pytest.fixture
def history():
    return HistoryService(MemoryMessageStore())


@pytest.fixture
def find(history, context_of):
    async def dispatch(language="en", **arguments):
        registry = Registry(injectable=(HistoryService,))
        registry.collect(handlers_history)
        call = ToolCall(id="1", name="history_search", arguments=arguments)
        context = replace(context_of(), services=Services(history), language=language)
        return await FunctionCallRouter(registry).dispatch(call, context)

    return dispatch


async def test_earlier_messages_are_quoted_with_their_time_and_sender(find, history, message):
    at = message.sent_at - timedelta(days=1)
    await history.record(replace(message, id="1", text="Tea is at\nfour", sent_at=at))

    result = await find(query="tea")

    assert result.text == "About “tea” in this chat:\n• yesterday at 12:00, ann: Tea is at four"
    assert result.value["messages"][0]["id"] == "1"
    assert result.is_untrusted


async def test_message_is_shown_with_its_attachments(find, history, message):
    photo = Attachment(kind="photo", description="the broken printer")
    at = message.sent_at - timedelta(days=1)
    await history.record(replace(message, id="1", text="", attachments=(photo,), sent_at=at))

    result = await find(query="printer")

    assert result.text.endswith("• yesterday at 12:00, ann: 📎 the broken printer")
    assert result.value["messages"][0]["text"] == "📎 the broken printer"


async def test_found_message_has_a_link_if_the_platform_has_links(context_of, history, message):
    await history.record(replace(message, id="7", text="tea at four", sent_at=message.sent_at - timedelta(days=1)))
    context = replace(context_of(), link_of=lambda message_id: f"https://chat.example/{message_id}")

    result = await handlers_history.history_search(HistorySearchArgs(query="tea"), context, history)

    assert result.text.endswith("ann: tea at four [↗](https://chat.example/7)")


async def test_other_chats_and_the_question_itself_are_not_found(find, history, message):
    await history.record(replace(message, text="find messages about tea"))
    await history.record(replace(message, address=ChatAddress(platform="fake", chat_id="work"), text="tea"))

    result = await find(query="tea")

    assert result.text == "I found nothing about “tea” in this chat."


async def test_request_to_the_bot_is_found_only_without_other_results(find, history, message):
    at = message.sent_at - timedelta(days=1)
    await history.record(replace(message, id="1", text="remind me at 4 to make tea", is_addressed=False, sent_at=at))
    await history.record(replace(message, id="2", text="bubbles did anyone say when tea is", sent_at=at))

    assert {each["id"] for each in (await find(query="tea")).value["messages"]} == {"1", "2"}

    await history.record(replace(message, id="3", text="Tea is at four", is_addressed=False, sent_at=at))
    await history.record(replace(message, id="4", text="bubbles remember that tea is in the tin", sent_at=at))

    assert {each["id"] for each in (await find(query="tea")).value["messages"]} == {"3", "4"}


async def test_question_is_shown_with_its_answer(find, history, message):
    request = replace(message, id="1", text="whats the door code", is_addressed=False)
    request = replace(request, sent_at=message.sent_at - timedelta(days=1))
    later = request.sent_at + timedelta(minutes=1)
    answer = replace(request, id="2", text="4471", sender=Person(id="bob", name="bob"), sent_at=later)
    for each in (request, answer):
        await history.record(each)

    result = await find(query="door code")

    assert result.text.splitlines()[1:] == [
        "• yesterday at 12:00, ann: whats the door code",
        "• yesterday at 12:01, bob: 4471",
    ]
    assert [each["id"] for each in result.value["messages"]] == ["1", "2"]


async def test_results_are_worded_in_chinese(find, history, message):
    await history.record(replace(message, id="1", text="周四喝茶"))

    result = await find(language="zh", query="喝茶")

    assert result.text == "这个群里关于“喝茶”的消息：\n• 今天 12:00，ann：周四喝茶"


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": "tea", "limit": 0}, {"query": "tea", "chat": "x"}])
async def test_wrong_arguments_are_refused(find, arguments):
    result = await find(**arguments)

    assert not result.ok
