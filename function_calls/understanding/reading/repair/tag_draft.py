"""The tags of a message while they are corrected, which the modules of tag repair share."""

from function_calls.understanding.reading.lexicon import Lexicon
from function_calls.understanding.reading.message import MessageReading, find_runs


class TagDraft:
    """The tags of a reading, which its methods change in place.

    Attributes:
        tags: One tag for each token; drafts that are made of the same list share it.
        tokens: The tokens of the message.
        forms: The folded words of the tokens; those of time expressions begin with `@`.
        text: The message as it was written.
        words: The words of its language.
    """

    def __init__(self, reading: MessageReading, words: Lexicon, tags: list[str]) -> None:
        self.tags = tags
        self.tokens = reading.tokens
        self.forms = [token.form for token in reading.tokens]
        self.text = reading.text
        self.words = words

    def has(self, tag: str) -> bool:
        """Return whether any token has `tag`."""
        return tag in self.tags

    def set_tag(self, first: int, last: int, tag: str) -> None:
        """Give `tag` to the tokens from `first` up to `last`, which is exclusive."""
        self.tags[first:last] = [tag] * (last - first)

    def find_runs(self, tag: str) -> list[tuple[int, int]]:
        """Return where the runs of tokens with `tag` begin and end, the end exclusive."""
        return list(find_runs(self.tags, tag))

    def find_end_of_content(self, at: int) -> int:
        """Return where the run of content tokens that begins at `at` ends; `at` itself where there is none."""
        while at < len(self.tags) and self.tags[at] == "CONTENT":
            at += 1
        return at
