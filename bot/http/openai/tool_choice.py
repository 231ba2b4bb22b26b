"""Apply `tool_choice` of a completion: the tools offered, and if one must be called.

Source: https://platform.openai.com/docs/api-reference/chat/create#chat-create-tool_choice
"""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct
from pydantic import JsonValue

from bot.http.core.errors import HttpRefused
from function_calls.tools.calls import ToolSpec

_MODES: Final = ("none", "auto", "required")


class ToolChoice(Struct, frozen=True, kw_only=True):
    """The choice of a client; `name` is the one tool that a named choice demands."""

    mode: Literal["none", "auto", "required"] = "auto"
    name: str = ""

    @property
    def for_model(self) -> str | dict[str, object] | None:
        """The choice as a turn carries it and a model is asked; None for `auto`."""
        if self.name:
            return {"type": "function", "function": {"name": self.name}}
        return None if self.mode == "auto" else self.mode

    def offered(self, client: Sequence[ToolSpec], own: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
        """Return the tools to offer: the client's before those of the bot, none, or the client's that must be called.

        A demanded call is one that the client can read in the answer, so the bot's own tools cannot be it.
        """
        if self.mode == "none":
            return ()
        if self.mode == "required":
            return tuple(spec for spec in client if self.name in ("", spec.name))
        names = {spec.name for spec in client}
        return (*client, *(spec for spec in own if spec.name not in names))


def tool_choice_of(written: JsonValue, client: Sequence[ToolSpec]) -> ToolChoice:
    """Read `tool_choice` for a request that brings the tools `client`.

    Raises:
        HttpRefused: it has another form, or demands a tool that the request does not bring (422).
    """
    if written is None:
        return ToolChoice()
    if written in ("none", "auto"):
        return ToolChoice(mode="none" if written == "none" else "auto")
    if written == "required":
        if not client:
            raise _invalid("required needs tools")
        return ToolChoice(mode="required")
    function = written.get("function") if isinstance(written, dict) and written.get("type") == "function" else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(name, str):
        raise _invalid(f'it is {", ".join(_MODES)} or {{"type": "function", "function": {{"name": …}}}}')
    if name not in {spec.name for spec in client}:
        raise _invalid(f"tools has no function {name[:64]}")
    return ToolChoice(mode="required", name=name)


def _invalid(why: str) -> HttpRefused:
    return HttpRefused(422, "tool_choice_invalid", problems={"tool_choice": why}, why=why)
