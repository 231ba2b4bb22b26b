"""Change messages of other programs at random, for fuzz tests."""

import copy

from hypothesis import strategies as st

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.text(max_size=30),
    st.sampled_from(["", "0", "-1", "99999999999999999999", 10**15, "\x00", "\ud7ff", "[CQ:at,qq=", "<@>", "{"]),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def value_paths(value, path=()):
    """Yield the path of every value inside."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield from value_paths(each, (*path, key))


@st.composite
def change_sample(draw, samples):
    """Draw one of `samples` with up to three values replaced or removed."""
    raw = copy.deepcopy(draw(st.sampled_from(samples)))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from([each for each in value_paths(raw) if each]))
        *way, last = path
        inside = raw
        for key in way:
            inside = inside[key]
        if draw(st.booleans()) or isinstance(inside, list):
            inside[last] = draw(JSON)
        else:
            del inside[last]
        if not isinstance(raw, dict) or not raw:
            break
    return raw
