"""Handle /chatname, /for and sentences such as "remind the #ops chat at 5": reminders for another chat.

The sender must be a member of the other chat, and that chat must have a name.
"""

import re
from collections.abc import Sequence
from typing import Final

from loguru import logger
from msgspec import Struct
from msgspec.structs import replace

from bot.inbound.turns import TurnFactory
from bot.outbound.outbox import Outbox
from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.commands import parse_command
from function_calls.conversation.slash_commands import parse_tool_command
from function_calls.language.messages import say
from function_calls.tools.calls import Interpreter, Reply, ToolCall, ToolResult, Turn
from function_calls.tools.confirmation.buttons import undo_button
from function_calls.tools.permission import Viewer
from function_calls.tools.policy import CallPolicy
from services.kernel.chat import ChatAddress
from services.kernel.errors import DeliveryFailed, ModelUnavailable, RequestRefused
from services.people.account_links import PeopleService
from services.people.chat_aliases import ChatAliasService
from services.people.model import Account

_MAX_CHARACTERS = 400
"""Longer messages are not searched for the name of another chat."""
_NAMING_WORDS: Final = re.compile(
    r"(?:.*\b)?(?:name|call) this (?:chat|group|channel|room) #?(?P<name>[\w-]+)[.!]?"
    r"|.*(?:把|将|让)(?:本群|这个群)(?:叫做|叫作|叫|命名为)\s*#?(?P<zh>[\w-]+)[。！]?",
    re.IGNORECASE,
)
_CHAT_AND_REQUEST: Final = re.compile(r"#?(?P<name>[\w-]+)\s+(?P<rest>\S.*)", re.DOTALL)
_OFF: Final = frozenset({"off", "关闭", "取消"})
_KIND: Final = r"(?:chat|group|room|channel)\b"
_KIND_ZH: Final = r"(?:群聊|群|频道|房间)[里中]?"
# A pattern that names a chat, and its replacement, which leaves a sentence for that chat.
_SENTENCES: Final = (
    (re.compile(rf"\bremind\s+(?:the\s+)?#(?P<name>[\w-]+)(?:\s+{_KIND})?", re.IGNORECASE), "remind everyone"),
    (re.compile(rf"\bremind\s+the\s+(?P<name>[\w-]+)\s+{_KIND}", re.IGNORECASE), "remind everyone"),
    (re.compile(rf"\s+in\s+(?:the\s+)?#(?P<name>[\w-]+)(?:\s+{_KIND})?", re.IGNORECASE), ""),
    (re.compile(rf"\s+in\s+the\s+(?P<name>[\w-]+)\s+{_KIND}", re.IGNORECASE), ""),
    (re.compile(rf"在\s*#?(?P<name>[\w-]+?)\s*{_KIND_ZH}"), ""),
    (re.compile(rf"提醒\s*#?(?P<name>[\w-]+?)\s*{_KIND_ZH}"), "提醒大家"),
)
_REMINDS: Final = re.compile(r"\bremind\b|提醒", re.IGNORECASE)
_LIST: Final = "reminder_list"
_ENTRY_POINT: Final = "elsewhere"
_ALLOWED_TOOLS: Final = frozenset({"reminder_set", "reminder_delete", _LIST, "undo"})

ChatRequest = tuple[str, str]


