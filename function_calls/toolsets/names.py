"""Rename tools: names short enough for every model, and the same spec object every time."""

import hashlib
from typing import Final

from msgspec.structs import replace

from function_calls.tools.calls import ToolSpec

_LONGEST: Final = 64  # Source: https://platform.openai.com/docs/api-reference/chat/create (tools.function.name).
_DIGEST: Final = 8
_MOST_KEPT: Final = 4096


def joined_name(prefix: str, name: str) -> str:
    """Return `prefix_name`; one that is too long ends in a digest of itself, so that different names stay different."""
    whole = f"{prefix}_{name}"
    if len(whole) <= _LONGEST:
        return whole
    digest = hashlib.sha256(whole.encode()).hexdigest()[:_DIGEST]
    return f"{whole[: _LONGEST - _DIGEST - 1]}_{digest}"


class RenamedSpecs:
    """Specs under other names. Caches hold specs by identity, so the same spec and name give the same object."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, str], tuple[ToolSpec, ToolSpec]] = {}

    def get(self, spec: ToolSpec, name: str) -> ToolSpec:
        """Return `spec` under the name `name`."""
        if spec.name == name:
            return spec
        known = self._kept.get((id(spec), name))
        if known is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            # The original is kept beside it: an id names an object only while that lives.
            known = self._kept[id(spec), name] = (spec, replace(spec, name=name))
        return known[1]
