"""Why a search gave no answer."""

from services.errors import ToolFailed


class SearchUnavailable(ToolFailed):
    """No engine gave a usable answer.

    `reason` is a short code: `timeout`, `connection`, `rate_limited`, `refused` (key or request), `server_error`,
    `malformed` or `cut` (the answer broke off). `retry_after` is the engine's wish in seconds, None when it named none.
    `attempts` holds (engine, reason) of every engine asked, in order.
    """

    def __init__(
        self,
        reason: str,
        *,
        engine: str,
        retry_after: float | None = None,
        attempts: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.reason = reason
        self.engine = engine
        self.retry_after = retry_after
        self.attempts = attempts or ((engine, reason),)
        super().__init__("search unavailable: " + ", ".join(f"{name} {why}" for name, why in self.attempts))
