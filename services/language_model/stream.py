"""Parse a streamed answer into one `Completion`, passing its text on as it arrives.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html (the lines) and the chunks of
https://platform.openai.com/docs/api-reference/chat-streaming.
"""

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable

from msgspec.structs import replace

from services.language_model.answer import (
    MAX_CALLS,
    MAX_JSON_BYTES,
    MAX_TEXT_CHARACTERS,
    Fields,
    arguments_text,
    call_entries,
    fields_of,
    finish_reason,
    first_choice,
    name_and_arguments,
    parse_object,
    read_usage,
    refuse_error,
    refuse_malformed,
    refuse_oversized,
    text_of,
)
from services.language_model.ports import Completion, CompletionRequest, RequestedCall, Usage

DONE = b"[DONE]"
_EVENT_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")
_JSON_ENDS = frozenset("} \t\r\n")  # the last character of an object and of white space behind one
_NO_ARGUMENTS = ("", "{}", "null")
_ERROR_STARTS = (b"{", b"error:")
# Each part of a call is compared with all before it, and a hostile stream has thousands of parts.
_MAX_PARSED_PARTS = 256


async def event_data(pieces: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Yield the `data` of each event in a stream that is cut into arbitrary pieces.

    Chat-completions servers write one `data` line an event, so an event is a line here. Some put an error into the
    stream as a line of its own.
    """
    rest = b""
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > MAX_JSON_BYTES:
            refuse_oversized()
        for line in lines:
            if data := _data(line):
                yield data
    if data := _data(rest):
        yield data


def is_event_stream(body: bytes) -> bool:
    """Return whether a whole body is a stream of events, regardless of its content type."""
    return body.lstrip(b"\xef\xbb\xbf\r\n ").startswith(_EVENT_STARTS)


def read_events(body: bytes) -> Completion:
    """Read a streamed answer from its whole body.

    Raises:
        ModelUnavailable: it is not an answer.
    """
    answer = StreamedAnswer()
    for data in filter(None, map(_data, body.split(b"\n"))):
        if data == DONE:
            answer.end()
            break
        answer.add_event(data)
        if answer.is_full:
            break
    return answer.completion()


def _data(line: bytes) -> bytes:
    if line.startswith(b"data:"):
        return line[5:].strip()
    if line.startswith(_ERROR_STARTS):
        return line.removeprefix(b"error:").strip()
    return b""


class _PartialCall:
    """A call that is still arriving, at `place` among the calls of its answer."""

    __slots__ = ("arguments", "id", "name", "place", "times_parsed")

    def __init__(self, place: int) -> None:
        self.place = place
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.times_parsed = 0

    def add(self, identity: str, name: str, arguments: str) -> None:
        """Add a part; a name comes once, again with every part, or in pieces itself."""
        self.id = self.id or identity
        if name and name != self.name:
            self.name = name if name.startswith(self.name) else self.name + name
        if arguments:
            self.arguments.append(arguments)

    def is_over(self, identity: str, name: str, arguments: str) -> bool:
        """Return whether a part with `identity`, `name` and `arguments` begins another call.

        Gemini, and proxies of it, give every call of an answer the same index or none; others also the same id. Then
        two calls of one function differ only in arguments that begin again after complete ones.
        """
        if name and name != self.name:
            return bool(self.arguments) or bool(identity and self.id and identity != self.id)
        is_named_again = bool(name) and not (identity and identity == self.id)
        if not is_named_again and arguments.lstrip()[:1] != "{":
            return False  # nearly every part of a stream, for which the earlier parts are not parsed again
        is_open = not self.arguments or self.arguments[-1][-1:] not in _JSON_ENDS
        if is_open or self.times_parsed == _MAX_PARSED_PARTS:
            return False
        self.times_parsed += 1
        whole = _parse_arguments("".join(self.arguments))
        return bool(whole) and (is_named_again or _parse_arguments(arguments) != whole)

    @property
    def requested(self) -> RequestedCall:
        """The call. Some servers open it with empty arguments, and some end with all of them again."""
        parts: list[str] = []
        beginnings = 0
        for part in self.arguments:
            beginnings += part[:1] == "{"
            if part[:1] == "{" and beginnings <= _MAX_PARSED_PARTS and _begins_anew(part, "".join(parts)):
                parts = []
            parts.append(part)
        return RequestedCall(id=self.id, name=self.name, arguments="".join(parts))


def _begins_anew(part: str, whole: str) -> bool:
    """Return whether `part` of the arguments replaces the earlier parts, which are `whole`."""
    if whole.strip() in _NO_ARGUMENTS or part.startswith(whole):
        return True
    return _parse_arguments(part) == (_parse_arguments(whole) or "")


def _parse_arguments(arguments: str) -> object:
    """Parse `arguments`; None as long as they are incomplete, or nested too deeply."""
    if arguments[-1:] not in _JSON_ENDS:
        return None  # not parsed, because a hostile stream has thousands of parts
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return None


class StreamedAnswer:
    """Assembles the chunks of one answer."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._calls: list[_PartialCall] = []
        self._at_index: dict[int, _PartialCall] = {}
        self._finish_reason = ""
        self._is_done = False
        self._model = ""
        self._usage = Usage()
        self._text_left = MAX_TEXT_CHARACTERS
        self._arguments_left = MAX_TEXT_CHARACTERS

    @property
    def is_full(self) -> bool:
        """True once no more text is accepted; the rest of the stream need not be read."""
        return self._text_left == 0

    def add_event(self, data: bytes) -> str:
        """Add the data of one event and return its text.

        Raises:
            ModelUnavailable: the data is not a chunk, or reports an error.
        """
        return self.add_chunk(parse_object(data))

    def add_chunk(self, chunk: Fields) -> str:
        """Add a parsed chunk and return its text."""
        choice = first_choice(chunk)
        if choice is None or chunk.get("error"):
            self._add_extra(chunk)
            return ""
        if chunk.get("usage"):
            self._usage = read_usage(chunk["usage"])
        if not self._model:
            self._model = text_of(chunk.get("model"))
        if choice.get("finish_reason"):
            self._finish_reason = text_of(choice["finish_reason"]) or self._finish_reason
            if choice.get("usage"):  # where Moonshot puts it
                self._usage = read_usage(choice["usage"])
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            delta = {} if self._texts or self._calls else fields_of(choice.get("message"))
        if "tool_calls" in delta or "function_call" in delta:
            self._add_calls(call_entries(delta))
        text = text_of(delta.get("content")) or text_of(delta.get("refusal"))
        if len(text) >= self._text_left:
            text, self._finish_reason = text[: self._text_left], "length"
        self._text_left -= len(text)
        if text:
            self._texts.append(text)
        return text

    def end(self) -> None:
        """Record the end of the stream, which replaces a finish reason that the server does not give."""
        self._is_done = True

    def _add_extra(self, chunk: Fields) -> None:
        """Add a chunk without a choice: the usage, or an error."""
        if not isinstance(chunk.get("choices"), list) or chunk.get("error"):
            refuse_error(chunk)
        if chunk.get("usage"):
            self._usage = read_usage(chunk["usage"])

    def _add_calls(self, entries: Iterable[Fields]) -> None:
        for part in entries:
            identity, (name, arguments) = text_of(part.get("id")), name_and_arguments(part)
            text = arguments_text(arguments) if arguments else ""
            call = self._find_call(part.get("index"), identity, name)
            if call is None or call.is_over(identity, name, text):
                name = name or (call.name if call is not None else "")
                call = self._begin(part.get("index"))
            call.add(identity, name, text)
            self._arguments_left -= len(text)
            if self._arguments_left < 0 or len(self._calls) > MAX_CALLS:
                refuse_oversized()

    def _find_call(self, index: object, identity: str, name: str) -> _PartialCall | None:
        """Return the call that a part continues: the one at its index, else the one with its id, else the last."""
        if isinstance(index, int):
            return self._at_index.get(index)
        if identity:
            known = next((call for call in reversed(self._calls) if call.id == identity), None)
            if known is not None or name:
                return known
        return self._calls[-1] if self._calls else None

    def _begin(self, index: object) -> _PartialCall:
        call = _PartialCall(index if isinstance(index, int) else len(self._calls))
        self._calls.append(call)
        if isinstance(index, int):
            self._at_index[index] = call
        return call

    def completion(self) -> Completion:
        """Return the whole answer.

        Raises:
            EndpointFailed: the stream ended before the answer did (`malformed`).
        """
        if not (self._finish_reason or self._is_done):
            refuse_malformed("the stream was cut off before the answer ended")
        parts = sorted(self._calls, key=lambda call: call.place)
        calls = tuple(call.requested for call in parts if call.name or call.arguments)
        text = "".join(self._texts)
        return Completion(
            text=text,
            calls=calls,
            finish_reason=finish_reason(self._finish_reason, has_calls=bool(calls), has_text=bool(text)),
            model=self._model,
            usage=self._usage,
        )


class StreamGuard:
    """Passes on the text of a stream; `is_speaking` after the first. `request` is the one to send."""

    def __init__(self, request: CompletionRequest) -> None:
        self.is_speaking = False
        self._on_text = request.on_text
        self.request = request if request.on_text is None else replace(request, on_text=self._pass_on)

    async def _pass_on(self, text: str) -> None:
        self.is_speaking = True
        if self._on_text is not None:
            await self._on_text(text)
