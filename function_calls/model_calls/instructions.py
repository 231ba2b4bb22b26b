"""Build the fixed system text of every conversation."""

from function_calls.model_calls.prompts import fill, has_variables, prompt, variables_of
from function_calls.model_calls.transcript import Message, conversation, current
from function_calls.tools.calls import Turn


class Instructions:
    """The system text of a bot, and the operator's additions to it.

    Additions that name a variable of the specification (`{{USER_NAME}}`, `{{CURRENT_DATE}}` …) differ from message to
    message; they go to the end of the conversation so that the beginning stays the same for prompt caches.
    """

    def __init__(self, additions: str = "") -> None:
        varies = has_variables(additions)
        self._fixed = "" if varies else additions.strip()
        self._varying = additions.strip() if varies else ""
        self._systems: dict[str, str] = {}

    def system(self, bot_name: str) -> str:
        """Return the system text of the bot called `bot_name`."""
        found = self._systems.get(bot_name)
        if found is None:
            text = fill(prompt("system"), {"BOT_NAME": bot_name})
            found = self._systems[bot_name] = f"{text}\n\n{self._fixed}".rstrip()
        return found

    def conversation(self, turn: Turn, *, appended: str = "") -> list[Message]:
        """Return system text, history and this message with its circumstances; `appended` goes to the very end."""
        return conversation(turn, self.system(turn.bot_name), self.said(turn) + appended)

    def said(self, turn: Turn) -> str:
        """Return this message with the operator's varying additions and its circumstances."""
        if not self._varying:
            return current(turn)
        return f"{current(turn)}\n\n{fill(self._varying, variables_of(turn))}"
