"""Define the data types of function calling: turns, tools, calls, results and replies."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from typing import Final, Literal, Protocol, runtime_checkable

from msgspec import Struct, field

from services.call_log.model import Ending
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.chat import Choice as Choice  # noqa: PLC0414 - a tool finds it beside the result that has it
from services.kernel.chat import SentFile as SentFile  # noqa: PLC0414 - as above
from services.language_model.ports import TextListener

MAX_NAME_LENGTH: Final = 64  # Source: https://platform.openai.com/docs/api-reference/chat/create (tools.function.name).
TOOL_NAME: Final = re.compile(rf"[a-zA-Z0-9_-]{{1,{MAX_NAME_LENGTH}}}")


# For a recent message the bot's clock is used: platforms send whole seconds, and their clocks may differ a little.
_AT_ONCE: Final = timedelta(minutes=1)
# No platform stores messages for an offline bot longer, so an older time means a wrong clock.
_MAX_WAIT: Final = timedelta(days=7)
ReturnStyle = Literal["reply", "observation"]
StyleName = Literal["native", "json_router", "prompt", "auto"]
FailureKind = Literal["error", "timeout", "denied"]
ASKED: Final = "the person has been asked; wait for the answer, do not call it again"
"""The error of a call that waits for an answer, for a model."""


def message_time(message: ChatMessage, now: datetime) -> datetime:
    """Return the time for relative times in `message`: `now`, or when it was sent if the bot was offline."""
    waited = now - message.sent_at
    return message.sent_at.astimezone(now.tzinfo) if _AT_ONCE < waited < _MAX_WAIT else now


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool for interpreters.

    Attributes:
        parameters: the JSON Schema of the arguments.
        examples: sentences that request the tool.
        conversation_examples: sentences that request it again directly after a call of it.
        changes_state: for external tools: calls get a receipt, and need a confirmation if the turn has untrusted text.
        confirm: for external tools: calls always need a confirmation.
        is_deferrable: a request with many tools may omit it, so that the model has to search for it.
        timeout_seconds: the timeout of a call; None for that of the router.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    examples: tuple[str, ...] = ()
    returns: ReturnStyle = "observation"
    changes_state: bool = False
    confirm: bool = False
    is_deferrable: bool = True
    conversation_examples: tuple[str, ...] = ()
    timeout_seconds: float | None = None


class ToolCall(Struct, frozen=True, kw_only=True):
    """A call of an interpreter. `repairs` are the repairs of the arguments before the first validation."""

    id: str
    name: str
    arguments: Mapping[str, object]
    repairs: tuple[str, ...] = ()


class UndoStep(Struct, frozen=True, kw_only=True):
    """The call that undoes a change: the registered function `name` with `arguments` (JSON)."""

    name: str
    arguments: Mapping[str, object]


class Receipt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Proof of a committed change of state, without which the bot never claims a change.

    `action` is a past participle (`set`, `deleted`), `subject` the changed thing, `name` its text. `undo` is the call
    that undoes it; None if it cannot be undone. `change_id` is its id in the change log; empty if it has none there.
    """

    action: str
    subject: str
    name: str = ""
    undo: UndoStep | None = None
    change_id: str = ""


class InputRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request of a tool to the person: for the properties of `schema`, or to open `url`.

    `schema` is a flat JSON Schema of an object; without properties it is a request for agreement.
    """

    key: str
    message: str
    schema: dict[str, object] = field(default_factory=dict)
    url: str = ""

    @property
    def properties(self) -> Mapping[str, Mapping[str, object]]:
        """The schemas of the fields by name."""
        found = self.schema.get("properties")
        return found if isinstance(found, Mapping) else {}


class Form(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The questions of a call that waits for the answers.

    `source` is the name of the asking server. `state` is returned to it unchanged; `task_id` is its task that continues
    meanwhile. `answers` are the answers so far, by the key of the request and the name of the field; null for an
    omitted field. `is_declined`: the person refused to answer.
    """

    source: str
    requests: tuple[InputRequest, ...]
    state: str | None = None
    task_id: str = ""
    answers: dict[str, dict[str, object]] = field(default_factory=dict)
    is_declined: bool = False


