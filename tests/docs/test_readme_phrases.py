"""Phrases of the table in the READMEs, in a group with another recent speaker."""

import asyncio
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.config.settings import BotSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform
from function_calls.language.messages import catalogue, say

ROOT = Path(__file__).parents[2]
HEADS = {"en": "| you say | it does |", "zh": "| 这样说 | 它就 |"}
FILES = {"en": "README.md", "zh": "README.zh.md"}
START = datetime(2026, 11, 20, 10, 0, tzinfo=ZoneInfo("UTC"))
FILLED = {
    "search …": "search the tallest mountain",
    "搜一下…": "搜一下最高的山",
    "Bubbles, remember that …": "Bubbles, remember that the code is 4711",
    "Bubbles，记住…": "Bubbles，记住密码是4711",
    "search the chat for …": "search the chat for week",
    "搜索聊天记录…": "搜索聊天记录 冷",
}
REPLIES = ("me too", "count me out", "算我一个", "别算我")  # these are said as a reply to a reminder
FOLLOWING = frozenset(  # these speak of what the bot has just said
    {"next page", "give me ten more minutes", "why did you do that?"}
    | {"下一页", "十分钟后再提醒", "改到下午六点", "你为什么这么做"}
)
PAGES = ("next page", "下一页")
LISTED = {"en": "list my reminders", "zh": "我有哪些提醒"}
BEFORE = {
    "en": [
        "remind me every day at 5pm to buy milk",
        "remind me every day at 3pm to open the door",
        "remind everyone every weekday at 9:45 about the standup",
        "remind me every Monday at 9 to send the report",
    ],
    "zh": [
        "提醒大家每周一早上九点交周报",
        "每天早上十点半提醒我喝水",
        "每天下午三点提醒我开门",
    ],
}


def phrases(language: str) -> Iterator[str]:
    """Read the first column of the table, one phrase for each alternative in it."""
    text = (ROOT / FILES[language]).read_text(encoding="utf-8")
    table = text[text.index(HEADS[language]) :].split("\n\n")[0]
    for row in table.splitlines()[2:]:
        cell = re.sub(r"（[^）]*）|\([^)]*\)", "", row.split("|")[1])
        for phrase in re.split(r" · |；|(?<!/)、|, (?=count me out)", cell):
            yield from alternatives(phrase.strip(), language)


def alternatives(phrase: str, language: str) -> Iterator[str]:
    """Fill in "remind me in 10 seconds / at 5pm to …", once for each time in it."""
    is_reminder = "remind me" in phrase or "提醒我…" in phrase
    if not (is_reminder and "…" in phrase):
        yield FILLED.get(phrase, phrase)
        return
    for time in phrase.removeprefix("remind me").removesuffix("to …").removesuffix("提醒我…").split(" / "):
        yield f"remind me {time.strip()} to stretch" if language == "en" else f"{time.strip()}提醒我活动一下"


CASES = [(language, phrase) for language in FILES for phrase in dict.fromkeys(phrases(language))]
_TOGETHER = 10  # as many phrases share a bot, each in a chat of its own
PARTS = [
    (language, tuple(phrase for phrase in phrases_of_language[start : start + _TOGETHER]))
    for language in FILES
    for phrases_of_language in [[phrase for of, phrase in CASES if of == language]]
    for start in range(0, len(phrases_of_language), _TOGETHER)
]


def refusals(language: str) -> tuple[str, ...]:
    """List how refusals begin, but for the search that no engine is connected for."""
    texts = {key: text.partition("{")[0] for key, text in catalogue(language).items() if key.startswith("refused.")}
    return tuple(text for key, text in texts.items() if len(text) > 4 and key != "refused.search_not_configured")


class Group:
    """A chat of two people with the bot."""

    def __init__(self, platform: FakePlatform, chat: str) -> None:
        self._platform = platform
        self._chat = chat

    async def tell(self, text: str, sender: str, *, reply_to: str | None = None) -> list[str]:
        """Say `text` and return the answers."""
        await asyncio.sleep(20)  # nobody types faster
        count = len(self._platform.texts)
        await self._platform.say(text, sender=sender, chat=self._chat, reply_to=reply_to)
        return self._platform.texts[count:]


async def answers_to(phrase: str, language: str, platform: FakePlatform) -> list[str]:
    """Say `phrase` where reminders are set and bob has just spoken, unless it speaks of the last answer."""
    group = Group(platform, phrase)
    ann = f"ann of {phrase}"  # a zone or quiet hours of one chat are none of the next
    for before in BEFORE[language]:
        await group.tell(before, "bob" if phrase in REPLIES else ann)
    for hour in range(8, 22) if phrase in PAGES else ():
        await group.tell(f"remind me tomorrow at {hour}:00 to call {hour}", ann)
    await group.tell(LISTED[language], ann)
    if phrase not in FOLLOWING:
        await group.tell("what a week!" if language == "en" else "今天好冷啊", "bob")
    return await group.tell(phrase, ann, reply_to=platform.sent_ids[-2] if phrase in REPLIES else None)


def test_tables_are_read_completely():
    assert [language for language, _ in CASES].count("en") > 40
    assert [language for language, _ in CASES].count("zh") > 30
    assert not [phrase for _, phrase in CASES if "…" in phrase or "/" in phrase]


@pytest.mark.looptime
@pytest.mark.parametrize(("language", "phrases"), PARTS)
async def test_phrases_of_the_readme_are_answered_in_a_group(language, phrases):
    clock = LoopClock(START)
    platform = FakePlatform(clock)
    settings = Settings(bot=BotSettings(timezone="UTC", language=language))
    async with build_in_memory(settings, platforms=[platform], clock=clock):
        answers = {phrase: await answers_to(phrase, language, platform) for phrase in phrases}

    assert [phrase for phrase, texts in answers.items() if not texts] == []
    assert [phrase for phrase, texts in answers.items() if texts[0].startswith(say(language, "offline.help"))] == []
    assert {phrase: texts for phrase, texts in answers.items() if texts[0].startswith(refusals(language))} == {}
