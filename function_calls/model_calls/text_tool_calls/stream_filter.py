"""Filter a streamed answer: pass text to a listener at once, and hold back possible call syntax."""

import re
from collections.abc import Collection

from function_calls.tools.calls import MAX_NAME_LENGTH
from services.kernel.text import replace_unstorable
from services.language_model.ports import TextListener

# The beginnings of call syntax, of a fence and of a thought, after which all text is held back until the end.
_SUSPECT = (
    r"<|&lt;|(?:assistant)?commentary to=|```|\{\s*[\"'“]|\[\s*[\[{]|\[TOOL|\[THINK|\[INST|◁"
    r"|\Aanalysis|(?m:^[ \t]*(?:thought|action|tool calls?|function calls?)[:：])"
    r"|(?m:^[ \t]*(?:Thought|Action|Tool calls?|Function calls?)[:：])"
)
_MAYBE_SUSPECT = (
    r"(?:&l?t?|`{1,2}|\{\s*|\[\s*|\[T(?:O|OO|H|HI|HIN)?|\[I(?:N|NS)?|(?:assistant)?commentary t?o?"
    r"|(?m:^[ \t]*(?:thought|action|tool calls?|function calls?|Thought|Action|Tool calls?|Function calls?)))\Z"
)
_OPENINGS = ("commentary", "assistantcommentary", "analysis", "thought", "action", "tool", "Thought", "Action", "Tool")
_LAST_WORD = r"[A-Za-z_][\w.]*\Z"


class StreamFilter:
    """Passes a model's text deltas to a listener; `names` are the tools whose calls are held back."""

    def __init__(self, listener: TextListener, names: Collection[str]) -> None:
        self._listener = listener
        self._names = tuple(names)
        # A name with an underscore occurs in calls only.
        self._call_starts = tuple(name if "_" in name else f"{name}(" for name in self._names)
        self._suspicious = (*self._names, *_OPENINGS)
        self._text = ""
        self._passed = 0
        self._is_closed = False

    async def feed(self, delta: str) -> None:
        """Add a delta, and pass on the text that is certainly no call."""
        self._text += replace_unstorable(delta)
        if not self._is_closed:
            await self._pass_on(self._safe_end())

    async def finish(self, answer: str) -> None:
        """Pass on the rest of the final answer."""
        passed = self._text[: self._passed].lstrip()
        if answer.startswith(passed) and len(answer) > len(passed):
            await self._listener(answer[len(passed) :])

    async def _pass_on(self, end: int) -> None:
        if end > self._passed:
            start, self._passed = self._passed, end
            await self._listener(self._text[start:end])

    def _safe_end(self) -> int:
        suspect = re.compile(_SUSPECT).search(self._text, self._passed)
        ends = [] if suspect is None else [suspect.start()]
        ends += [place for name in self._call_starts if (place := self._text.find(name, self._passed)) >= 0]
        if ends:
            self._is_closed = True
            return min(ends)
        maybe = re.compile(_MAYBE_SUSPECT).search(self._text, self._passed)
        if maybe is not None:
            return maybe.start()
        # A longer word begins no name, and the search takes quadratic time.
        word = re.compile(_LAST_WORD).search(self._text, max(self._passed, len(self._text) - MAX_NAME_LENGTH))
        if word is not None and any(beginning.startswith(word[0]) for beginning in self._suspicious):
            return word.start()
        return len(self._text)