class ToolResult(Struct, frozen=True, kw_only=True):
    """The result of a call. A failure is `ok=False`, never an exception.

    Attributes:
        text: for people; the answer if the tool `returns="reply"`.
        value: for a model.
        error: the reason of a failure, for a model.
        failure: the kind of a failure.
        cause: the code of a failure, from the refusal of a service or from `execution`; may be empty.
        receipts: proof of the changes.
        ending: the way in which the result ends the turn: `text` is a `question` to the person or the `reply` of the
            turn, or the tool has `answered` the chat itself; empty for an observation, after which the model continues.
        is_untrusted: it has text of others than the person, such as a web page, a search result or a chat.
        is_private: only the person should see the answer, if the platform supports that.
        is_unchanged: a tool that can change state changed nothing, so there is nothing to undo.
        is_wrapped: a function returned a text as `value`; the model receives it under `result`.
        is_correctable: the model may correct the failed call before the person is told.
        choices: buttons of the answer.
        files: files sent with the answer; a model receives their names only.
        form: questions to the person, after whose answers the call is repeated.
        spawned: the task of the agent that ran the call.
    """

    ok: bool
    text: str = ""
    value: object = None
    error: str | None = None
    failure: FailureKind = "error"
    cause: str = ""
    receipts: tuple[Receipt, ...] = ()
    ending: Ending = ""
    is_untrusted: bool = False
    is_private: bool = False
    is_unchanged: bool = False
    is_wrapped: bool = False
    is_correctable: bool = False
    choices: tuple[Choice, ...] = ()
    files: tuple[SentFile, ...] = ()
    form: Form | None = None
    spawned: "SpawnedTask | None" = None
    duration_ms: float = 0.0

    def for_model(self) -> object:
        """Return the value for the model (`{"result": null}` for nothing), or the error as `{"error": …}`."""
        if not self.ok:
            return {"error": self.error}
        if self.value is None and not (self.text or self.files or self.ending == "answered"):
            return {"result": None}
        return self.value if self.value is not None else self.text

    @property
    def response(self) -> Mapping[str, object]:
        """The result as a dictionary, as events have it: any other value under `result`, the reason under `error`."""
        value = self.for_model()
        return value if isinstance(value, Mapping) else {"result": value}

    @classmethod
    def failed(cls, error: str, *, text: str = "", kind: FailureKind = "error", cause: str = "") -> "ToolResult":
        """Create a failed result: `error` is for the model, `text` for the person."""
        return cls(ok=False, text=text, error=error, failure=kind, cause=cause)

    @classmethod
    def refused(cls, code: str, text: str) -> "ToolResult":
        """Create the result for the refusal `code` of a service, with the text for the person."""
        return cls.failed(code, text=text, cause=code)

    @classmethod
    def question(cls, text: str, choices: tuple[Choice, ...] = (), error: str = ASKED) -> "ToolResult":
        """Create the result of a call that waits for the person's answer to `text`; `error` is for the model."""
        return cls(ok=False, text=text, error=error, ending="question", choices=choices)


SILENT: Final = ToolResult(ok=True, ending="answered")
"""The result of a call that answers nothing, because the message was not for the bot or the answer is known."""


class Step(Struct, frozen=True, kw_only=True):
    """A round of a turn: the calls and their results, in call order."""

    text: str
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]


class SpawnedTask(Struct, frozen=True, kw_only=True):
    """The record of an agent's run for a call: its request, rounds and answer."""

    agent: str
    request: str
    answer: str
    steps: tuple[Step, ...]
    ok: bool


class ReplyScope(Struct, frozen=True, kw_only=True):
    """The earlier messages of a sender to whose answers a new message can refer.

    They are all messages with `is_everything`, else `message_ids`. A reply always has the id of the message that the
    replied answer belongs to in `message_ids`. `asked` is the person whom the bot answered, if it is another person.
    """

    is_everything: bool = True
    message_ids: frozenset[str] = frozenset()
    asked: Person | None = None

    def covers(self, *message_ids: str) -> bool:
        """Return whether one of `message_ids` is in the scope."""
        return self.is_everything or not self.message_ids.isdisjoint(message_ids)


