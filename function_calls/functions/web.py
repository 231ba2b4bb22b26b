"""Search the web, and fetch web pages as text."""

from msgspec.structs import asdict
from pydantic import Field

from function_calls.language.messages import outage, say
from function_calls.language.recognized_phrases import examples_of
from function_calls.models import Arguments
from function_calls.registry import tool_function
from function_calls.tools.calls import SILENT, ToolResult
from function_calls.tools.context import CallContext, is_for_bot
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.kernel.text import shorten
from services.search.model import PageUnavailable, SearchUnavailable
from services.search.service import SearchService, shorten_query
from services.search.web_pages.service import WebPageService

_MAX_SHOWN_LENGTH = 1_500
_MAX_MODEL_TEXT_LENGTH = 12_000


async def search_web(query: str, ctx: CallContext, search: SearchService) -> ToolResult:
    """Return the answer to `query`; an answer that the engine streamed to the chat is not repeated.

    Raises:
        RequestRefused: no engine is configured, and the person cannot change that.
    """
    try:
        answer = await search.search(query, ctx.language, on_text=ctx.on_text)
    except RequestRefused as refusal:
        if refusal.code != "search_not_configured" or not ctx.sender.is_admin:
            raise
        lines = (say(ctx.language, f"refused.{refusal.code}", **refusal.fields), say(ctx.language, "search.set_up"))
        return ToolResult.refused(refusal.code, "\n".join(lines))
    except SearchUnavailable as failure:
        attempts = [{"engine": engine, "reason": outage(reason)} for engine, reason in failure.attempts]
        tried = ", ".join(say(ctx.language, "outage.of_engine", **each) for each in attempts)
        text = say(ctx.language, "search.unavailable", tried=tried)
        return ToolResult.failed(str(failure), text=text, cause="search_unavailable")
    value = {"answer": answer.text, "sources": [asdict(source) for source in answer.sources], "engine": answer.engine}
    if answer.is_already_answered and ctx.on_text is None:  # the listener received a part of this answer
        return ToolResult(ok=True, value=value, ending="answered")
    if answer.is_empty:
        return ToolResult(ok=True, value=value, text=say(ctx.language, "search.nothing", query=shorten_query(query)))
    sources = [
        say(ctx.language, "search.source", number=number, title=source.title or source.url, url=source.url)
        for number, source in enumerate(answer.sources, start=1)
    ]
    return ToolResult(ok=True, text="\n".join([answer.text, *sources]), value=value)


class WebFetchArgs(Arguments):
    """Arguments of `web_fetch`."""

    url: str = Field(min_length=4, max_length=2_000, description="网页地址 / the address of the page (http or https)")


@tool_function(name="web_fetch", timeout=40, returns_untrusted=True, examples=examples_of("web_fetch"))
async def web_fetch(args: WebFetchArgs, ctx: CallContext, pages: WebPageService, history: HistoryService) -> ToolResult:
    """读取网页 / Read one page of the web as text. For questions without an address search instead."""
    if "://" not in args.url and not await is_for_bot(ctx, history):
        return SILENT
    try:
        _check_origin(args.url, ctx)
        page = await pages.fetch(args.url)
    except PageUnavailable as failure:
        why = say(ctx.language, f"page.{failure.reason}", detail=failure.detail)
        return ToolResult.failed(str(failure), text=say(ctx.language, "page.unavailable", url=args.url, why=why))
    shown = shorten(page.text, _MAX_SHOWN_LENGTH)
    text = say(ctx.language, "page.text", title=page.title or page.url, url=page.url, text=shown)
    is_cut = page.is_cut or len(page.text) > _MAX_MODEL_TEXT_LENGTH
    value = {"url": page.url, "title": page.title, "text": page.text[:_MAX_MODEL_TEXT_LENGTH], "is_cut": is_cut}
    return ToolResult(ok=True, text=text, value=value)


def _check_origin(url: str, ctx: CallContext) -> None:
    """Refuse URLs that a model composed, because untrusted text could use them to leak the conversation.

    Raises:
        PageUnavailable: `made_up`.
    """
    if ctx.requested_tools is not None and not ctx.has_shown(url.partition("://")[2] or url):
        raise PageUnavailable(
            "made_up", "only addresses that stand in the conversation or in a result can be opened now"
        )
