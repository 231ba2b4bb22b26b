"""Convert a turn to chat-completions messages: history, calls and results.

For prompt caches, the beginning of the conversation stays the same: the system text of a bot is constant, the history
follows, and time, sender, zone and language are at the end of the last user message.
"""

import json
from collections.abc import Mapping, Sequence

from function_calls.model_calls.prompts import fill, has_variables, one_line, prompt, variables_of
from function_calls.tools.calls import Step, ToolCall, ToolResult, Turn
from function_calls.tools.validation.json_values import to_json
from services.kernel.chat import ChatMessage, SentFile

Message = dict[str, object]

HISTORY_MESSAGES = 12
MAX_RESULT_LENGTH = 16_000
"""The limit of characters of a result for a model; the record has the whole."""
_MAX_LINE_LENGTH = 500
_CHAT_INSTRUCTIONS = "Instructions for this chat, by its admins; the rules above go before them:\n"
_CHAT_ROLES = frozenset({"user", "assistant"})


def history(turn: Turn, limit: int = HISTORY_MESSAGES) -> list[Message]:
    """Return the messages before this one, oldest first, the bot's own as `assistant`.

    Adjacent messages of one role are joined and the first is a user's, because many chat templates require
    alternating roles.
    """
    joined: list[Message] = []
    for role, line in previous_messages(turn, limit):
        if joined and joined[-1]["role"] == role:
            joined[-1]["content"] = f"{joined[-1]['content']}\n{line}"
        elif joined or role == "user":
            joined.append({"role": role, "content": line})
    return joined


def previous_messages(turn: Turn, limit: int) -> list[tuple[str, str]]:
    """Return the last `limit` messages before this one as role and text, oldest first.

    Texts of people begin with their name, except in the conversation of a client, which is unchanged.
    """
    if turn.client_messages is not None:
        messages = [
            message for message in turn.client_messages if message["role"] in _CHAT_ROLES and message.get("content")
        ]
        return [(str(message["role"]), str(message["content"])) for message in messages[-limit:]] if limit else []
    recent = turn.recent[-limit:] if limit else ()
    return [(_role(message, turn), _line(message, turn)) for message in recent if message.text]


def user_message(turn: Turn) -> str:
    """Return this message, followed by its circumstances unless it is from a program."""
    text = "\n".join([turn.message.text, *_attachments(turn.message)])
    return text if turn.is_from_program else f"{text}\n\n{circumstances(turn)}"


def circumstances(turn: Turn) -> str:
    """Return the sender, the chat and the time of the message as text."""
    return fill(prompt("context"), variables_of(turn))


def conversation(turn: Turn, system: str, user_content: str) -> list[Message]:
    """Return system text, history, and `user_content` as the last user message, with alternating roles.

    The history of a client is unchanged, except that system messages at its beginning are joined to the system text,
    because many chat templates accept only one.
    """
    if turn.client_messages is not None:
        own, before = _split_system(turn.client_messages)
        return [*_system("\n\n".join([system, *own])), *before, {"role": "user", "content": user_content}]
    before = history(turn)
    if before and before[-1]["role"] == "user":
        user_content = f"[earlier]\n{before.pop()['content']}\n\n[message]\n{user_content}"
    return [*_system(system), *before, {"role": "user", "content": user_content}]


def _system(text: str) -> list[Message]:
    return [{"role": "system", "content": text}] if text else []


def _split_system(messages: Sequence[Mapping[str, object]]) -> tuple[list[str], list[Message]]:
    """Return the texts of the system messages at the beginning, and all other messages."""
    count = next((place for place, message in enumerate(messages) if message["role"] != "system"), len(messages))
    return [str(message["content"]) for message in messages[:count]], [dict(message) for message in messages[count:]]


def round_messages(steps: Sequence[Step]) -> list[Message]:
    """Return the calls and results of this turn as `assistant` and `tool` messages."""
    messages: list[Message] = []
    for step in steps:
        if not step.calls:
            messages.append({"role": "assistant", "content": step.text})
            continue
        messages.append(assistant_calls(step.text, [(call.id, call.name, arguments_text(call)) for call in step.calls]))
        messages += [
            tool_message(call.id, call.name, _content(result))
            for call, result in zip(step.calls, step.results, strict=True)
        ]
    return messages


def assistant_calls(text: str, calls: Sequence[tuple[str, str, str]]) -> Message:
    """Return an assistant's message with calls, each as id, name and arguments in JSON."""
    listed = [
        {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}
        for identity, name, arguments in calls
    ]
    return {"role": "assistant", "content": text or None, "tool_calls": listed}


def _content(result: ToolResult) -> str:
    if result.is_wrapped and isinstance(result.value, str):
        return json.dumps({"result": shorten_result(result.value)}, ensure_ascii=False)
    return shorten_result(result_text(result))


