"""Character references of HTML in plain text."""

import pytest

from services.kernel.text import unescape_html


@pytest.mark.parametrize("reference", ["&#" + "9" * 5_000 + ";", "&#" + "0" * 5_000 + "65;", "&#x" + "f" * 5_000 + ";"])
def test_impossible_character_reference_becomes_a_replacement_character(reference):
    assert "\N{REPLACEMENT CHARACTER}" in unescape_html(f"a {reference} b")


def test_character_references_are_replaced():
    assert unescape_html("&lt;b&gt; &#65;&#x42;") == "<b> AB"