class Turn(Struct, frozen=True, kw_only=True):
    """A message to interpret, with its context.

    Attributes:
        now: timezone-aware, in `zone`.
        zone: the zone of the person, the chat or the bot.
        language: the person's, `en` or `zh`.
        recent: the messages before this one, oldest first.
        steps: the rounds of this turn.
        on_text: receives the answer while it is generated; None if nobody can watch.
        scope: the earlier messages that it can refer to, as an answer or a correction.
        client_messages: the conversation before this message in the format of the completions API, as its client sent
            it; None for the history of the chat.
        tool_choice: that of the API: None for the choice of the interpreter, `none` for no call, any other value
            requires a call of `tools`.
        is_from_program: a program runs an agent: the model gets no circumstances, and its answer is not checked for
            claims of changes.
        call_style: the call style of this turn; None for that of the settings.
        instructions: the chat's instructions for a model.
        variables: values of a client for variables of the prompt.
        rule_calls: the calls that the rules make of the message in its dialogue, for comparison with those of a model.
    """

    message: ChatMessage
    now: datetime
    zone: tzinfo
    language: str
    bot_name: str
    tools: tuple[ToolSpec, ...]
    recent: tuple[ChatMessage, ...] = ()
    steps: tuple[Step, ...] = ()
    state: Mapping[str, object] = field(default_factory=dict)
    on_text: TextListener | None = None
    scope: ReplyScope = field(default_factory=ReplyScope)
    client_messages: tuple[Mapping[str, object], ...] | None = None
    tool_choice: str | Mapping[str, object] | None = None
    is_from_program: bool = False
    call_style: StyleName | None = None
    instructions: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    rule_calls: tuple[ToolCall, ...] = ()

    @property
    def conversation(self) -> "Conversation":
        """The person and the chat."""
        return Conversation(chat=self.message.address, person=self.message.sender)

    @property
    def must_call(self) -> bool:
        """Return whether the answer must be a call."""
        return self.tool_choice not in (None, "none")

    @property
    def message_time(self) -> datetime:
        """The time for relative times in the message, see `message_time`."""
        return message_time(self.message, self.now)


class Interpretation(Struct, frozen=True, kw_only=True):
    """The result of interpreting a turn: calls, an answer, or neither if nothing was asked of the bot.

    Attributes:
        notice: a further line for the person, such as that the model was unavailable.
        choices: buttons for the answers to a question.
        must_reply: the answer is sent even if the message was not addressed to the bot, such as the question about an
            incomplete request.
        handled_elsewhere: silence is intended, because a client or a hook handles the turn.
        is_answer: the message answered a question of the interpreter.
        is_chosen_by_model: the calls must be compared with the message.
        is_model_down: a model was needed and out of reach, so the same message may be answered later.
    """

    calls: tuple[ToolCall, ...] = ()
    answer: str = ""
    notice: str = ""
    choices: tuple[Choice, ...] = ()
    must_reply: bool = False
    handled_elsewhere: bool = False
    is_answer: bool = False
    is_chosen_by_model: bool = False
    is_model_down: bool = False


class Reply(Struct, frozen=True, kw_only=True):
    """The bot's answer.

    Attributes:
        mentions: people to notify, in the format of the platform.
        choices: buttons, on platforms that have them.
        private_to: the only person who should see it, on platforms that support that.
        hint: the text to write instead of pressing a button, shown by platforms without buttons.
        can_retry: the same message may succeed later, because the answer failed for a passing reason.
    """

    text: str
    reply_to: str | None = None
    mentions: tuple[Person, ...] = ()
    mentions_everyone: bool = False
    choices: tuple[Choice, ...] = ()
    files: tuple[SentFile, ...] = ()
    private_to: Person | None = None
    hint: str = ""
    can_retry: bool = False

    @property
    def text_with_hint(self) -> str:
        """The text for platforms without buttons."""
        return f"{self.text}\n{self.hint}" if self.hint else self.text


class Conversation(Struct, frozen=True, kw_only=True):
    """A person in a chat, for state of that person in that chat."""

    chat: ChatAddress
    person: Person

    @property
    def key(self) -> str:
        """The key of stored state."""
        return f"{self.chat.key}#{self.person.id}"


class Interpreter(Protocol):
    """Chooses calls or an answer for a turn, with a language model or offline."""

    async def interpret(self, turn: Turn) -> Interpretation:
        """Interpret `turn`; the result is empty if nothing was asked.

        Raises:
            ModelUnavailable: a model was needed and none answered.
        """


@runtime_checkable
class ModelInterpreter(Interpreter, Protocol):
    """An interpreter with a language model; `FunctionCallLLM` is one."""

    async def chooses_only(self, turn: Turn) -> bool:
        """Return whether the model is to choose a function for `turn`, or none, and writes nothing itself.

        Raises:
            ModelUnavailable: how the endpoint is asked is unknown yet, and it does not answer.
        """
