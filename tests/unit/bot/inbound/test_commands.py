"""Slash commands as sentences, and commands with their own handler."""

import pytest

from bot.inbound.middleware import Commands
from bot.platforms.kit.commands import is_managing_command, sentence_of
from bot.testing.turns import make_message


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("/remind in 5 minutes tea", "remind me in 5 minutes tea"),
        ("/remind us tomorrow at 9 to call", "remind us tomorrow at 9 to call"),
        ("/remind 5分钟后喝茶", "提醒我5分钟后喝茶"),
        ("/remind 大家明天9点开会", "提醒大家明天9点开会"),
        ("/reminders", "list my reminders"),
        ("/summary", "summarize the chat"),
        ("/summary 20", "summarize the last 20 messages"),
        ("/search weather in Berlin", "search weather in Berlin"),
        ("/search 柏林天气", "搜索柏林天气"),
        ("/HELP", "help"),
        ("/help@Bubbles", "help"),
        ("/remind", "help"),
        ("/remindme at 5 to eat", "remind me at 5 to eat"),
        ("/提醒 明天九点开会", "提醒我明天九点开会"),
        ("Bubbles, /help", "help"),
        ("@Bubbles /remind 5pm tea", "remind me 5pm tea"),
    ],
)
def test_command_is_the_sentence_it_stands_for(command, sentence):
    assert sentence_of(command, "Bubbles", "en") == sentence


def test_a_command_without_words_is_read_in_the_language_of_the_bot():
    assert sentence_of("/summary", "泡泡", "zh") == "总结一下"


@pytest.mark.parametrize("text", ["/shrug", "/help@other", "remind me", "see /help", "/reminder x", ""])
def test_other_text_is_no_command(text):
    assert sentence_of(text, "Bubbles", "en") is None


@pytest.mark.parametrize(
    "text", ["/tools", "/插件", "/LINK 123456", "/unlink@Bubbles", "@Bubbles /unlink", "/chatname tea", "/发到 tea x"]
)
def test_command_with_its_own_handler_is_for_the_bot(text):
    assert is_managing_command(text, "Bubbles")


@pytest.mark.parametrize("text", ["/help", "/reminder_list", "/shrug", "tools", "see /tools", "/tools@other", ""])
def test_other_texts_have_no_handler_of_their_own(text):
    assert not is_managing_command(text, "Bubbles")


async def test_a_command_is_addressed_to_the_bot():
    passed = []

    async def call_next(message):
        passed.append(message)

    await Commands("Bubbles", "en")(make_message("/reminders"), call_next)
    await Commands("Bubbles", "en")(make_message("hello"), call_next)

    assert [message.text for message in passed] == ["list my reminders", "hello"]
    assert passed[0].is_addressed
