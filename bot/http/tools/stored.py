"""`/api/tools`: create, change and delete the Python tools in the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from msgspec import UNSET
from msgspec.structs import replace
from pydantic import Field, JsonValue

from bot.http.core.bodies import Answer, Body, Done
from bot.http.core.context import Context, HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.security.auth import AdminViewer, ApiViewer, needs
from bot.tools.stored.repository import StoredToolRepository, ToolForm, ToolIdTaken, ToolUnknown, ValvesInvalid
from function_calls.toolsets.source import AccessInvalid, check_access
from function_calls.toolsets.stored.source import MAX_SOURCE_LENGTH, SourceInvalid, read_source

TOOL_ID = Annotated[str, Path(pattern=r"^[a-z][a-z0-9_]{0,39}$", examples=["weather"])]
_ACCESS = (
    "null: everybody; {}: the owner and admins; {read: {user_ids: [platform:id], group_ids: [platform:id of a chat]}}. "
    "By default a new tool is for everybody, and a changed one keeps its rule."
)

routes = APIRouter(prefix="/api/tools", tags=["tools"])
_ADMIN = [Depends(needs("admin"))]


class ToolFormBody(Body):
    """A Python tool: a class `Tools`, or functions under `@tool_function`."""

    content: str = Field(min_length=1, max_length=MAX_SOURCE_LENGTH, description="The source; it is parsed, not run.")
    id: str = Field("", max_length=40)
    name: str = Field("", max_length=200)
    meta: dict[str, JsonValue] = Field(default_factory=dict, description="`description` for the list.")
    access_control: JsonValue = Field(None, description=_ACCESS)

    def form(self) -> ToolForm:
        """Convert the body for the repository.

        Raises:
            AccessInvalid: `access_control` is invalid.
        """
        check_access(self.access_control)
        description = self.meta.get("description")
        return ToolForm(
            content=self.content,
            id=self.id,
            name=self.name,
            description=description if isinstance(description, str) else "",
            access=self.access_control if "access_control" in self.model_fields_set else UNSET,
        )


class ImportedToolBody(ToolFormBody):
    """An exported tool; `specs`, `version` and times are ignored."""

    user_id: str = Field("", max_length=200, description="The owner of a new tool; by default you.")
    is_enabled: bool | None = None
    specs: JsonValue = None
    version: JsonValue = None
    created_at: JsonValue = None
    updated_at: JsonValue = None

    def form(self) -> ToolForm:
        """Convert the body for the repository, with its owner and state.

        Raises:
            AccessInvalid: `access_control` is invalid.
        """
        is_enabled = UNSET if self.is_enabled is None else self.is_enabled
        return replace(super().form(), owner=self.user_id, is_enabled=is_enabled)


class StoredToolBody(Answer):
    """A stored tool."""

    id: str
    user_id: str = Field(validation_alias="owner")
    name: str
    content: str
    specs: JsonValue
    meta: JsonValue
    access_control: JsonValue = Field(validation_alias="access")
    is_enabled: bool
    version: int
    created_at: datetime
    updated_at: datetime


class StoredToolList(Answer):
    """Tools with their source."""

    tools: list[StoredToolBody]


class ImportBody(Body):
    """Exported tools; existing tools with the same id are changed."""

    tools: list[ImportedToolBody] = Field(max_length=200)


class VersionEntry(Answer):
    """A version of the source of a tool."""

    version: int
    content: str
    author: str
    saved_at: datetime


class VersionList(Answer):
    """All versions, the latest first."""

    versions: list[VersionEntry]


class ValvesBody(Answer):
    """The JSON Schema of a tool's valves, and their values."""

    spec: JsonValue
    valves: JsonValue


class EnabledBody(Body):
    """The new state of a tool."""

    is_enabled: bool


@routes.post("/create")
async def create(body: ToolFormBody, context: Context, viewer: AdminViewer) -> StoredToolBody:
    """Store a Python tool. Its source is parsed, and run only by calls, in a separate process."""
    with _open_repository(context) as repository:
        return StoredToolBody.model_validate(await repository.create(body.form(), _author(viewer)))


@routes.get("/export", dependencies=_ADMIN)
async def export(context: Context) -> StoredToolList:
    """Export all Python tools with their source, without their valves, which may be secret."""
    with _open_repository(context) as repository:
        return StoredToolList(tools=[StoredToolBody.model_validate(each) for each in await repository.all()])


