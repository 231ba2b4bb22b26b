"""Keep secrets out of the record: those we know, and those that look like one."""

import json
import re
from collections.abc import Iterable
from functools import cached_property

MASK = "[secret]"

# Keys by the prefixes that their issuers gave them, and what stands behind `Bearer`.
_TOKENS = (
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_\-]{12,}",
    r"\b(?:pplx|tvly|hf|glpat|xox[abprs]|xapp)[-_][A-Za-z0-9_\-]{10,}",
    r"\b(?:ghp|gho|ghs|ghu|github_pat)_[A-Za-z0-9_]{20,}",
    r"\bA(?:KIA|SIA)[A-Z0-9]{16}\b",
    r"\bAIza[A-Za-z0-9_\-]{30,}",
    r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+",
    r"\b\d{8,10}:[A-Za-z0-9_\-]{35}\b",
    r"(?<=[Bb]earer )[A-Za-z0-9_\-.=+/]{8,}",
    r"(?<=://)[^\s/:@\"]+:[^\s/@\"]+(?=@)",
)
# A field of a JSON object whose name says that its value is a secret.
_FIELD = (
    r"(\"[^\"]*(?:password|passwd|passphrase|secret|api_?-?key|access_?token|auth_?token|authorization|密码|口令)"
    r"[^\"]*\"\s*:\s*)\"(?:[^\"\\]|\\.)*\""
)


class SecretMask:
    """Masks secrets in text; `known` are those of this bot's settings."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        plain = {secret for secret in known if secret}
        as_json = {json.dumps(secret, ensure_ascii=False)[1:-1] for secret in plain}
        self._known = sorted(plain | as_json, key=len, reverse=True)

    def text(self, text: str) -> str:
        """`text` without secrets."""
        for secret in self._known:
            text = text.replace(secret, MASK)
        text = self._tokens.sub(MASK, text)
        return self._fields.sub(rf'\1"{MASK}"', text) if '"' in text else text

    @cached_property
    def _tokens(self) -> re.Pattern[str]:
        return re.compile("|".join(_TOKENS))

    @cached_property
    def _fields(self) -> re.Pattern[str]:
        return re.compile(_FIELD, re.IGNORECASE)
