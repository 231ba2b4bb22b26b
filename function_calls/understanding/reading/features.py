"""Turn tokens into hashed features of the classifier and the tagger."""

from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

CLASS = "\x01"
"""The first character of a word class; a number follows, whose lower bits are a coarser class."""
_COARSE = 63
_LONG = 5
_KNOWN = "KNOWN"
_MOST_PIECES = 3
_TRIGRAM = 3
_TOLD = ("WHEN", "EVENT", "PERSON", "CONTENT", "REF")
"""Tags that tell, once given, what the words behind them are."""
_CLITICS = ("me", "nos", "le", "les", "te")
_ACCENTS = str.maketrans("áéíóúüñ", "aeiouun")
_ASKING = (
    frozenset({"remind", "reminder", "reminded", "reminding", "rmd", "醒", "recordatorio", "recordar", "recuerda"})
    | {f"{verb}{ending}" for verb in ("recuerda", "recorda", "recuerde") for ending in _CLITICS},
    frozenset({"ping", "nudge", "tell", "forget", "wake", "alarm", "timer", "alert", "notify", "叫", "闹"})
    | {"avisa", "avisar", "aviso", "alarma", "recorda", "recuerde"}
    | {f"{verb}{ending}" for verb in ("avisa", "avise", "acorda", "despierta") for ending in _CLITICS},
)
"""Words behind which a request names what it is about, the surest first; in front of them stands often a reason."""
_LINKS = frozenset({"to", "that", "about", "of", ":", "que", "de"})
_JOINS = frozenset({"和", "跟", "与", "同", "and", "with", "y"})
"""Words that join another person who is reminded, or begin a content: what follows tells."""
_AHEAD = 8
_TIMES = frozenset(
    {"@day", "@clock", "@part", "@dayclock", "@daypart", "@offset", "@rule", "@ruletime"}
    | {"@past", "@pastday", "@pastclock", "@pastpart", "@pastdayclock", "@pastdaypart", "@pastoffset"}
)


def strip_accents(forms: Iterable[str]) -> list[str]:
    """Return the forms of tokens without Spanish accents, which people leave out in a chat."""
    return [form if form.isascii() else form.translate(_ACCENTS) for form in forms]


def classifier_features(
    forms: Sequence[str], kinds: Sequence[str], context: str, known: frozenset[int], *, is_addressed: bool
) -> Iterable[str]:
    """Return the features of a whole message, each once: n-grams, parts of longer words, and the context.

    `kinds` are the forms with words replaced by their classes, empty where the classes do not count; `known` are the
    places of words in the texts of coming reminders.
    """
    found = [*_classifier_features(forms, context, is_addressed=is_addressed)]
    if kinds:
        found += _kind_features(("^", *kinds, "$"), context, is_addressed=is_addressed)
    if known:
        shown = [_KNOWN if at in known else form for at, form in enumerate(forms)]
        runs = [form for at, form in enumerate(shown) if form != _KNOWN or not at or shown[at - 1] != _KNOWN]
        found += _known_features(("^", *runs, "$"), context, is_addressed=is_addressed)
    return dict.fromkeys(found)


def _known_features(padded: Sequence[str], context: str, *, is_addressed: bool) -> Iterator[str]:
    """Yield the features of a message in which words of coming reminders are one token."""
    yield f"k a={is_addressed} c={context}"
    yield f"k n={min(len(padded), 8)}"
    yield f"k n={min(len(padded), 8)} c={context}"
    for at in range(1, len(padded)):
        yield f"{padded[at - 1]} {padded[at]}"
        if at > 1:
            yield f"{padded[at - 2]} {padded[at - 1]} {padded[at]}"
    for form in padded:
        yield f"k {form}"


def _is_class(kind: str) -> bool:
    """Return whether a token is shown as its class; a mark may be the same character as their first one."""
    return kind[0] == CLASS and len(kind) > 1


def _kind_features(padded: Sequence[str], context: str, *, is_addressed: bool) -> Iterator[str]:
    """Yield the n-grams that hold a word class."""
    marks = [_is_class(kind) for kind in padded]
    for at, kind in enumerate(padded):
        is_class = marks[at]
        if is_class:
            yield f"g {kind}"
            yield f"g c={context} {kind}"
            yield f"g a={is_addressed} {kind}"
        if at and (is_class or marks[at - 1]):
            yield f"g {padded[at - 1]} {kind}"
        if at > 1 and (is_class or marks[at - 1] or marks[at - 2]):
            yield f"g {padded[at - 2]} {padded[at - 1]} {kind}"


