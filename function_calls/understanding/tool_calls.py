"""Make calls, with the arguments that a tool's schema knows."""

from collections.abc import Mapping

from function_calls.tools.calls import ToolCall, ToolSpec, Turn

NO_CALL = ToolCall(id="", name="", arguments={})
"""Stands for the last call where none was made."""


class CallMaker:
    """Makes the calls of one turn, numbered in order, so that the same message always gives the same ids."""

    def __init__(self, turn: Turn) -> None:
        self._message_id = turn.message.id
        self._tools = {tool.name: tool for tool in turn.tools}
        self._made = 0

    def offers(self, name: str) -> bool:
        """Return whether the turn has a tool called `name`."""
        return name in self._tools

    def call(self, name: str, arguments: Mapping[str, object]) -> ToolCall:
        """Make a call of `name` with those of `arguments` that have a value and that the schema of the tool has."""
        known = _properties(self._tools[name])
        self._made += 1
        chosen = {key: value for key, value in arguments.items() if key in known and value not in (None, "")}
        return ToolCall(id=f"offline-{self._message_id}-{self._made}", name=name, arguments=chosen)


def _properties(tool: ToolSpec) -> Mapping[str, object]:
    """Return the arguments that a tool takes, by name; empty where its schema has none."""
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, Mapping) else {}
