"""Handle the chat commands /link and /unlink: one person with accounts on several platforms."""

import re
from collections.abc import Iterable
from typing import Final

from loguru import logger

from bot.outbound.outbox import Outbox
from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.commands import parse_command
from function_calls.language.messages import say
from function_calls.tools.calls import Reply, Turn
from services.kernel.chat import ChatMessage
from services.kernel.errors import DeliveryFailed, RequestRefused
from services.people.account_links import CODE_LIFETIME, PeopleService, parse_code
from services.people.model import Account, LinkResult

# Slack does not pass on unknown slash commands, so a private chat accepts these sentences instead.
_LINK_WORDS: Final = re.compile(r"link my accounts?|(?:关联|绑定)(?:我的)?账号", re.IGNORECASE)
_UNLINK_WORDS: Final = re.compile(r"unlink (?:my|this) accounts?|(?:解绑|取消关联)(?:我的)?账号", re.IGNORECASE)
_LIST: Final = frozenset({"list", "列表", "查看"})


class AccountLinkCommands:
    """Creates and redeems link codes, and lists and unlinks accounts, in private chats only.

    A code that is posted in a group is invalidated.
    """

    def __init__(self, people: PeopleService, outbox: Outbox) -> None:
        self._people = people
        self._outbox = outbox

    async def __call__(self, turn: Turn) -> Reply | None:
        """Answer a command or a code; return None for any other message."""
        text = _as_command(turn.message)
        command, code = parse_command(text, turn.bot_name), parse_code(text)
        if command is not None and command.name not in {"link", "unlink"}:
            command = None
        if command is None and code is None:
            return None
        rest = "" if command is None else command.argument
        code = code or parse_code(rest)
        answer = await self._answer(turn, rest, code, is_unlink=command is not None and command.name == "unlink")
        return Reply(text=answer, reply_to=turn.message.id)

    async def _answer(self, turn: Turn, rest: str, code: str | None, *, is_unlink: bool) -> str:
        message, language = turn.message, turn.language
        if not message.is_private:
            if code is not None:
                await self._people.revoke_code(code)
            return say(language, "link.burnt" if code is not None else "link.in_private")
        platform = self._outbox.platforms.get(message.address.platform)
        if platform is None or not platform.capabilities.authenticates_people:
            return say(language, "link.not_here", platform=message.address.platform)
        if is_unlink:
            return await self._unlink(turn, rest)
        if code is not None:
            return await self._redeem(turn, code)
        if rest and rest.casefold() not in _LIST:
            return say(language, "link.no_code")
        return await self._list_accounts(turn) if rest else await self._give_code(turn)

    async def _give_code(self, turn: Turn) -> str:
        code = await self._people.issue_code(turn.message.address, turn.message.sender, turn.language)
        minutes = round(CODE_LIFETIME.total_seconds() / 60)
        return say(turn.language, "link.given", code=code, minutes=minutes)

    async def _redeem(self, turn: Turn, code: str) -> str:
        try:
            linked = await self._people.redeem(turn.message.address, turn.message.sender, code)
        except RequestRefused as refusal:
            return say(turn.language, f"refused.{refusal.code}", **refusal.fields)
        await self._notify_holder(linked, Account.of(turn.message.address, turn.message.sender))
        return say(turn.language, "link.done", who=_join_names([linked.holder]), all=_join_names(linked.accounts))

    async def _notify_holder(self, linked: LinkResult, by: Account) -> None:
        """Notify the person who requested the code of its use."""
        text = say(linked.language, "link.used", who=_join_names([by]))
        try:
            await self._outbox.send(linked.issued_in, OutgoingMessage(text=text))
        except DeliveryFailed as failure:
            logger.bind(chat=str(linked.issued_in)).warning("could not notify of an account link: {}", failure)

    async def _list_accounts(self, turn: Turn) -> str:
        accounts = await self._people.accounts_of(turn.message.address, turn.message.sender)
        if len(accounts) < 2:
            return say(turn.language, "link.none")
        return say(turn.language, "link.list", all=_join_names(accounts))

    async def _unlink(self, turn: Turn, platform: str) -> str:
        gone = await self._people.unlink(turn.message.address, turn.message.sender, platform.casefold())
        if not gone:
            return say(turn.language, "link.none")
        return say(turn.language, "link.undone", all=_join_names(gone))


def _as_command(message: ChatMessage) -> str:
    """Return the text; in a private chat a sentence becomes its command."""
    text = message.text.strip()
    words = text.rstrip(".。!！")
    if message.is_private and _LINK_WORDS.fullmatch(words):
        return "/link"
    return "/unlink" if message.is_private and _UNLINK_WORDS.fullmatch(words) else text


def _join_names(accounts: Iterable[Account]) -> str:
    return ", ".join(f"{account.name} ({account.platform})" for account in accounts)
