"""Declare errors by who must act: the person, the model, the operator, or the bot by a retry."""

from typing import Final

_MAX_WAIT_SECONDS: Final = 86_400.0


class AssistantError(Exception):
    """The base class of the errors of Bubbles."""


class RequestRefused(AssistantError):
    """The person must change the request.

    `code` is a key of the messages (`function_calls/language/messages`), `fields` its fields, so that the refusal is
    shown in the person's language and has no internal details.
    """

    def __init__(self, code: str, **fields: object) -> None:
        super().__init__(code, fields)
        self.code = code
        self.fields = fields

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={value}" for name, value in self.fields.items())
        return f"{self.code} ({fields})" if fields else self.code


class ToolFailed(AssistantError):
    """A tool failed; the text is for the model and may be shown to a person."""


class ModelUnavailable(AssistantError):
    """The language model gave no usable answer: down, slow, refused or over budget.

    `reason` is a short code: `timeout`, `rate_limited`, `server_error`, `connection`, `refused`, `malformed`, `budget`.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class DeliveryFailed(AssistantError):
    """The platform did not accept a message.

    `retry_after` is the wait in seconds that the platform asked for, at most a day, or None. `is_permanent`: a retry is
    useless (the bot was removed). `is_unknown`: the message may have arrived. `is_global`: the wait applies to every
    chat of the platform. `is_of_chat`: only this chat fails, not the platform.
    """

    def __init__(
        self,
        reason: str,
        *,
        retry_after: float | None = None,
        is_permanent: bool = False,
        is_unknown: bool = False,
        is_global: bool = False,
        is_of_chat: bool = False,
    ) -> None:
        super().__init__(reason)
        self.retry_after = None if retry_after is None else min(_MAX_WAIT_SECONDS, retry_after)
        self.is_permanent = is_permanent
        self.is_unknown = is_unknown
        self.is_global = is_global
        self.is_of_chat = is_of_chat


class ConfigError(AssistantError):
    """The operator must act: a setting is unknown, invalid or missing.

    `path` is the file or `environment`; `key` is the setting as `group.name`. `code` names the problem for translation,
    with `fields`; empty for problems that are described in English only.
    """

    def __init__(self, path: str, key: str, problem: str, code: str = "", /, **fields: object) -> None:
        super().__init__(f"{path}: {key}: {problem}" if key else f"{path}: {problem}")
        self.path = path
        self.key = key
        self.problem = problem
        self.code = code
        self.fields = fields


class StorageFull(AssistantError):
    """The disk of the database is full; the database can only be read."""

    def __init__(self, path: str) -> None:
        super().__init__(f"the disk of {path} is full; make room")
        self.path = path


class StorageUnavailable(AssistantError):
    """The database server does not answer or closed the connection; a retry may succeed."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} is not available: {reason}")
        self.path = path


class StorageBusy(AssistantError):
    """Another process, `holder`, has locked the database."""

    def __init__(self, path: str, holder: str) -> None:
        super().__init__(f"{path} is in use by {holder}")
        self.path = path
        self.holder = holder
