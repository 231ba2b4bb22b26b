"""Growing pauses between attempts."""

from itertools import islice

from services.kernel.network import growing_pauses


def test_pauses_double_up_to_a_limit():
    assert list(islice(growing_pauses(0.5, 5.0), 6)) == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]
