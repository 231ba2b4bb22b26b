"""Masking of secrets in texts."""

import pytest

from services.call_log.secret_mask import MASK, SecretMask


def test_secret_of_the_settings_is_masked_everywhere():
    mask = SecretMask(["hunter2-hunter2", ""])

    assert mask.text("key=hunter2-hunter2!") == f"key={MASK}!"


def test_placeholder_of_a_few_characters_leaves_texts_readable():
    assert SecretMask(["x"]).text("text of example.txt") == "text of example.txt"


def test_a_secret_is_masked_in_json_too():
    mask = SecretMask(['a"b\\c'])

    assert mask.text('{"note": "a\\"b\\\\c"}') == f'{{"note": "{MASK}"}}'


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnop1234",
        "pplx-0123456789abcdef0123",
        "xoxb-123456789012-abcdefghijkl",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "123456789:AAF0123456789abcdefghijklmnopqrstuv",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc123_def",
    ],
)
def test_likely_key_is_masked(secret):
    assert SecretMask().text(f"用 {secret} 登录") == f"用 {MASK} 登录"


def test_a_bearer_token_and_a_password_in_an_address_are_masked():
    text = SecretMask().text("Authorization: Bearer abcdef123456 and postgresql://ann:hunter2@db/x")

    assert "abcdef123456" not in text
    assert "hunter2" not in text
    assert text.endswith("@db/x")


@pytest.mark.parametrize("name", ["password", "API_KEY", "apiKey", "client_secret", "access_token", "密码"])
def test_a_field_that_is_named_like_a_secret_is_masked(name):
    masked = SecretMask().text(f'{{"user": "ann", "{name}": "hunter \\"2\\""}}')

    assert masked == f'{{"user": "ann", "{name}": "{MASK}"}}'


@pytest.mark.parametrize(
    "text",
    [
        "remind me to ask for the password",
        "提醒我明天8:30开会",
        '{"content": "risk-management-workshop-2026", "time": "2026-11-20 10:00"}',
        "https://example.org:8080/a@b",
        '{"tokens": 12, "secretary": 1}',
    ],
)
def test_ordinary_text_is_unchanged(text):
    assert SecretMask().text(text) == text


@pytest.mark.parametrize("piece", ["secret ", '"secret', "sk-", "://a:", "eyJ", "12345678:AA", '"password": "\\'])
def test_hostile_text_is_masked_in_bounded_time(piece):
    import time

    text = piece * (100_000 // len(piece))
    started = time.process_time()
    SecretMask().text(text)

    assert time.process_time() - started < 1.0
