"""Define the data types of function calling: turn, tool, call, result and reply."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from itertools import takewhile
from typing import Final, Literal, Protocol

from msgspec import Struct, field

from services.call_log.model import Ending
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.chat import Choice as Choice  # noqa: PLC0414 - a tool finds it beside the result that has it
from services.kernel.chat import SentFile as SentFile  # noqa: PLC0414 - as above
from services.language_model.ports import TextListener

LONGEST_NAME: Final = 64  # Source: https://platform.openai.com/docs/api-reference/chat/create (tools.function.name).
TOOL_NAME: Final = re.compile(rf"[a-zA-Z0-9_-]{{1,{LONGEST_NAME}}}")
_LOOKED_BACK: Final = 30


class ReplyScope(Struct, frozen=True, kw_only=True):
    """The earlier messages of a sender whose answers by the bot a new message can refer to.

    `is_everything` stands for all of them; else they are `message_ids`, which name the one that is replied to in any
    case. `asked` is the other person to whom the bot had
    written the message that this one replies to.
    """

    is_everything: bool = True
    message_ids: frozenset[str] = frozenset()
    asked: Person | None = None

    def covers(self, *message_ids: str) -> bool:
        """Tell whether one of `message_ids` is among them."""
        return self.is_everything or not self.message_ids.isdisjoint(message_ids)


async def reply_scope(message: ChatMessage, history: HistoryService) -> ReplyScope:
    """Return the scope of `message`, which is in `history` already."""
    if message.is_private:
        replied = None if message.reply_to is None else await scope_of_reply(message, message.reply_to, history)
        return ReplyScope() if replied is None else ReplyScope(message_ids=replied.message_ids)
    if message.reply_to is not None:
        return await scope_of_reply(message, message.reply_to, history)
    if message.is_addressed:
        return ReplyScope()
    return ReplyScope(is_everything=False, message_ids=await _since_others(message, history))


async def _since_others(message: ChatMessage, history: HistoryService) -> frozenset[str]:
    """Return the ids of what the sender wrote since somebody else did.

    Of those who want nothing kept the history knows messages without a person. If the sender is one of them, such
    messages count as theirs.
    """
    speakers = await history.speakers(message.address, _LOOKED_BACK)
    own_names = {
        message.sender.id,
        next((person for message_id, person in speakers if message_id == message.id), message.sender.id),
    }
    own = takewhile(lambda speaker: speaker[1] in own_names, reversed(speakers))
    return frozenset(message_id for message_id, _ in own if message_id != message.id)


async def scope_of_reply(message: ChatMessage, reply_to: str, history: HistoryService) -> ReplyScope:
    """Return the scope of `message`, which replies to the message with the id `reply_to`."""
    replied = await history.find(message.address, reply_to)
    if replied is None or not replied.sender.is_bot:
        return ReplyScope(is_everything=message.is_addressed)
    if replied.reply_to is None:
        return ReplyScope(is_everything=False)
    question = await history.find(message.address, replied.reply_to)
    is_own = question is None or question.sender.id == message.sender.id
    return ReplyScope(
        is_everything=False,
        message_ids=frozenset({replied.reply_to}),
        asked=None if is_own or question is None else question.sender,
    )


# A recent message counts from the bot's own clock: platforms send whole seconds, and their clocks may differ a little.
_AT_ONCE: Final = timedelta(minutes=1)
# No platform keeps a message longer for a bot that was offline, so an older time is a wrong clock.
_LONGEST_WAIT: Final = timedelta(days=7)


def message_time(message: ChatMessage, now: datetime) -> datetime:
    """Return when `message` was sent, in the zone of `now`: it may have waited while the bot was offline."""
    waited = now - message.sent_at
    return message.sent_at.astimezone(now.tzinfo) if _AT_ONCE < waited < _LONGEST_WAIT else now


ReturnStyle = Literal["reply", "observation"]
StyleName = Literal["native", "json_router", "prompt", "auto"]
FailureKind = Literal["error", "timeout", "denied"]


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool as an interpreter sees it. `parameters` is its JSON Schema; `examples` are sentences that mean it.

    `conversation_examples` are sentences that mean it again right after a call of it.
    `changes_state` and `confirm` matter for tools from elsewhere, which no options were declared for: the first asks
    the person once untrusted text is in the turn, the second always, and a call that succeeds leaves a receipt.
    `is_deferrable` says that a request with many tools may leave it to the search for tools. A call may take
    `timeout_seconds`; None leaves that to the router.
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
    """A call that an interpreter chose. `repairs` lists the repairs made to the arguments before the first check."""

    id: str
    name: str
    arguments: Mapping[str, object]
    repairs: tuple[str, ...] = ()


class UndoStep(Struct, frozen=True, kw_only=True):
    """The call that undoes a change: the registered function `name` with `arguments` (JSON)."""

    name: str
    arguments: Mapping[str, object]


class Receipt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Proof of a committed change of state: "done" is said from a receipt or not at all.

    `action` is the past tense of what happened (`set`, `deleted`), `subject` what it happened to. `undo` takes it
    back; None where nothing does. `change_id` is the id by which `undo` takes it back later, or has taken it back;
    empty where the change is not remembered.
    """

    action: str
    subject: str
    undo: UndoStep | None = None
    change_id: str = ""


class InputRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a tool asks the person for: the properties of `schema`, or to open the address `url`.

    `schema` is a flat JSON Schema of an object; without properties, only agreement is asked for.
    """

    key: str
    message: str
    schema: dict[str, object] = field(default_factory=dict)
    url: str = ""

    @property
    def properties(self) -> Mapping[str, Mapping[str, object]]:
        """The schemas of the fields by their names."""
        found = self.schema.get("properties")
        return found if isinstance(found, Mapping) else {}


class Form(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The questions that a call waits for.

    `source` is who asks. `state` is returned to it unchanged; `task_id` names the task that goes on there meanwhile.
    `answers` are those so far, by the key of the request and the name of the field; null stands for a field that was
    left out. With `is_declined` the person answers none.
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
        text: for people; the answer where the tool `returns="reply"`.
        value: for a model.
        error: why a failed call failed, for a model.
        failure: the kind of a failure.
        cause: a code for a failure: that of a service's refusal, or of `execution`; empty where the tool gave none.
        receipts: proof of what was changed.
        is_answered: the chat has the answer already, so nothing more is said. `ending` reads this and the next two.
        is_question: `text` asks the person something.
        is_reply: `text` is the answer of the turn.
        is_untrusted: others than the person wrote it, such as a web page, a search result or a chat.
        is_private: only the person should see the answer, where the platform can do that.
        is_unchanged: a tool that can change something changed nothing, so there is nothing to undo.
        is_wrapped: a function returned the text in `value` alone; a model reads it in `result`, like other values.
        is_correctable: the model that made a failed call corrects it before the person is told.
        choices: buttons beside the answer.
        files: sent to the chat with the answer; a model is told their names only.
        form: what the tool asks the person for before it goes on; the call is made again with the answers.
        spawned: the work of the agent that ran the call, where one did.
    """

    ok: bool
    text: str = ""
    value: object = None
    error: str | None = None
    failure: FailureKind = "error"
    cause: str = ""
    receipts: tuple[Receipt, ...] = ()
    is_answered: bool = False
    is_question: bool = False
    is_reply: bool = False
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

    @property
    def ending(self) -> Ending:
        """The way in which the result ends the turn; empty for an observation, which a model goes on with."""
        if self.is_question:
            return "question"
        if self.is_answered:
            return "answered"
        return "reply" if self.is_reply else ""

    def for_model(self) -> object:
        """Return the result for the model: the value (null in `result` for nothing), or the error as `{"error": …}`."""
        if not self.ok:
            return {"error": self.error}
        if self.value is None and not (self.text or self.files or self.is_answered):
            return {"result": None}
        return self.value if self.value is not None else self.text

    @classmethod
    def failed(cls, error: str, *, text: str = "", kind: FailureKind = "error", cause: str = "") -> "ToolResult":
        """Create a failed result: `error` is for the model, `text` for the person."""
        return cls(ok=False, text=text, error=error, failure=kind, cause=cause)

    @classmethod
    def refused(cls, code: str, text: str) -> "ToolResult":
        """Create the result for a service's refusal with `code`, worded by the handler."""
        return cls.failed(code, text=text, cause=code)


