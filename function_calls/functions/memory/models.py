"""Define the argument models of the memory functions."""

from pydantic import Field

from function_calls.models import Arguments


class MemorySaveArgs(Arguments):
    """Arguments of `memory_save`."""

    text: str = Field(min_length=1, description="要记住的内容 / what to remember, as one sentence that can stand alone")
    audience: str | None = Field(
        default=None,
        description="Who may see it: 'me' (only the person who asks, the default) or 'everyone' (all of this chat).",
    )


class MemorySearchArgs(Arguments):
    """Arguments of `memory_search`."""

    query: str | None = Field(default=None, description="要找的词 / the words to look for; leave it out to list all")


class MemoryForgetArgs(Arguments):
    """Arguments of `memory_forget`."""

    reference: str = Field(
        min_length=1, description="记忆的 ID 或其中的词 / the ID of the memory (m12), or words of it"
    )
