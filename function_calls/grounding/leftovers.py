"""Ask once about words in the content of a reminder that speak of its time, its days or its people."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from function_calls.functions.reminders.answers import store_until_answer
from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.language.recognized_phrases import folded
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.confirmation.buttons import buttons_to_confirm
from function_calls.tools.context import CallContext
from services.kernel.chat import Person
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule
from services.time_expressions import parse

_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_OPEN = "…"
_QUOTED = re.compile(r"[\"“「『‘`].+[\"”」』’`]")
_LATIN = re.compile(r"[a-z]")
_HAN = re.compile(r"[\u3400-\u9fff]")


async def ask_about_leftover(
    call: ToolCall, content: str | None, schedule: Schedule | None, targets: tuple[Person, ...], ctx: CallContext
) -> ToolResult | None:
    """Ask whether the content of `call` is right; None where it has no such words, or after the answer.

    Only the person's own words are asked about, not a model's wording. An edited message and
    a call that nobody can answer are not asked about either.
    """
    is_meant = bool(content) and _is_answerable(ctx) and _is_own_wording(content or "", ctx.message.text)
    words = find_leftover(content or "") if is_meant else ""
    return await _ask("leftover", words, call, content or "", schedule, targets, ctx) if words else None


async def ask_about_deadline(
    call: ToolCall, content: str, schedule: Schedule, targets: tuple[Person, ...], own_words: str, ctx: CallContext
) -> ToolResult | None:
    """Ask whether `call` is meant at the very clock time before which `own_words` want it; None where it is not."""
    words = find_deadline(own_words) if _is_answerable(ctx) else ""
    is_lost = _is_at(words, schedule, ctx)
    return await _ask("deadline", words, call, content, schedule, targets, ctx) if is_lost else None


def _is_answerable(ctx: CallContext) -> bool:
    return ctx.policy is not None and ctx.approved is None and not ctx.message.is_edited


def _is_at(words: str, schedule: Schedule, ctx: CallContext) -> bool:
    """Return whether `schedule` is at the clock time that `words` name, in either half of the day."""
    clocks = (
        {(each.start.hour % 12, each.start.minute) for each in parse(words, ctx.message_time).readings} if words else ()
    )
    return (schedule.start.hour % 12, schedule.start.minute) in clocks


async def _ask(
    key: str,
    words: str,
    call: ToolCall,
    content: str,
    schedule: Schedule | None,
    targets: tuple[Person, ...],
    ctx: CallContext,
) -> ToolResult:
    """Let `call` wait for a yes to the question `key` about `words`."""
    await store_until_answer(call, (), ctx)
    people = date_format.targets(ctx.language, targets)
    question = say(
        ctx.language,
        f"reminder.{key}",
        words=words,
        content=content,
        when=_when(schedule, ctx),
        whom=say(ctx.language, "reminder.for_whom", who=people) if people else "",
    )
    return ToolResult.question(question, buttons_to_confirm(ctx.language, "", ctx.sender, ctx.clock.now()))


def _is_own_wording(content: str, text: str) -> bool:
    """Return whether all words of `content` are in `text`; a time between them was cut out."""
    return {*_WORD.findall(folded(content))} <= {*_WORD.findall(folded(text))}


def _when(schedule: Schedule | None, ctx: CallContext) -> str:
    if schedule is None:
        return ""
    if schedule.rule:
        when = recurrence_text.schedule_words(ctx.language, schedule)
    else:
        first = next_fires(schedule, ctx.message_time, 1)
        when = date_format.moment(ctx.language, first[0], ctx.now) if first else ""
    return say(ctx.language, "reminder.leftover_when", when=when) if when else ""


def find_leftover(content: str) -> str:
    """Return the first words of `content` that the lists name, as written; empty where nothing is left over.

    A content that quotes something is taken as it is.
    """
    if _QUOTED.search(content):
        return ""
    plain = folded(content).strip()
    if len(plain) != len(content.strip()):  # a spelling changed the length: the folded words are shown
        content = plain
    found = _find_words(plain, "leftover") or (_foreign(plain) if _HAN.search(plain) else None)
    return content.strip()[found.start() : found.end()].strip(" ,，:：") if found else ""


def find_deadline(text: str) -> str:
    """Return the first words of `text` that say before which clock time something is to be done; empty without any."""
    plain = folded(text)
    found = _find_words(plain, "deadline")
    return plain[found.start() : found.end()].strip() if found else ""


def _find_words(plain: str, section: str) -> re.Match[str] | None:
    """Find the words of a section in `plain`: the Chinese ones where it has Chinese characters, else the others."""
    languages = ("zh",) if _HAN.search(plain) else ("en", "es")
    found = (_markers(language, section).search(plain) for language in languages)
    return next((each for each in found if each is not None), None)


def _foreign(plain: str) -> re.Match[str] | None:
    """Find words of time in another language than that of the rest of `plain`, which has Chinese words in it."""
    found = _markers("en", "foreign").search(plain)
    if found:
        return found
    chinese = _markers("zh", "foreign").search(plain)
    if chinese is None:
        return None
    rest = plain[: chinese.start()] + plain[chinese.end() :]
    return chinese if _LATIN.search(rest) and not _HAN.search(rest) else None


@cache
def _markers(language: str, section: str) -> re.Pattern[str]:
    """Compile the phrases of a section of the list of `language`."""
    table = tomllib.loads(files(__package__).joinpath("leftover_words", f"{language}.toml").read_text(encoding="utf-8"))
    named = {name: _any_of(words) for name, words in table["words"].items()}
    phrases = [phrase for each in table[section].values() for phrase in each]
    return re.compile("|".join(_pattern(phrase, named, language) for phrase in phrases))


def _pattern(phrase: str, named: Mapping[str, str], language: str) -> str:
    """Turn a phrase of the lists into a pattern: "…" is open text, without it the content begins or ends there."""
    is_spaced = language != "zh"
    inside = "(?<!\\w)" if is_spaced else ""
    front = inside if phrase.startswith(_OPEN) else "^"
    behind = "(?!\\w)" if is_spaced else ""
    end = behind if phrase.endswith(_OPEN) else "$"
    bare = phrase.strip(_OPEN).strip()
    words = "".join(_word_pattern(word, named) for word in re.split(r"(\{\w+\})", bare))
    return f"{front}{words}{end}"


def _any_of(words: Sequence[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"


def _word_pattern(word: str, named: Mapping[str, str]) -> str:
    return named[word[1:-1]] if word.startswith("{") else re.escape(word)