def tool_message(call_id: str, name: str, content: str) -> Message:
    """Return the message with the result of a call."""
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": content}


def arguments_text(call: ToolCall) -> str:
    """Return the arguments as JSON text."""
    return json.dumps(call.arguments, ensure_ascii=False, default=str)


def result_text(result: ToolResult, *, indent: int | None = None) -> str:
    """Return a result for the model: text unchanged, other values as JSON, a failure as `{"error": …}`."""
    if not result.ok:
        return json.dumps({"error": result.error or result.text or "failed"}, ensure_ascii=False)
    value = result.for_model()
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, default=to_json, indent=indent)
    return "\n".join([*([value] if value else []), *map(_file_note, result.files)]) or "done"


def was_shown(turn: Turn, text: str) -> bool:
    """Return whether the message, an earlier one or a result has `text`, so that the model did not compose it."""
    results = (result_text(result) for step in turn.steps for result in step.results)
    return any(text in shown for shown in (turn.message.text, *(earlier.text for earlier in turn.recent), *results))


def shorten_result(text: str) -> str:
    """Shorten a long result to its beginning and end, with the number of omitted characters."""
    if len(text) <= MAX_RESULT_LENGTH:
        return text
    head, tail = MAX_RESULT_LENGTH * 3 // 4, MAX_RESULT_LENGTH // 4
    note = f"[… {len(text) - head - tail} of {len(text)} characters are left out here; ask for less at a time …]"
    return f"{text[:head]}\n{note}\n{text[-tail:]}"


def _file_note(file: SentFile) -> str:
    return f"[The person is sent {one_line(file.name)}: {one_line(file.media_type)}, {file.kilobytes} kB]"


def _role(message: ChatMessage, turn: Turn) -> str:
    return "assistant" if message.sender.is_bot and message.sender.name == turn.bot_name else "user"


def _line(message: ChatMessage, turn: Turn) -> str:
    text = message.text[:_MAX_LINE_LENGTH]
    if _role(message, turn) == "assistant":
        return text
    indented = "\n  ".join(text.splitlines())  # so that no line looks like another message
    return f"{one_line(message.sender.name)}: {indented}"


def _attachments(message: ChatMessage) -> list[str]:
    return [
        f"[attached {one_line(attachment.kind)}: {one_line(attachment.description)}]"
        for attachment in message.attachments
    ]


class Instructions:
    """The system text of a bot or an agent, by default that of a bot in a group chat, and additions to it.

    Additions with variables of the specification (`{{USER_NAME}}`, `{{CURRENT_DATE}}` …) differ between messages. They
    are at the end of the conversation, so that the beginning stays the same for prompt caches.

    `without_tools` is added to requests without tools. In the call style `prompt`, `tools_prompt` is the template with
    `{{TOOLS}}` for the choice, and `task_model` the model of the same server for it; empty ones are the defaults.
    """

    def __init__(
        self,
        additions: str = "",
        *,
        system: str | None = None,
        without_tools: str = "",
        tools_prompt: str = "",
        task_model: str = "",
    ) -> None:
        self._without_tools = without_tools
        self.tools_prompt = tools_prompt or prompt("tools")
        self.task_model = task_model
        self.is_of_agent = system is not None
        self._template = prompt("system") if system is None else system
        varies = has_variables(additions)
        self._fixed = "" if varies else additions.strip()
        self._varying = additions.strip() if varies else ""
        self._systems: dict[str, str] = {}

    def system(self, bot_name: str) -> str:
        """Return the system text of the bot called `bot_name`."""
        found = self._systems.get(bot_name)
        if found is None:
            text = fill(self._template, {"BOT_NAME": bot_name})
            found = self._systems[bot_name] = f"{text}\n\n{self._fixed}".strip()
        return found

    def conversation(self, turn: Turn, *, appended: str = "", further: str = "") -> list[Message]:
        """Return system text, history and this message with its circumstances.

        `appended` is added at the end, `further` to the system text before the instructions of the chat.
        """
        own = f"{_CHAT_INSTRUCTIONS}{turn.instructions}" if turn.instructions and not self.is_of_agent else ""
        system = "\n\n".join(filter(None, [self.system(turn.bot_name), further, own]))
        return conversation(turn, system, self.user_content(turn) + appended)

    def conversation_without_tools(self, turn: Turn, *, appended: str = "") -> list[Message]:
        """Return the conversation for a request without tools."""
        return self.conversation(turn, appended=appended, further=self._without_tools)

    def user_content(self, turn: Turn) -> str:
        """Return this message with its circumstances and the additions with variables."""
        if not self._varying:
            return user_message(turn)
        return f"{user_message(turn)}\n\n{fill(self._varying, variables_of(turn))}"
