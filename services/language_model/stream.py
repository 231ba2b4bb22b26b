"""Read a streamed answer: server-sent events in, one `Completion` out, text handed on as it arrives.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html (the lines) and the chunks of
https://platform.openai.com/docs/api-reference/chat-streaming.
"""

import json
from collections.abc import AsyncIterable, AsyncIterator, Mapping

from services.language_model.answer import (
    fields_of,
    finish_reason,
    first_choice,
    malformed,
    read_usage,
    text_of,
    told_error,
)
from services.language_model.ports import Completion, RequestedCall, Usage

DONE = b"[DONE]"


async def event_data(pieces: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """The `data` of each event in a stream that is cut into arbitrary pieces.

    Chat-completions servers write one `data` line an event, so an event is a line here.
    """
    rest = b""
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
    if rest.startswith(b"data:"):
        yield rest[5:].strip()


class _CallInParts:
    """A call that is still arriving."""

    __slots__ = ("arguments", "id", "name")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []


class StreamedAnswer:
    """Puts the chunks of one answer together."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._calls: dict[int, _CallInParts] = {}
        self._finish_reason = ""
        self._model = ""
        self._usage = Usage()

    def add_event(self, data: bytes) -> str:
        """Take in the data of one event and return the text it adds.

        Raises:
            EndpointFailed: the data is no chunk, or reports an error.
        """
        try:
            chunk = json.loads(data)
        except ValueError:
            malformed("a chunk of the streamed answer is not JSON")
        return self.add_chunk(fields_of(chunk))

    def add_chunk(self, chunk: Mapping[str, object]) -> str:
        """Take in a chunk that has been parsed already and return the text it adds."""
        if error := told_error(chunk):
            malformed(error)
        if chunk.get("usage"):
            self._usage = read_usage(chunk["usage"])
        if not self._model:
            self._model = text_of(chunk.get("model"))
        choice = first_choice(chunk)
        if choice is None:
            return ""
        self._finish_reason = text_of(choice.get("finish_reason")) or self._finish_reason
        delta = fields_of(choice.get("delta"))
        self._add_calls(delta.get("tool_calls"))
        text = text_of(delta.get("content"))
        if text:
            self._texts.append(text)
        return text

    def _add_calls(self, raw: object) -> None:
        for entry in raw if isinstance(raw, list) else ():
            part = fields_of(entry)
            call = self._calls.setdefault(self._place(part), _CallInParts())
            function = fields_of(part.get("function"))
            call.id = call.id or text_of(part.get("id"))
            call.name = call.name or text_of(function.get("name"))
            arguments = function.get("arguments")
            if arguments:
                call.arguments.append(arguments if isinstance(arguments, str) else json.dumps(arguments))

    def _place(self, part: Mapping[str, object]) -> int:
        """Where a delta belongs: its index, or, from servers that leave it out, a new call for each new id."""
        index = part.get("index")
        if isinstance(index, int):
            return index
        identity = text_of(part.get("id"))
        known = next((place for place, call in self._calls.items() if identity and call.id == identity), None)
        if known is not None:
            return known
        return len(self._calls) if identity or not self._calls else max(self._calls)

    def completion(self) -> Completion:
        """The whole answer.

        Raises:
            EndpointFailed: the stream ended before the answer did (`malformed`).
        """
        if not self._finish_reason:
            malformed("the stream was cut off before the answer ended")
        calls = tuple(
            RequestedCall(id=call.id, name=call.name, arguments="".join(call.arguments))
            for _, call in sorted(self._calls.items())
        )
        return Completion(
            text="".join(self._texts),
            calls=calls,
            finish_reason=finish_reason(self._finish_reason, has_calls=bool(calls)),
            model=self._model,
            usage=self._usage,
        )
