"""Issue and redeem one-time codes, each valid for ten minutes and hard to guess."""

import asyncio
import hashlib
import re
import secrets
import unicodedata
from datetime import timedelta
from typing import Final

from services.kernel.chat import ChatAddress
from services.kernel.errors import RequestRefused
from services.kernel.state import Json, StateStore
from services.people.model import Account, account_of

CODE_LASTS: Final = timedelta(minutes=10)
MOST_GUESSES: Final = 5
"""Wrong codes that one account may say within `CODE_LASTS`."""

# Without letters and digits that look alike; eight of them are 39 bits.
_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_CODE: Final = re.compile(r"link-?([A-Z0-9]{4})-?([A-Z0-9]{4})", re.IGNORECASE)


def code_in(text: str) -> str | None:
    """Return the code that `text` is, as it was given out; None when it is something else."""
    found = _CODE.fullmatch(unicodedata.normalize("NFKC", text).strip().strip("`\"'.。"))
    return f"link-{found[1]}-{found[2]}".upper().replace("LINK", "link") if found else None


class LinkCodes:
    """Issues and redeems codes. Only digests are stored, and per account only the latest code."""

    def __init__(self, state: StateStore) -> None:
        self._state = state
        self._turn = asyncio.Lock()

    async def give(self, account: Account, told_in: ChatAddress, language: str) -> str:
        """Issue a new code for `account`, which invalidates its previous one."""
        letters = "".join(secrets.choice(_LETTERS) for _ in range(8))
        code = f"link-{letters[:4]}-{letters[4:]}"
        async with self._turn:
            earlier = await self._state.get(_given_key(account))
            if isinstance(earlier, str):
                await self._state.set(earlier, None, keep=CODE_LASTS, is_promised=True)
            value: Json = {"account": account.as_json(), "chat": told_in.chat_id, "language": language}
            await self._state.set(_code_key(code), value, keep=CODE_LASTS, is_promised=True)
            await self._state.set(_given_key(account), _code_key(code), keep=CODE_LASTS)
        return code

    async def take(self, code: str, by: Account) -> tuple[Account, ChatAddress, str]:
        """Redeem a code: return its account, where it was issued and in which language.

        Raises:
            RequestRefused: `link_code_wrong(minutes)`, `link_code_own`, `link_guesses(minutes)`.
        """
        minutes = round(CODE_LASTS.total_seconds() / 60)
        async with self._turn:
            wrong = await self._state.get(_guesses_key(by))
            guesses = wrong if isinstance(wrong, int) else 0
            if guesses >= MOST_GUESSES:
                raise RequestRefused("link_guesses", minutes=minutes)
            kept = await self._state.get(_code_key(code))
            giver = account_of(kept.get("account")) if isinstance(kept, dict) else None
            if giver is None or not isinstance(kept, dict):
                await self._state.set(_guesses_key(by), guesses + 1, keep=CODE_LASTS)
                raise RequestRefused("link_code_wrong", minutes=minutes)
            if giver.key == by.key:
                raise RequestRefused("link_code_own")
            if await self._state.take(_code_key(code)) is None:  # another process was faster
                raise RequestRefused("link_code_wrong", minutes=minutes)
            return giver, ChatAddress(platform=giver.platform, chat_id=str(kept["chat"])), str(kept["language"])

    async def burn(self, code: str) -> None:
        """Invalidate a code that others have seen."""
        async with self._turn:
            await self._state.set(_code_key(code), None, keep=CODE_LASTS, is_promised=True)


def _code_key(code: str) -> str:
    return f"link.code:{hashlib.sha256(code.encode()).hexdigest()}"


def _given_key(account: Account) -> str:
    return f"link.given:{account.key}"


def _guesses_key(account: Account) -> str:
    return f"link.guesses:{account.key}"
