"""Define the argument models of the history functions."""

from pydantic import Field

from function_calls.models import Arguments


class HistorySearchArgs(Arguments):
    """Arguments of `history_search`."""

    query: str = Field(min_length=1, description="要找的词 / the words to look for")
    limit: int = Field(default=10, ge=1, le=50, description="最多几条 / how many messages at most")
