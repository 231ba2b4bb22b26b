"""Search the web, and format the answer with its numbered sources."""

from msgspec.structs import asdict

from function_calls.language.messages import outage, say
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused
from services.search.model import SearchUnavailable
from services.search.service import SearchService


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
        lines = (say(ctx.language, f"refused.{refusal.code}"), say(ctx.language, "search.set_up"))
        return ToolResult.refused(refusal.code, "\n".join(lines))
    except SearchUnavailable as failure:
        attempts = [{"engine": engine, "reason": outage(reason)} for engine, reason in failure.attempts]
        tried = ", ".join(say(ctx.language, "outage.of_engine", **each) for each in attempts)
        text = say(ctx.language, "search.unavailable", tried=tried)
        return ToolResult.failed(str(failure), text=text, cause="search_unavailable")
    value = {"answer": answer.text, "sources": [asdict(source) for source in answer.sources], "engine": answer.engine}
    if answer.is_already_answered and ctx.on_text is None:  # the listener received a part of this answer
        return ToolResult(ok=True, value=value, is_answered=True)
    if answer.is_empty:
        return ToolResult(ok=True, value=value, text=say(ctx.language, "search.nothing", query=query))
    sources = [
        say(ctx.language, "search.source", number=number, title=source.title or source.url, url=source.url)
        for number, source in enumerate(answer.sources, start=1)
    ]
    return ToolResult(ok=True, text="\n".join([answer.text, *sources]), value=value)
