"""Generate names of tools and arguments, and sanitize texts of a document for a model."""

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from function_calls.tools.calls import MAX_NAME_LENGTH
from function_calls.tools.toolset import short_name

_ODD: Final = re.compile(r"[^A-Za-z0-9_-]+")
_ODD_IN_ARGUMENT: Final = re.compile(r"[^\w.-]")
_MAX_MEMBER_LENGTH: Final = 100
MAX_DESCRIPTION_LENGTH: Final = 1000  # characters
_MAX_READ_LENGTH: Final = 20_000
_SENTENCES: Final = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]?")
# Words of prompt injection that no description of a service needs.
_ORDERS: Final = re.compile(
    r"(ignore|disregard|forget|override)\b.{0,40}\b(instruction|prompt|rule|above|previous|prior)"
    r"|system\s*prompt|<\|[a-z_]+\|>|</?(system|assistant|important|instructions?)>"
    r"|\b(do not|don't|never|without)\s+(tell|mention|inform|asking|telling)\b.{0,30}\b(user|person|anyone|them)"
    r"|you (must|have to|should always) (first |always )?(call|use|run|send|delete|reveal)"
    r"|(忽略|无视|不要理会).{0,20}(指令|指示|提示|规则|以上|之前)|系统提示|不要告诉(用户|任何人)",
    re.IGNORECASE | re.DOTALL,
)
_WITHHELD: Final = "(a sentence that gives orders was left out)"


def tool_name(operation_id: str, method: str, path: str, taken: Collection[str]) -> str:
    """Return the id of the operation, else method and path; a name in use gets a number."""
    plain = _plain(operation_id) or _plain(f"{method}_{path.strip('/')}") or method
    return _free(short_name(plain), taken)


def argument_name(name: str, place: str, taken: Collection[str]) -> str:
    """Return the name of the parameter; if it is in use, with its place (`id_query`).

    Members of a body keep their printable names.
    """
    is_member = place == "body" and len(name) <= _MAX_MEMBER_LENGTH and name.isprintable()
    plain = name if is_member else _ODD_IN_ARGUMENT.sub("_", name)[:MAX_NAME_LENGTH]
    return plain if plain and plain not in taken else _free(f"{plain}_{place}", taken)


def _plain(text: str) -> str:
    return _ODD.sub("_", text).strip("_-") if re.search(r"[A-Za-z0-9]", text) else ""


def _free(name: str, taken: Collection[str]) -> str:
    free, count = name, 1
    while free in taken:
        count += 1
        ending = f"_{count}"
        free = name[: MAX_NAME_LENGTH - len(ending)] + ending
    return free


def sanitize_description(text: object, longest: int = MAX_DESCRIPTION_LENGTH) -> str:
    """Return `text` as a description without sentences that look like prompt injection."""
    return _sanitize(text, longest) if isinstance(text, str) else ""


@lru_cache(maxsize=2048)
def _sanitize(text: str, longest: int) -> str:
    plain = _printable(text[:_MAX_READ_LENGTH]).strip()
    if _ORDERS.search(plain):
        plain = "".join(each for each in _SENTENCES.findall(plain) if not _ORDERS.search(each)).strip()
        plain = _WITHHELD if _ORDERS.search(plain) else f"{plain} {_WITHHELD}".strip()
    return plain if len(plain) <= longest else f"{plain[: longest - 1].rstrip()}…"


def _printable(text: str) -> str:
    """Remove control and format characters, which can hide or reverse text; line breaks stay."""
    if text.replace("\n", " ").isprintable():
        return text
    return "".join(sign for sign in text if sign == "\n" or unicodedata.category(sign) not in {"Cc", "Cf", "Cs", "Co"})
