"""`/api/summary` and `/api/search`: summarise a room and search the web."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from msgspec.structs import replace
from pydantic import Field

from bot.http.core.bodies import Answer, Body
from bot.http.core.context import Context
from bot.http.rooms.calls import Caller, call_tool, caller_with, create_turn, require_success
from bot.http.rooms.memberships import admit

routes = APIRouter(prefix="/api", tags=["search"])


class SummaryBody(Body):
    """The messages to summarise; without fields the recent ones."""

    window: str | None = Field(
        None, max_length=200, examples=["today"], description="A time in words: `since noon`, 今天."
    )
    topic: str | None = Field(None, max_length=200)
    person: str | None = Field(None, max_length=100)


class BulletBody(Answer):
    """A point with the ids of its messages."""

    text: str
    message_ids: list[str]


class SummaryAnswer(Answer):
    """A summary as text and as points."""

    text: str
    bullets: list[BulletBody]


class SearchBody(Body):
    """A query for the web."""

    query: str = Field(min_length=1, max_length=500, examples=["When does the sun set in Oslo in June?"])
    language: Literal["en", "zh", "es"] | None = None


class SourceBody(Answer):
    """A page that the answer cites; [1] in the text is the first one."""

    title: str
    url: str
    snippet: str


class SearchResult(Answer):
    """An answer with its sources; both are untrusted."""

    text: str
    sources: list[SourceBody]
    engine: str


@routes.post("/summary")
async def summary(
    body: SummaryBody, context: Context, caller: Annotated[Caller, Depends(caller_with("chat"))]
) -> SummaryAnswer:
    """Summarise the messages of a room; it counts as a message there."""
    turn = await create_turn(context, caller)
    admit(context, turn.message.address, turn.message.sender.id)
    result = require_success(await call_tool(context, turn, "summary", body.model_dump(exclude_none=True)))
    value = result.value if isinstance(result.value, dict) else {}
    bullets = [BulletBody.model_validate(each) for each in value.get("bullets", ())]
    return SummaryAnswer(text=result.text, bullets=bullets)


@routes.post("/search")
async def search(
    body: SearchBody, context: Context, caller: Annotated[Caller, Depends(caller_with("search"))]
) -> SearchResult:
    """Search the web through the configured engines; it is recorded and counts as a message in the room."""
    turn = await create_turn(context, caller)
    admit(context, turn.message.address, turn.message.sender.id)
    turn = replace(turn, language=body.language or turn.language)
    result = require_success(await call_tool(context, turn, "perplexity_search", {"query": body.query}))
    value = result.value if isinstance(result.value, dict) else {}
    sources = [SourceBody.model_validate(each) for each in value.get("sources", ())]
    return SearchResult(text=str(value.get("answer", "")), sources=sources, engine=str(value.get("engine", "")))