class Step(Struct, frozen=True, kw_only=True):
    """One round of a turn: the calls that were made and their results, in call order."""

    text: str
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]


class SpawnedTask(Struct, frozen=True, kw_only=True):
    """The record of an agent's work on behalf of a call: what it was asked, which rounds it took, what it answered."""

    agent: str
    request: str
    answer: str
    steps: tuple[Step, ...]
    ok: bool


class Turn(Struct, frozen=True, kw_only=True):
    """A message to interpret, with everything an interpreter may use.

    `now` is timezone-aware in `zone`, the zone of the person (or chat, or bot). `language` is the person's,
    `en` or `zh`. `recent` are the messages before this one, oldest first. `steps` are the rounds of this turn.
    `on_text` hears the answer while it is written, where somebody can watch that. `scope` says which earlier messages
    of the person it can go on with, when it answers a question or changes what was just done.

    `client_messages` is the conversation before this message as a client of the completions API keeps it, in the form
    of that API; None where the chat's own record is shown. `tool_choice` is that of the API: None lets the interpreter
    decide, `none` forbids calls, anything else demands one of `tools`.

    `is_from_program` says that a program runs an agent and no person in a chat waits: the model is told no
    circumstances, and its answer is not searched for claims of changes. `call_style` is how a model is asked for calls
    in this turn; None leaves it to the settings. `instructions` are those of the chat for a model that answers in it.
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

    @property
    def must_call(self) -> bool:
        """Return whether the answer must be a call."""
        return self.tool_choice not in (None, "none")

    @property
    def message_time(self) -> datetime:
        """The time from which times in the message count: `now`, or when it was sent if it waited for the bot."""
        return message_time(self.message, self.now)


class Interpretation(Struct, frozen=True, kw_only=True):
    """The result of interpreting a turn: calls, an answer, or neither (nothing was asked of the bot).

    `notice` is one line that the person should also see, such as that the model was unreachable. `must_reply` says that
    the answer is due even where the message was not addressed to the bot: it was a request, and something is missing.
    `choices` are buttons for the answers to what is asked. `handled_elsewhere` says that to say nothing is
    right: somebody else goes on with the turn, or decided so. `is_answer` says that the message answered what the
    interpreter had asked. `is_chosen_by_model` says that the calls have to be compared with the message.
    """

    calls: tuple[ToolCall, ...] = ()
    answer: str = ""
    notice: str = ""
    choices: tuple[Choice, ...] = ()
    must_reply: bool = False
    handled_elsewhere: bool = False
    is_answer: bool = False
    is_chosen_by_model: bool = False


class Reply(Struct, frozen=True, kw_only=True):
    """The bot's answer. `mentions` are people to notify; the platform formats them its own way.

    `choices` are buttons, and `private_to` the one person it is for, on platforms that have such things. `hint` says
    what to write instead of pressing a button; platforms with buttons do not show it.
    """

    text: str
    reply_to: str | None = None
    mentions: tuple[Person, ...] = ()
    mentions_everyone: bool = False
    choices: tuple[Choice, ...] = ()
    files: tuple[SentFile, ...] = ()
    private_to: Person | None = None
    hint: str = ""

    @property
    def text_with_hint(self) -> str:
        """Return the text as a platform without buttons shows it."""
        return f"{self.text}\n{self.hint}" if self.hint else self.text


class Conversation(Struct, frozen=True, kw_only=True):
    """A person in a chat: the key of all state kept between messages of one person in one chat."""

    chat: ChatAddress
    person: Person

    @property
    def key(self) -> str:
        """One string for this person in this chat."""
        return f"{self.chat.key}#{self.person.id}"


class Interpreter(Protocol):
    """Reads a turn and chooses calls or words an answer; a language model is one, the offline interpreter another."""

    async def interpret(self, turn: Turn) -> Interpretation:
        """Say what `turn` asks for; an empty interpretation means that nothing was asked.

        Raises:
            ModelUnavailable: a model was needed and none answered.
        """
        ...
