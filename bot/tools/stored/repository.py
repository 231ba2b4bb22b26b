"""Create, change, enable, share and delete stored tools."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace
from pydantic_core import to_jsonable_python

from function_calls.tools.validation.schema_validator import SchemaValidator
from function_calls.toolsets.stored.source import ParsedSource, SourceInvalid, read_source
from services.kernel.clock import Clock
from services.kernel.state import Json
from services.storage.tools import SqlStoredToolStore, StoredTool, ToolVersion

_ID: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")


class ToolIdTaken(ValueError):
    """Another tool has the id."""


class ToolUnknown(LookupError):
    """No tool has the id."""


class ValvesInvalid(ValueError):
    """The values do not fit the schema of the tool's valves."""


class ToolForm(Struct, frozen=True, kw_only=True):
    """A new tool, or a change of one.

    An empty `id` or `name` is taken from the source. `access` was checked by `check_access`; unset, a
    new tool is for everybody and a changed one keeps its rule. `owner` (`platform:id`) is used for new tools only, the
    author by default; an unset `is_enabled` stays.
    """

    content: str
    id: str = ""
    name: str = ""
    description: str = ""
    access: "Json | UnsetType" = UNSET
    owner: str = ""
    is_enabled: bool | UnsetType = UNSET


class StoredToolRepository:
    """Stores tools; their source is parsed and never run here."""

    def __init__(self, store: SqlStoredToolStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def all(self) -> tuple[StoredTool, ...]:
        """Return all tools, the oldest first."""
        return await self._store.all()

    async def get(self, tool_id: str) -> StoredTool:
        """Return a tool.

        Raises:
            ToolUnknown: no tool has the id.
        """
        found = await self._store.get(tool_id)
        if found is None:
            raise ToolUnknown(tool_id)
        return found

    async def create(self, form: ToolForm, author: str) -> StoredTool:
        """Store a new tool.

        Raises:
            SourceInvalid: the source cannot be parsed; names the line.
            ToolIdTaken: another tool has its id.
        """
        tool = await self._new(form, author)
        await self._store.save(tool, author)
        return tool

    async def update(self, tool_id: str, form: ToolForm, author: str) -> StoredTool:
        """Change a tool; its id, owner and valves, and values that `form` does not set, stay.

        The old source is stored as a version.

        Raises:
            SourceInvalid: the new source cannot be parsed; names the line.
            ToolUnknown: no tool has the id.
        """
        tool = self._with_form(await self.get(tool_id), form)
        await self._store.save(tool, author)
        return tool

    async def import_all(self, forms: Sequence[ToolForm], author: str) -> tuple[StoredTool, ...]:
        """Save exported tools and change those whose id exists; if one is invalid, nothing is saved.

        Raises:
            SourceInvalid: a source cannot be parsed; names the line.
            ToolIdTaken: two have the same id, or the id made for one is taken.
        """
        tools: dict[str, StoredTool] = {}
        for form in forms:
            before = await self._store.get(form.id) if form.id else None
            tool = await self._new(form, author) if before is None else self._with_form(before, form)
            if tool.id in tools:
                raise ToolIdTaken(tool.id)
            tools[tool.id] = tool
        for tool in tools.values():
            await self._store.save(tool, author)
        return tuple(tools.values())

    async def _new(self, form: ToolForm, author: str) -> StoredTool:
        source = read_source(form.content)
        tool_id = form.id or _id_of(form.name or source.meta.get("title", "") or source.functions[0].name)
        if not _ID.fullmatch(tool_id):
            raise SourceInvalid("the id of a tool is made of small letters, digits and _, at most 40")
        if await self._store.get(tool_id) is not None:
            raise ToolIdTaken(tool_id)
        now = self._clock.now()
        return StoredTool(
            id=tool_id,
            owner=form.owner or author,
            name=form.name or source.meta.get("title") or tool_id,
            content=form.content,
            specs=_specs(source),
            meta=_meta(source, form),
            access=None if form.access is UNSET else form.access,
            valves={},
            is_enabled=True if form.is_enabled is UNSET else form.is_enabled,
            version=1,
            created_at=now,
            updated_at=now,
        )

    def _with_form(self, before: StoredTool, form: ToolForm) -> StoredTool:
        source = read_source(form.content)
        return replace(
            before,
            name=form.name or before.name,
            content=form.content,
            specs=_specs(source),
            meta=_meta(source, form, before.description),
            access=before.access if form.access is UNSET else form.access,
            is_enabled=before.is_enabled if form.is_enabled is UNSET else form.is_enabled,
            version=before.version + (form.content != before.content),
            updated_at=self._clock.now(),
        )

    async def switch(self, tool_id: str, author: str, *, is_enabled: bool) -> StoredTool:
        """Enable or disable a tool."""
        return await self._change(tool_id, author, is_enabled=is_enabled)

    async def set_valves(self, tool_id: str, valves: Mapping[str, Json], author: str) -> StoredTool:
        """Set the valves of a tool.

        Raises:
            ValvesInvalid: the tool has no valves, or the values do not fit them.
        """
        schema = read_source((await self.get(tool_id)).content).valves
        if schema is None:
            raise ValvesInvalid("this tool has no settings")
        problems = SchemaValidator({**schema, "required": []}).validate(dict(valves))
        if problems:
            raise ValvesInvalid("; ".join(f"{each.pointer}: {each.message}" for each in problems))
        return await self._change(tool_id, author, valves=dict(valves))

    async def remove(self, tool_id: str) -> None:
        """Delete a tool with its versions.

        Raises:
            ToolUnknown: no tool has the id.
        """
        if not await self._store.remove(tool_id):
            raise ToolUnknown(tool_id)

    async def versions(self, tool_id: str) -> tuple[ToolVersion, ...]:
        """Return all versions of a tool's source, the latest first."""
        return await self._store.versions(tool_id)

    async def _change(self, tool_id: str, author: str, **changes: object) -> StoredTool:
        tool = replace(await self.get(tool_id), updated_at=self._clock.now(), **changes)
        await self._store.save(tool, author)
        return tool


def _id_of(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40]
    return plain if plain[:1].isalpha() else f"tool_{plain}"[:40].rstrip("_")


def _specs(source: ParsedSource) -> Json:
    listed = [
        {"name": each.name, "description": each.description, "parameters": each.parameters} for each in source.functions
    ]
    specs: Json = to_jsonable_python(listed, fallback=str)
    return specs


def _meta(source: ParsedSource, form: ToolForm, before: str = "") -> Json:
    manifest: dict[str, Json] = {name: text for name, text in source.meta.items()}  # noqa: C416 - to the wider type
    return {"description": form.description or source.meta.get("description") or before, "manifest": manifest}
