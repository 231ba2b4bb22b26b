import pytest
from hypothesis import given
from hypothesis import strategies as st

from function_calls.understanding.reading.linear import LinearModel, PackedModel

LABELS = tuple(f"label {number}" for number in range(40))
WEIGHTS = st.integers(-127, 127).filter(bool)
ROWS = st.lists(st.dictionaries(st.integers(0, len(LABELS) - 1), WEIGHTS, max_size=len(LABELS)), min_size=1, max_size=8)


def packed(rows):
    return PackedModel(
        labels=LABELS,
        buckets=len(rows),
        scale=0.5,
        bias=tuple(float(number) for number in range(len(LABELS))),
        counts=bytes(map(len, rows)),
        columns=bytes(column for row in rows for column in row),
        values=bytes(value % 256 for row in rows for value in row.values()),
    )


@given(rows=ROWS, data=st.data())
def test_score_is_the_bias_and_the_scaled_sum_of_the_weights(rows, data):
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=600))
    model = LinearModel(packed(rows))
    expected = [number + 0.5 * sum(rows[row].get(number, 0) for row in chosen) for number in range(len(LABELS))]

    assert [model.scores(chosen) for _ in range(2)] == [expected] * 2


def test_extreme_sums_of_long_rows_are_exact():
    lowest, highest = dict.fromkeys(range(len(LABELS)), -127), dict.fromkeys(range(len(LABELS)), 127)
    model = LinearModel(packed([lowest, highest]))

    assert model.scores([0] * 5_000) == [number - 0.5 * 127 * 5_000 for number in range(len(LABELS))]
    assert model.scores([1] * 5_000) == [number + 0.5 * 127 * 5_000 for number in range(len(LABELS))]


def test_probabilities_add_up_to_one():
    model = LinearModel(packed([{0: 3, 5: -8}, dict.fromkeys(range(30), 2)]))

    assert sum(model.probabilities([0, 1])) == pytest.approx(1)
