"""Mask known secrets, and texts that look like secrets, in the log."""

import json
import re
from collections.abc import Iterable
from functools import cache

MASK = "[secret]"
_MIN_LENGTH = 4
"""Shorter values are not masked: that would make ordinary texts unreadable."""

# Keys by the prefixes of their issuers, tokens after `Bearer`, and passwords in addresses. A pattern is searched only
# in texts with one of its marks, because searching for all of them takes longer than the rest of a record.
_TOKENS = (
    (("sk-", "pk-", "rk-"), r"\b[spr]k-[A-Za-z0-9_\-]{12,}"),
    (("pplx-", "tvly-", "glpat-", "hf_"), r"\b(?:pplx-|tvly-|glpat-|hf_)[A-Za-z0-9_\-]{10,}"),
    (("xox", "xapp-"), r"\b(?:xox[abprs]|xapp)-[A-Za-z0-9_\-]{10,}"),
    (("ghp_", "gho_", "ghs_", "ghu_", "github_pat_"), r"\b(?:gh[posu]|github_pat)_[A-Za-z0-9_]{20,}"),
    (("AKIA", "ASIA"), r"\bA[KS]IA[A-Z0-9]{16}\b"),
    (("AIza",), r"\bAIza[A-Za-z0-9_\-]{30,}"),
    (("eyJ",), r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+"),
    ((":AA",), r"\b\d{8,10}:AA[A-Za-z0-9_\-]{33}"),
    (("earer ",), r"(?<=[Bb]earer )[A-Za-z0-9_\-.=+/]{8,}"),
    (("://",), r"(?<=://)[^\s/:@\"]{1,200}:[^\s/@\"]{1,200}(?=@)"),
)
# Fields of a JSON object with a name that suggests a secret.
_FIELD_MARKS = ("pass", "secret", "key", "token", "authorization", "密码", "口令")
_FIELD = (
    r"(\"[^\"\n]{0,40}(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?token|auth[_-]?token|authorization"
    r"|密码|口令)[^\"\n]{0,40}\"\s{0,9}:\s{0,9})\"(?:[^\"\\]|\\.)*+\""
)


class SecretMask:
    """Masks secrets in text; `known` are the secrets of the bot's settings."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = list_maskable(known)

    def text(self, text: str) -> str:
        """Return `text` with its secrets masked."""
        for secret in self._known:
            text = text.replace(secret, MASK)
        for marks, pattern in _TOKENS:
            for mark in marks:
                if mark in text:
                    text = _compile(pattern).sub(MASK, text)
        return _mask_fields(text) if '"' in text else text


def list_maskable(secrets: Iterable[str]) -> list[str]:
    """Return the secrets to mask and their forms in JSON, the longest first.

    Placeholders such as `x` for a server without keys are no secrets.
    """
    plain = {secret for secret in secrets if len(secret) >= _MIN_LENGTH}
    as_json = {json.dumps(secret, ensure_ascii=False)[1:-1] for secret in plain}
    return sorted(plain | as_json, key=len, reverse=True)


def _mask_fields(text: str) -> str:
    lowered = text.lower()
    if not any(mark in lowered for mark in _FIELD_MARKS):
        return text
    return _compile(_FIELD).sub(rf'\1"{MASK}"', text)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE if pattern is _FIELD else 0)
