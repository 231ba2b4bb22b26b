"""Sanitize texts of a document for a model: shortened, without control characters and instructions."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

LONGEST_DESCRIPTION: Final = 1000  # characters
_LONGEST_READ: Final = 20_000
_SENTENCES: Final = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]?")
# Words of prompt injection; no description of a service needs them.
_ORDERS: Final = re.compile(
    r"(ignore|disregard|forget|override)\b.{0,40}\b(instruction|prompt|rule|above|previous|prior)"
    r"|system\s*prompt|<\|[a-z_]+\|>|</?(system|assistant|important|instructions?)>"
    r"|\b(do not|don't|never|without)\s+(tell|mention|inform|asking|telling)\b.{0,30}\b(user|person|anyone|them)"
    r"|you (must|have to|should always) (first |always )?(call|use|run|send|delete|reveal)"
    r"|(忽略|无视|不要理会).{0,20}(指令|指示|提示|规则|以上|之前)|系统提示|不要告诉(用户|任何人)",
    re.IGNORECASE | re.DOTALL,
)
_WITHHELD: Final = "(a sentence that gives orders was left out)"


def tamed(text: object, longest: int = LONGEST_DESCRIPTION) -> str:
    """Return `text` as a description that is safe for a model; empty where it is no text.

    A sentence that addresses a model's instructions is dropped.
    """
    return _sanitize(text, longest) if isinstance(text, str) else ""


@lru_cache(maxsize=2048)
def _sanitize(text: str, longest: int) -> str:
    plain = _printable(text[:_LONGEST_READ]).strip()
    if _ORDERS.search(plain):
        plain = "".join(_without_instructions(sentence) for sentence in _SENTENCES.findall(plain)).strip()
        plain = _WITHHELD if _ORDERS.search(plain) else f"{plain} {_WITHHELD}".strip()
    return plain if len(plain) <= longest else f"{plain[: longest - 1].rstrip()}…"


def _without_instructions(sentence: str) -> str:
    return "" if _ORDERS.search(sentence) else sentence


def _printable(text: str) -> str:
    """Remove control and format characters, which hide or reverse text; line breaks stay."""
    if text.replace("\n", " ").isprintable():
        return text
    return "".join(sign for sign in text if sign == "\n" or unicodedata.category(sign) not in {"Cc", "Cf", "Cs", "Co"})