@routes.post("/import")
async def import_tools(body: ImportBody, context: Context, viewer: AdminViewer) -> StoredToolList:
    """Save all tools of an export, or none if one of them is invalid."""
    with _open_repository(context) as repository:
        saved = await repository.import_all([each.form() for each in body.tools], _author(viewer))
        return StoredToolList(tools=[StoredToolBody.model_validate(each) for each in saved])


@routes.get("/id/{tool_id}", dependencies=_ADMIN)
async def get(tool_id: TOOL_ID, context: Context) -> StoredToolBody:
    """Return one Python tool with its source."""
    with _open_repository(context) as repository:
        return StoredToolBody.model_validate(await repository.get(tool_id))


@routes.post("/id/{tool_id}/update")
async def update(tool_id: TOOL_ID, body: ToolFormBody, context: Context, viewer: AdminViewer) -> StoredToolBody:
    """Change a Python tool; the old source is stored as a version, and `access_control` stays by default."""
    with _open_repository(context) as repository:
        return StoredToolBody.model_validate(await repository.update(tool_id, body.form(), _author(viewer)))


@routes.post("/id/{tool_id}/toggle")
async def toggle(tool_id: TOOL_ID, body: EnabledBody, context: Context, viewer: AdminViewer) -> StoredToolBody:
    """Enable or disable a Python tool."""
    with _open_repository(context) as repository:
        return StoredToolBody.model_validate(
            await repository.switch(tool_id, _author(viewer), is_enabled=body.is_enabled)
        )


@routes.delete("/id/{tool_id}/delete", dependencies=_ADMIN)
async def delete(tool_id: TOOL_ID, context: Context) -> Done:
    """Delete a Python tool with its versions."""
    with _open_repository(context) as repository:
        await repository.remove(tool_id)
        return Done()


@routes.get("/id/{tool_id}/versions", dependencies=_ADMIN)
async def versions(tool_id: TOOL_ID, context: Context) -> VersionList:
    """Return the versions of the source of a Python tool."""
    with _open_repository(context) as repository:
        await repository.get(tool_id)
        listed = await repository.versions(tool_id)
    return VersionList(versions=[VersionEntry.model_validate(each) for each in listed])


@routes.get("/id/{tool_id}/valves", dependencies=_ADMIN)
async def valves(tool_id: TOOL_ID, context: Context) -> ValvesBody:
    """Return the valves of a Python tool."""
    with _open_repository(context) as repository:
        tool = await repository.get(tool_id)
        return ValvesBody.model_validate({"spec": read_source(tool.content).valves, "valves": tool.valves})


@routes.post("/id/{tool_id}/valves/update")
async def set_valves(tool_id: TOOL_ID, body: dict[str, JsonValue], context: Context, viewer: AdminViewer) -> ValvesBody:
    """Set the valves of a Python tool."""
    with _open_repository(context) as repository:
        tool = await repository.set_valves(tool_id, body, _author(viewer))
        return ValvesBody.model_validate({"spec": read_source(tool.content).valves, "valves": tool.valves})


@contextmanager
def _open_repository(context: HttpContext) -> Iterator[StoredToolRepository]:
    """Yield the repository if Python tools are on; convert its errors, and clear the cache of tools afterwards."""
    tools = context.app.tools
    if tools.repository is None or tools.stored is None:
        raise HttpRefused(403, "python_tools_off")
    try:
        yield tools.repository
    except ToolUnknown as error:
        raise HttpRefused(404, "stored_tool_unknown", tool=error) from error
    except ToolIdTaken as error:
        raise HttpRefused(409, "stored_tool_taken", tool=error) from error
    except SourceInvalid as error:
        raise HttpRefused(422, "source_invalid", problems={"content": str(error)}, why=error) from error
    except AccessInvalid as error:
        raise HttpRefused(422, "access_invalid", problems={"access_control": str(error)}, why=error) from error
    except ValvesInvalid as error:
        raise HttpRefused(422, "valves_invalid", why=error) from error
    finally:
        tools.stored.clear_cache()


def _author(viewer: ApiViewer) -> str:
    return f"web:{viewer.person.id}"
