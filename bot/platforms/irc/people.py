"""Track the members of IRC channels, their operator status and their accounts."""

from collections import defaultdict
from typing import Final

from msgspec import Struct, field

from bot.platforms.irc.wire import Line, fold
from services.kernel.chat import Person

_OPERATORS: Final = frozenset("~&@")
_PREFIXES: Final = "~&@%+"
# Modes with a parameter: always, only when they are set, and ranks. The server may name others.
_ALWAYS: Final = "beIk"
_WHEN_SET: Final = "l"
_RANKS: Final = "qaohv"
_MODE_KINDS: Final = 3


class _Channel(Struct):
    nicks: dict[str, str] = field(default_factory=dict)
    operators: set[str] = field(default_factory=set)
    is_listed: bool = False


class People:
    """The members of channels, updated by the lines of the server. Anybody can take a nickname, but not an account.

    If the server reports accounts, the id of a person is the account, or `~nick` without one, so that nobody can pose
    as the owner of an account; otherwise it is the nickname. Accounts of people who have left all channels are
    forgotten, as the server does not report when they log out or somebody else takes their nickname.
    """

    def __init__(self) -> None:
        self.has_accounts = False
        self._channels: defaultdict[str, _Channel] = defaultdict(_Channel)
        self._accounts: dict[str, str] = {}
        self._always, self._when_set, self._ranks = _ALWAYS, _WHEN_SET, _RANKS

    def person(self, nick: str, channel: str = "") -> Person:
        """Return the person behind `nick`; an admin where they are an operator of `channel`."""
        key = fold(nick)
        is_admin = key in self._channels[fold(channel)].operators if channel else False
        known_as = self._accounts.get(key, f"~{key}") if self.has_accounts else key
        return Person(id=known_as, name=nick, is_admin=is_admin)

    def members(self, channel: str) -> dict[str, Person]:
        """Return the people of `channel` by folded nickname."""
        return {key: self.person(nick) for key, nick in self._channels[fold(channel)].nicks.items()}

    def update(self, line: Line) -> None:
        """Apply a line of the server."""
        if "account" in line.tags or (self.has_accounts and line.command == "PRIVMSG"):
            self._set_account(line.nick, line.tags.get("account", ""))
        learn = getattr(self, f"_on_{line.command.lower()}", None)
        if learn is not None:
            learn(line)

    def _on_join(self, line: Line) -> None:
        self._channels[fold(line.param(0))].nicks[fold(line.nick)] = line.nick
        if len(line.params) > 2:
            self._set_account(line.nick, line.param(1))

    def _on_005(self, line: Line) -> None:
        """Note the modes with a parameter. Source: https://modern.ircdocs.horse/#rplisupport-005."""
        for name, _, value in (each.partition("=") for each in line.params):
            if name == "CHANMODES" and value.count(",") >= _MODE_KINDS - 1:
                lists, keys, self._when_set = value.split(",")[:_MODE_KINDS]
                self._always = lists + keys
            elif name == "PREFIX":
                self._ranks = value.partition(")")[0].removeprefix("(")

    def _on_353(self, line: Line) -> None:
        name = fold(line.param(2))
        channel = self._channels[name]
        if channel.is_listed:  # the bot has returned, and has not seen who left or lost their rights
            for nick in tuple(channel.nicks):
                self._leave(name, nick)
            channel.is_listed = False
        for entry in line.param(3).split():
            nick = entry.lstrip(_PREFIXES).partition("!")[0]
            channel.nicks[fold(nick)] = nick
            if set(entry[: len(entry) - len(entry.lstrip(_PREFIXES))]) & _OPERATORS:
                channel.operators.add(fold(nick))

    def _on_366(self, line: Line) -> None:
        self._channels[fold(line.param(1))].is_listed = True

    def _on_part(self, line: Line) -> None:
        self._leave(fold(line.param(0)), fold(line.nick))

    def _on_kick(self, line: Line) -> None:
        self._leave(fold(line.param(0)), fold(line.param(1)))

    def _on_quit(self, line: Line) -> None:
        for name in list(self._channels):
            self._leave(name, fold(line.nick))

    def _on_nick(self, line: Line) -> None:
        old, new = fold(line.nick), line.param(0)
        for channel in self._channels.values():
            if channel.nicks.pop(old, None) is not None:
                channel.nicks[fold(new)] = new
            if old in channel.operators:
                channel.operators.discard(old)
                channel.operators.add(fold(new))
        self._set_account(new, self._accounts.pop(old, ""))

    def _on_account(self, line: Line) -> None:
        self._set_account(line.nick, line.param(0))

    def _on_mode(self, line: Line) -> None:
        channel = self._channels.get(fold(line.param(0)))
        if channel is None:
            return
        names, is_given = list(line.params[2:]), True
        for mode in line.param(1):
            if mode in "+-":
                is_given = mode == "+"
            elif names and mode in self._always + self._ranks + (self._when_set if is_given else ""):
                nick = fold(names.pop(0))
                if mode in "oqa":
                    (channel.operators.add if is_given else channel.operators.discard)(nick)

    def _leave(self, channel: str, nick: str) -> None:
        self._channels[channel].nicks.pop(nick, None)
        self._channels[channel].operators.discard(nick)
        if not any(nick in each.nicks for each in self._channels.values()):
            self._accounts.pop(nick, None)

    def _set_account(self, nick: str, account: str) -> None:
        if account in {"*", ""}:
            self._accounts.pop(fold(nick), None)
        else:
            self._accounts[fold(nick)] = account