def _classifier_features(forms: Sequence[str], context: str, *, is_addressed: bool) -> Iterator[str]:
    padded = ("^", *forms, "$")
    yield f"a={is_addressed}"
    yield f"a={is_addressed} c={context}"
    yield f"c={context}"
    yield f"n={min(len(forms), 12)}"
    for at, form in enumerate(padded):
        yield form
        if at:
            yield f"{padded[at - 1]} {form}"
        if at > 1:
            yield f"{padded[at - 2]} {padded[at - 1]} {form}"
            yield f"{padded[at - 2]} * {form}"
        yield f"c={context} {form}"
        yield f"a={is_addressed} {form}"
        if len(form) >= _LONG and form[0] != "@":
            yield f"p={form[:4]}"
            yield f"s={form[-4:]}"
    if context != "none" and len(forms) <= _TRIGRAM:
        yield f"c={context} {' '.join(forms)}"


def tagger_features(
    forms: Sequence[str],
    kinds: Sequence[str],
    at: int,
    intent: str,
    tags: Sequence[str],
    known: frozenset[int],
    places: tuple[int, int] | None = None,
) -> Iterator[str]:
    """Yield the features of the token at `at`; `tags` are those of the tokens in front of it.

    `kinds` are the forms with words replaced by their classes, `known` the places of words in the texts of coming
    reminders, and `places` the `find_asking_places` of `forms`, where they are found already.
    """
    last = len(forms)
    before = tags[-1] if tags else "^"
    earlier = tags[-2] if len(tags) > 1 else "^"
    seen = "".join(tag for tag in _TOLD if tag in tags)

    def form(place: int) -> str:
        return "^" if place < 0 else "$" if place >= last else forms[place]

    here, left, right = form(at), form(at - 1), form(at + 1)
    yield f"i={intent}"
    yield f"0={here}"
    yield f"-={left}"
    yield f"+={right}"
    yield intent_feature(intent, here)
    yield f"i-={intent} {left}"
    yield f"i-0={intent} {left} {here}"
    yield f"t={before}"
    yield f"tt={earlier} {before}"
    yield f"t0={before} {here}"
    yield f"it={intent} {before}"
    yield f"t+={before} {right}"
    yield f"-0={left} {here}"
    yield f"0+={here} {right}"
    yield f"--={form(at - 2)} {left}"
    yield f"++={right} {form(at + 2)}"
    yield f"-2={form(at - 2)}"
    yield f"+2={form(at + 2)}"
    yield f"+3={form(at + 3)}"
    yield f"-3={form(at - 3)}"
    yield f"-0+={left} {here} {right}"
    yield f"t-0={before} {left} {here}"
    yield f"0++={here} {right} {form(at + 2)}"
    yield f"--0={form(at - 2)} {left} {here}"
    yield f"p={min(at, 4)} {intent}"
    yield f"e={min(last - at, 4)} {before}"
    yield f"w={seen} {before}"
    yield f"w0={seen} {here}"
    yield from _tagger_kind_features(kinds, at, intent, before, seen, (left, right))
    if known:
        near = f"{at - 1 in known:d}{at in known:d}{at + 1 in known:d}"
        yield f"k={near}"
        yield f"k={near} {intent}"
        yield f"k={near} {before}"
        yield f"k={near} {intent} {before}"
    if here[0] == "@" != here:  # what a time is for shows anywhere in the message: "提前" behind it, another time
        for side, others in (("<", forms[:at]), (">", forms[at + 1 :])):
            for other in dict.fromkeys(others):
                yield f"{side}{other}"
    if here in _JOINS:
        for other in dict.fromkeys(forms[at + 1 : at + _AHEAD]):
            yield f"j={here} {other}"
    if len(here) >= _LONG and here[0] != "@":
        yield f"p={here[:4]}"
        yield f"s={here[-3:]}"
    place = _place(at, *(places or find_asking_places(forms)))
    yield f"@={place} {before}"
    yield f"@i={place} {intent}"
    if here[0] == "@" and len(here) > 1:
        named = "".join(sorted({form for form, tag in zip(forms, tags, strict=False) if tag == "WHEN"} & _TIMES))
        later = next((form for form in forms[at + 1 :] if form in _TIMES), "")
        yield f"n={named} {here}"
        yield f"n-={named} {left} {here}"
        yield f"n+={here} {later}"
        yield f"n@={named} {here} {place}"


