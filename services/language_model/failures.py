"""How a model can fail, told apart by who is at fault: the endpoint or the request."""

from services.errors import ModelUnavailable


class EndpointFailed(ModelUnavailable):
    """The endpoint gave no usable answer.

    `retry_after` is the server's own wish in seconds, None when it named none. `is_passing` says that the same
    request may succeed a moment later.
    """

    def __init__(
        self, reason: str, detail: str = "", *, retry_after: float | None = None, is_passing: bool = True
    ) -> None:
        super().__init__(reason, detail)
        self.retry_after = retry_after
        self.is_passing = is_passing


class RequestRejected(ModelUnavailable):
    """The endpoint works and does not want this request: too long, or a feature it does not know.

    `status` is the HTTP status. Such a failure says nothing about the endpoint's health.
    """

    def __init__(self, detail: str, *, status: int) -> None:
        super().__init__("refused", detail)
        self.status = status
