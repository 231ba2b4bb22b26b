"""Define a source of tools with a name, its health, and an access rule."""

from collections.abc import Callable, Collection
from typing import Literal

from msgspec import Struct, field

from function_calls.tools.calls import ToolSpec
from function_calls.tools.permission import Viewer
from function_calls.tools.toolset import Toolset
from function_calls.toolsets.access import Access
from function_calls.toolsets.filtered import FilteredToolset

SourceKind = Literal["local", "openapi", "mcp", "python", "direct", "plugin"]


class Health(Struct, frozen=True, kw_only=True):
    """The health of a source; `detail` says what is wrong, or what it is.

    `is_final` says that it stays as it is until the settings are changed.
    """

    is_ok: bool = True
    detail: str = ""
    is_final: bool = False


def _well() -> Health:
    return Health()


class ToolSource(Struct, frozen=True, kw_only=True):
    """One source of tools. `label` is what its tools are prefixed with where names clash."""

    label: str
    kind: SourceKind
    toolset: Toolset
    title: str = ""
    access: Access = field(default_factory=Access)
    health: Callable[[], Health] = _well

    def guarded(self, owners: Collection[str] = ()) -> Toolset:
        """Its tools for those who may use them; hidden is also uncallable."""

        def keep(spec: ToolSpec, viewer: Viewer) -> bool:
            del spec
            return self.access.admits(viewer, owners)

        return FilteredToolset(self.toolset, keep)