def _tagger_kind_features(
    kinds: Sequence[str], at: int, intent: str, before: str, seen: str, beside: tuple[str, str]
) -> Iterator[str]:
    """Yield the features of the classes of a token and of those beside it; `beside` are the forms of these."""
    kind = kinds[at]
    kind_left, kind_right = kinds[at - 1] if at else "^", kinds[at + 1] if at + 1 < len(kinds) else "$"
    if _is_class(kind):
        coarse = int(kind[1:]) & _COARSE
        yield from (f"g0={kind}", f"gi={intent} {kind}", f"gt={before} {kind}", f"gw={seen} {kind}")
        yield from (f"h0={coarse}", f"hi={intent} {coarse}", f"ht={before} {coarse}")
        yield from (f"h-={beside[0]} {coarse}", f"h+={coarse} {beside[1]}")
    if _is_class(kind) or _is_class(kind_left):
        yield f"g-0={kind_left} {kind}"
    if _is_class(kind) or _is_class(kind_right):
        yield f"g0+={kind} {kind_right}"
    if _is_class(kind_left):
        yield from (f"g-={kind_left}", f"gi-={intent} {kind_left}")
    if _is_class(kind_right):
        yield f"g+={kind_right}"


def split_features(forms: Sequence[str], tags: Sequence[str], at: int, first: int) -> Iterator[str]:
    """Yield the features of a request that begins at `at`; the one in front of it begins at `first`."""

    def form(place: int) -> str:
        return "^" if place < first else "$" if place >= len(forms) else forms[place]

    before, here, after = form(at - 1), form(at), form(at + 1)
    left, right = ([tag for tag, _ in label_pieces(part)] for part in (tags[first:at], tags[at:]))
    left, right = left[-_MOST_PIECES:], right[:_MOST_PIECES]
    known, following = " ".join(left), " ".join(right)
    has_asked = any(each in asking for asking in _ASKING for each in forms[first:at])
    asks = here in _ASKING[0] or here in _ASKING[1] or after in _ASKING[0] or after in _ASKING[1]
    yield f"0={here}"
    yield f"-={before}"
    yield f"+={after}"
    yield f"-0={before} {here}"
    yield f"0+={here} {after}"
    yield f"0++={here} {after} {form(at + 2)}"
    yield f"-0+={before} {here} {after}"
    yield f"--={form(at - 2)} {before}"
    yield f"l={known}"
    yield f"r={following}"
    yield f"lr={known}|{following}"
    yield f"l-r={known}|{before}|{following}"
    yield f"1={left[-1:]}|{before}|{right[:1]}"
    yield f"2={left[-2:]}|{before}|{right[:2]}"
    yield f"t={tags[at - 1]}|{tags[at]}"
    yield f"t-={tags[at - 1]}|{before}|{tags[at]}"
    yield f"a={has_asked} {asks} {before}"
    yield f"al={has_asked} {asks} {known}"
    yield f"n={min(at - first, 4)} {min(len(forms) - at, 4)}"


def label_pieces(tags: Sequence[str]) -> list[tuple[str, int]]:
    """Return the tag of each labelled piece and the place of its first token, in order."""
    return [(tag, at) for at, tag in enumerate(tags) if tag != "O" and (not at or tags[at - 1] != tag)]


def find_asking_places(forms: Sequence[str]) -> tuple[int, int]:
    """Return the places of the word that asks and of what links the content behind it; -1 where there is none."""
    asked = next((place for asking in _ASKING for place, form in enumerate(forms) if form in asking), -1)
    linked = (place for place in range(asked + 1, len(forms) - 1) if asked >= 0 and _links(forms, place))
    return asked, next(linked, -1)


def _place(at: int, asked: int, linked: int) -> str:
    """Return whether a token stands in front of the word that asks, or behind it or behind what links the content."""
    if asked < 0:
        return ""
    if at <= asked:
        return "<" if linked < 0 else "<:"
    return ">" if linked < 0 else ">:" if at <= linked else ":>"


def _links(forms: Sequence[str], at: int) -> bool:
    return forms[at] in _LINKS and forms[at + 1] not in _TIMES


def intent_feature(intent: str, form: str) -> str:
    """Return the feature of a token in a message of `intent`."""
    return f"i0={intent} {form}"


def compute_bucket(feature: str, buckets: int) -> int:
    """Return the row of `feature` among `buckets`, a power of two."""
    return crc32(feature.encode()) & (buckets - 1)


def compute_buckets(features: Iterable[str], buckets: int) -> list[int]:
    """Return the row of each of `features` among `buckets`, a power of two."""
    last = buckets - 1
    return [crc32(feature.encode()) & last for feature in features]
