"""Why a page could not be read."""

from services.errors import ToolFailed


class PageUnavailable(ToolFailed):
    """The page could not be read.

    `reason` is a short code: `address` (no web address, or one that is not public), `timeout`, `connection`, `status`,
    `redirects` (too many), `content_type`, `too_large`, `malformed`, or `made_up` (by a model that had read what others
    wrote). `detail` says more, never text of the page.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"page unavailable: {reason} {detail}".rstrip())
        self.reason = reason
        self.detail = detail
