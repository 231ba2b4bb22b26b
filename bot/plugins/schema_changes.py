"""Compare the function schemas of two versions of a plugin."""

import json
from collections.abc import Iterable, Iterator, Mapping

from function_calls.tools.calls import ToolSpec


def schema_changes(before: Iterable[ToolSpec], after: Iterable[ToolSpec]) -> list[str]:
    """Return a line for each function that came, went or takes other arguments now."""
    old, new = {spec.name: spec for spec in before}, {spec.name: spec for spec in after}
    lines = [f"+ {name}" for name in new if name not in old]
    lines += [f"- {name}" for name in old if name not in new]
    both = [(old[name], spec) for name, spec in new.items() if name in old]
    return lines + [f"~ {spec.name}: {change}" for was, spec in both for change in _changes(was, spec)]


def _changes(old: ToolSpec, new: ToolSpec) -> Iterator[str]:
    if old.description != new.description:
        yield "description"
    before, after = _parameters(old), _parameters(new)
    yield from (f"+ {key} {_to_json(after[key])}" for key in after if key not in before)
    yield from (f"- {key}" for key in before if key not in after)
    for key in after:
        if key in before and before[key] != after[key]:
            yield f"{key} {_to_json(before[key])} -> {_to_json(after[key])}"
    if old.parameters.get("required", []) != new.parameters.get("required", []):
        yield f"required {_to_json(new.parameters.get('required', []))}"


def _parameters(spec: ToolSpec) -> Mapping[str, object]:
    found = spec.parameters.get("properties", {})
    return found if isinstance(found, Mapping) else {}


def _to_json(schema: object) -> str:
    return json.dumps(schema, ensure_ascii=False)
