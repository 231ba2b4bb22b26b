"""The function `web_fetch`: page texts as untrusted data, and refusals with a reason."""

import pytest
from msgspec.structs import replace

from function_calls.functions import web
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.context import Services
from services.history.service import HistoryService
from services.search.model import PageUnavailable
from services.search.web_pages.service import WebPage, WebPageService
from tests.support.stores.messages import MemoryMessageStore


class FakePages(WebPageService):
    async def fetch(self, url):
        if "inside" in url:
            raise PageUnavailable("address", "not a public address")
        return WebPage(url=url, title="Tea", text="green " * 1000)


@pytest.fixture
def fetch(context_of):
    async def dispatch(url, language="en", requested_tools=None, shown="", **message):
        registry = Registry(injectable=(HistoryService, WebPageService))
        registry.collect(web)
        services = Services(FakePages(), HistoryService(MemoryMessageStore()))
        context = replace(context_of(**message), services=services, language=language, requested_tools=requested_tools)
        context = replace(context, has_shown=lambda text: text in shown)
        return await FunctionCallRouter(registry).dispatch(
            ToolCall(id="1", name="web_fetch", arguments={"url": url}), context
        )

    return dispatch


async def test_page_is_shortened_and_marked_untrusted(fetch):
    result = await fetch("https://tea.test/")

    assert result.text.startswith("Tea – https://tea.test/\ngreen green")
    assert len(result.text) < 1600 < len(result.value["text"])
    assert result.is_untrusted


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I could not read http://inside/: that is not the address of a public web page."),
        ("zh", "读不了 http://inside/：这不是公开网页的地址。"),
    ],
)
async def test_unreadable_page_is_reported_with_its_reason(fetch, language, text):
    result = await fetch("http://inside/", language)

    assert not result.ok
    assert result.text == text


@pytest.mark.parametrize(
    ("requested_tools", "shown", "is_read"),
    [
        (None, "", True),
        (frozenset(), "see https://tea.test/a?b=1 for more", True),
        (frozenset(), "see tea.test/a?b=1 for more", True),
        (frozenset({"web_fetch"}), "see https://tea.test/a?b= for more", False),
    ],
    ids=["nothing of others was read", "the address was read", "without its scheme", "the address was made up"],
)
async def test_invented_address_in_untrusted_text_is_not_fetched(fetch, requested_tools, shown, is_read):
    result = await fetch("https://tea.test/a?b=1", requested_tools=requested_tools, shown=shown)

    assert result.ok is is_read


async def test_talk_between_people_fetches_nothing(fetch):
    assert (await fetch("the milk", is_addressed=False)).ending == "answered"
