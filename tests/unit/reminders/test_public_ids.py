"""Short ids of reminders, which people type."""

from hypothesis import given
from hypothesis import strategies as st

from services.reminders.model import public_id, row_key


@given(st.integers(min_value=1, max_value=10**10))
def test_id_is_decoded_to_its_row(key: int):
    assert row_key(public_id(key)) == key


def test_ids_begin_with_a_letter_and_have_no_similar_characters():
    ids = [public_id(key) for key in range(1, 5000)]

    assert len(set(ids)) == len(ids)
    assert {identifier[0] for identifier in ids} <= set("abcdefghjkmnpqrstuvwxyz")
    assert not set("".join(ids)) & set("01ilo")


def test_ids_of_successive_rows_have_different_first_letters():
    assert len({public_id(key)[0] for key in range(1, 11)}) >= 6


def test_invalid_id_names_no_row():
    assert [row_key(text) for text in ("", "ab", "2bcdef", "abcde0", "abcdefg", "日本語日本語")] == [None] * 6