class CrossChatCommands(Struct, frozen=True, kw_only=True):
    """Names chats, and executes requests for a named chat that a member sends from another chat.

    A request is read by the rules (`rules`), else by the `interpreter`, which is `rules` without a model.
    """

    aliases: ChatAliasService
    people: PeopleService
    outbox: Outbox
    turns: TurnFactory
    rules: Interpreter
    interpreter: Interpreter
    policy: CallPolicy

    async def __call__(self, turn: Turn) -> Reply | None:
        """Answer a command or a sentence for another chat; return None for any other message."""
        name = _parse_chat_name(turn)
        if name is not None:
            return Reply(text=await self._name_chat(turn, name), reply_to=turn.message.id)
        request = await self._parse(turn.message.text, turn.bot_name)
        return None if request is None else await self._answer_request(turn, *request)

    async def _name_chat(self, turn: Turn, name: str) -> str:
        viewer = Viewer.of(turn.message)
        if viewer.is_private:
            return say(turn.language, "elsewhere.groups_only")
        if not self.policy.may_switch_tools(viewer):
            return say(turn.language, "refused.admins_only")
        if not name or name.casefold() in _OFF:
            await self.aliases.close(viewer.chat)
            return say(turn.language, "elsewhere.closed")
        try:
            stored_name = await self.aliases.open(viewer.chat, name)
        except RequestRefused as refusal:
            return say(turn.language, f"refused.{refusal.code}", **refusal.fields)
        return say(turn.language, "elsewhere.open", name=stored_name)

    async def _parse(self, text: str, bot_name: str) -> ChatRequest | None:
        """Return the name of the other chat and the request; None if the text names no chat."""
        command = parse_command(text, bot_name)
        if command is not None and command.name == "for":
            found = _CHAT_AND_REQUEST.fullmatch(command.argument)
            if found is not None:
                return found["name"], found["rest"]
        if len(text) > _MAX_CHARACTERS or not _REMINDS.search(text):
            return None
        for pattern, instead in _SENTENCES:
            found = pattern.search(text)
            if found is not None and (
                await self.aliases.has_alias(found["name"]) or ("remind" in found[0] and "#" in found[0])
            ):
                return found["name"], f"{text[: found.start()]}{instead}{text[found.end() :]}"
        return None

    async def _answer_request(self, turn: Turn, name: str, text: str) -> Reply:
        message, language = turn.message, turn.language
        try:
            chat, account = await self.aliases.resolve(
                name, await self.people.accounts_of(message.address, message.sender)
            )
        except RequestRefused as refusal:
            return Reply(text=say(language, f"refused.{refusal.code}", **refusal.fields), reply_to=message.id)
        target = await self._target_turn(turn, chat, account, text)
        calls = await self._interpret(target)
        if not calls or (not message.is_private and any(call.name == _LIST for call in calls)):
            key = "elsewhere.list_in_private" if calls else "elsewhere.only_reminders"
            return Reply(text=say(language, key, name=name), reply_to=message.id)
        results = [await self._dispatch(call, target, place) for place, call in enumerate(calls)]
        return await self._answer(turn, target, name, results)

    async def _dispatch(self, call: ToolCall, target: Turn, place: int) -> ToolResult:
        context = replace(self.turns.context(target, place), entry_point=_ENTRY_POINT)
        return await self.turns.calls.dispatch(call, context)

    async def _interpret(self, turn: Turn) -> Sequence[ToolCall]:
        """Return the requested calls that are allowed from another chat."""
        typed = parse_tool_command(turn)
        calls = (typed,) if typed is not None else (await self.rules.interpret(turn)).calls
        if not calls and self.interpreter is not self.rules:
            try:
                calls = (await self.interpreter.interpret(turn)).calls
            except ModelUnavailable as error:
                logger.warning("model unavailable ({}) for a cross-chat reminder", error.reason)
        return [call for call in calls if call.name in _ALLOWED_TOOLS]

    async def _target_turn(self, turn: Turn, chat: ChatAddress, account: Account, text: str) -> Turn:
        """Return a turn for `text` as a message of the person in the other chat, without admin rights."""
        is_same_platform = chat.platform == turn.message.address.platform
        message = replace(
            turn.message,
            id=f"{turn.message.address.key}/{turn.message.id}",  # messages of the other chat may have the same id
            address=chat,
            sender=account.person,
            text=text,
            is_private=False,
            is_addressed=True,
            reply_to=None,
            mentions=turn.message.mentions if is_same_platform else (),
        )
        specs = await self.turns.calls.list_specs(Viewer.of(message))
        tools = tuple(spec for spec in specs if spec.name in _ALLOWED_TOOLS)
        return replace(turn, message=message, tools=tools, recent=(), on_text=None)

    async def _answer(self, turn: Turn, target: Turn, name: str, results: Sequence[ToolResult]) -> Reply:
        language = turn.language
        text = "\n".join(result.text for result in results if result.text)
        if not any(result.receipts for result in results):
            return Reply(text=say(language, "elsewhere.in", name=name, text=text), reply_to=turn.message.id)
        change = next((each.change_id for result in results for each in result.receipts if each.undo is not None), "")
        notification = OutgoingMessage(text=say(language, "elsewhere.told", who=turn.message.sender.name, text=text))
        try:
            await self.outbox.send(target.message.address, notification)
        except DeliveryFailed as failure:
            logger.bind(chat=str(target.message.address)).warning(
                "could not notify the chat of a cross-chat reminder: {}", failure
            )
            if failure.is_permanent:
                undo = ToolCall(id="undo", name="undo", arguments={"change_id": change} if change else {})
                await self._dispatch(undo, target, len(results))
                return Reply(text=say(language, "elsewhere.unreachable", name=name), reply_to=turn.message.id)
        before = f"/for {name} "
        return Reply(
            text=say(language, "elsewhere.done", name=name, text=text, undo=f"{before}undo"),
            reply_to=turn.message.id,
            choices=(undo_button(language, change, turn.message.sender, before=before),) if change else (),
        )


def _parse_chat_name(turn: Turn) -> str | None:
    """Return the requested name of the chat, empty to remove it; None for any other message."""
    message = turn.message
    command = parse_command(message.text, turn.bot_name)
    if command is not None and command.name == "chatname" and len(command.argument.split()) <= 1:
        return command.argument
    words = _NAMING_WORDS.fullmatch(message.text.strip()) if message.is_addressed else None
    return None if words is None else words["name"] or words["zh"]
