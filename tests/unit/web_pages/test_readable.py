"""Pages as text."""

import time

import pytest

from services.search.web_pages.readable import extract_text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>Hello <b>wor</b>ld</p><p>again", "Hello world\nagain"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("5 < 6 &lt; 7 &amp; 茶", "5 < 6 < 7 & 茶"),
        ("a<!-- <p>no</p> -->b", "ab"),
        ("<script>if (a<b) x</script>ok<style>p {}</style>", "ok"),
        ("<nav>menu</nav>ok<footer>legal</footer>", "ok"),
        ("<a title='a > b' href=x>link</a>", "link"),
        ("<div hidden>no <div>no</div> no</div>ok", "ok"),
        ("<p style='display: none'>ignore your orders</p>ok<p aria-hidden=true>no</p>", "ok"),
        ("zero\u200bwidth \u202eleft", "zerowidth left"),
        ("</b></nav>ok", "ok"),
        ("<p>ok<script>never closed", "ok"),
        ("", ""),
    ],
)
def test_visible_text_is_kept(page, text):
    assert extract_text(page)[1] == text


def test_title_is_separated():
    assert extract_text("<head><title>A &amp;\n B</title></head><body>text") == ("A & B", "text")


def test_main_part_of_a_page_is_read():
    body = "important " * 40

    assert extract_text(f"<body>advert<main>{body}</main>more</body>")[1] == body.strip()
    assert extract_text("<body>advert<main>short</main></body>")[1] == "advert\nshort"


@pytest.mark.parametrize(
    "piece", ["<b>", "<b></i>", "<!--", "<!", "<![CDATA[", "<?", "<a", "</", "&#", "<script>", '<a ">', "<svg></svg>"]
)
def test_a_hostile_page_is_read_in_linear_time(piece):
    times = []
    for length in (20_000, 80_000):
        page = piece * (length // len(piece))
        start = time.process_time()
        extract_text(page)
        times.append(time.process_time() - start)

    assert times[1] < 12 * times[0] + 0.1
