"""Markdown in texts of the bot, and mentions."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.platforms.base import OutgoingMessage
from bot.platforms.kit.markdown import Span, parse, plain, render_html, spans_of
from bot.platforms.kit.pieces import pieces
from services.kernel.chat import Person

ANN = Person(id="7", name="ann")
ANNA = Person(id="8", name="anna")
XIAOAN = Person(id="9", name="小安")


def kinds(text, **message):
    return [(span.kind, span.text) for span in spans_of(OutgoingMessage(text=text, **message))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a **b** c", Span(text="b", is_bold=True)),
        ("a *b c* d", Span(text="b c", is_italic=True)),
        ("a _b_ d", Span(text="b", is_italic=True)),
        ("a `b*c*` d", Span(text="b*c*", kind="code")),
        ("a [b](https://x.example/y_(z)) d", Span(text="b", kind="link", url="https://x.example/y_(z)")),
        (
            "see https://x.example/a_b_c for",
            Span(text="https://x.example/a_b_c", kind="link", url="https://x.example/a_b_c"),
        ),
        ("# Tea\nnow", Span(text="Tea", is_bold=True)),
        ("do\n```py\nx = 1\n```\nnow", Span(text="x = 1", kind="block", language="py")),
    ],
)
def test_each_mark_becomes_a_span(text, expected):
    assert expected in parse(text)


@pytest.mark.parametrize(
    "text", ["2*3*4", "snake_case_name", "* not a mark", "**", "half **open", "a*", "`", "[x](javascript:1)"]
)
def test_marks_without_a_partner_or_inside_words_are_text(text):
    assert parse(text) == [Span(text=text)]


def test_bold_text_may_hold_italic_text():
    assert parse("**a *b* c**")[1] == Span(text="b", is_bold=True, is_italic=True)


def test_person_to_notify_is_mentioned_at_their_name():
    assert kinds("⏰ @ann tea", mentions=(ANN,)) == [("text", "⏰ "), ("mention", "@ann"), ("text", " tea")]


def test_a_longer_name_is_not_taken_for_a_shorter_one():
    spans = spans_of(OutgoingMessage(text="@anna and @ann", mentions=(ANN, ANNA)))

    assert [span.person for span in spans if span.person] == [ANNA, ANN]


def test_a_chinese_name_needs_no_space_behind_it():
    assert ("mention", "@小安") in kinds("@小安吃药", mentions=(XIAOAN,))


def test_mention_of_a_person_is_prepended_if_the_text_has_none():
    assert kinds("tea", mentions=(ANN,)) == [("mention", "@ann"), ("text", " "), ("text", "tea")]


def test_a_name_in_code_is_not_a_mention():
    assert ("code", "@ann") in kinds("`@ann` @ann", mentions=(ANN,))


@pytest.mark.parametrize(
    "word", ["@everyone", "@here", "@all", "@channel", "@room", "@所有人", "@Everyone", "x.@everyone"]
)
def test_text_never_notifies_everybody(word):
    message = OutgoingMessage(text=f"hello {word} and `{word}`")

    assert "@" + word.partition("@")[2] not in plain(spans_of(message))


def test_mail_address_is_unchanged():
    assert kinds("write to sales@all.example") == [("text", "write to sales@all.example")]


@pytest.mark.parametrize(
    ("text", "expected"), [("⏰ everyone tea", "everyone"), ("⏰ 所有人 开会", "所有人"), ("⏰ @all x", "@all")]
)
def test_code_may_notify_everyone_by_a_word_of_the_text(text, expected):
    assert ("everyone", expected) in kinds(text, mentions_everyone=True)


def test_mention_of_everyone_is_prepended_if_the_text_has_none():
    assert kinds("tea", mentions_everyone=True)[0] == ("everyone", "@everyone")


@pytest.mark.parametrize("started", ["[", "**a ", "```x\n", "*a ", "`a ", "[a](http://x", "# "])
def test_many_marks_are_parsed_and_split_in_bounded_time(started):
    flood = started * (20_000 // len(started))
    start = time.process_time()
    spans_of(OutgoingMessage(text=flood))
    pieces(flood, 2_000)

    assert time.process_time() - start < 2


@pytest.mark.parametrize("text", ["```\n```", "a\n```py\n \n```\nb"])
def test_empty_block_is_text(text):
    assert plain(parse(text)) == text


def test_a_block_that_is_never_closed_does_not_hide_the_next_one():
    assert kinds("```a\n```b\ncode\n```") == [("text", "```a\n"), ("block", "code")]


def test_later_piece_notifies_nobody_again():
    message = OutgoingMessage(text="one\n\ntwo", mentions=(ANN,), mentions_everyone=True)

    assert [span.kind for span in spans_of(message, "two")] == ["text"]


@given(st.text(alphabet="ab*_`[]() \n#@", max_size=60))
def test_no_letter_is_ever_lost(text):
    letters = [each for each in text if each in "ab"]

    assert [each for each in plain(parse(text)) if each in "ab"] == letters


@given(st.text(alphabet="a<>&\"'`*_\n[]", max_size=60))
def test_html_holds_no_tag_that_a_person_wrote(text):
    html = render_html(parse(text), lambda span: span.text)
    without_ours = html
    for tag in ("b", "i", "code", "pre"):
        without_ours = without_ours.replace(f"<{tag}>", "").replace(f"</{tag}>", "")

    assert "<" not in without_ours


def test_html_keeps_code_links_and_mentions():
    text = "**hi** @ann\n```py\na<b\n```\n[x](https://x.example/?a=1&b=2)"
    html = render_html(
        spans_of(OutgoingMessage(text=text, mentions=(ANN,))), lambda span: f"<u>{span.text}</u>", newline="<br>"
    )

    assert html == (
        '<b>hi</b> <u>@ann</u><br><pre><code class="language-py">a&lt;b</code></pre>'
        '<a href="https://x.example/?a=1&amp;b=2">x</a>'
    )


def test_plain_text_shows_the_address_of_a_link():
    assert plain(parse("see [the page](https://x.example)")) == "see the page (https://x.example)"
