"""A regular expression that is compiled when it is first looked for.

A language has hundreds of them and its first message needs few: to compile them all took a tenth of a start.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property

Find = Callable[[str], re.Match[str] | None]
Put = str | Callable[[re.Match[str]], str]


class LazyPattern:
    """As `re.Pattern`, with the methods that are used most, for whole texts; others are those of `compiled`.

    Each is found at once after the first time.

    Raises:
        re.error: at its first use, where `pattern` is no regular expression.
    """

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """What `re` makes of it."""
        return re.compile(self.pattern, self._flags)

    @cached_property
    def search(self) -> Find:
        """The first match anywhere in a text."""
        return self.compiled.search

    @cached_property
    def match(self) -> Find:
        """The match at the beginning of a text."""
        return self.compiled.match

    @cached_property
    def fullmatch(self) -> Find:
        """The match that is the whole of a text."""
        return self.compiled.fullmatch

    @cached_property
    def finditer(self) -> Callable[[str], Iterator[re.Match[str]]]:
        """The matches in a text, one after the other."""
        return self.compiled.finditer

    @cached_property
    def sub(self) -> Callable[[Put, str], str]:
        """A text with something put in the place of every match."""
        return self.compiled.sub
