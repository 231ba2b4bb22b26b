import pytest
from msgspec.structs import replace

from function_calls.calls import ToolCall
from function_calls.history_search import history_search_tool
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter


class FakeSearch:
    def __init__(self, *messages):
        self.messages = messages
        self.asked = []

    async def search(self, chat, query, limit):
        self.asked.append((chat, query, limit))
        return self.messages[:limit]


@pytest.fixture
def search(message):
    earlier = [replace(message, id=f"e{place}", text=f"tea {place}") for place in range(3)]
    return FakeSearch(replace(message, text="where did we talk about tea?"), *earlier)


@pytest.fixture
def find(search, context):
    async def dispatch(**arguments):
        registry = Registry()
        registry.register(history_search_tool(search))
        call = ToolCall(id="1", name="history_search", arguments=arguments)
        return await FunctionCallRouter(registry).dispatch(call, context)

    return dispatch


async def test_earlier_messages_are_found_with_their_ids_times_and_people(find):
    result = await find(query="tea")

    assert result.value["messages"][0] == {"id": "e0", "when": "2026-11-20 12:00", "who": "ann", "text": "tea 0"}


async def test_the_question_itself_is_not_found(find):
    result = await find(query="tea", limit=2)

    assert [message["id"] for message in result.value["messages"]] == ["e0", "e1"]


async def test_only_the_chat_of_the_call_is_searched(find, search, context):
    await find(query="tea")

    assert search.asked[0][0] == context.chat


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": "tea", "limit": 0}, {"query": "tea", "chat": "x"}])
async def test_wrong_arguments_are_refused(find, search, arguments):
    result = await find(**arguments)

    assert not result.ok
    assert search.asked == []
