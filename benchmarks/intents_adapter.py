"""The offline interpreter as the intent scorer wants it: `interpret(text, lang, now) -> {"tool", "args"}`.

The corpora hold questions put to an assistant beside lines of chats between people, and do not say which is which.

- `interpret` treats nothing as addressed to the bot, with one exception: a text that `asks_the_world` (weather,
  traffic, news, recipes, facts, by the word lists of the language's data) is taken for a question put to the bot.
- `overhear` treats nothing at all as addressed: what the bot does in a group where nobody spoke to it.
- `asked` treats everything as addressed: what it does in a private chat.

They mark the people of a sentence name by name and leave out what stands between ("Josh Mo" for Josh and Mo), so the
answers name several people in the same way.

A time is what names one, also where no clock can read it ("later", "when I get home") and the bot asks when.
"""

from datetime import datetime
from zoneinfo import ZoneInfo

from function_calls.understanding.pack import load_pack
from function_calls.understanding.questions import asks_the_world, is_question
from function_calls.understanding.requests import Ear, Request
from services.time_expressions import parse_all

ZONE = ZoneInfo("Asia/Shanghai")
KNOWN = {"reminder_set", "reminder_list", "reminder_delete", "reminder_update", "perplexity_search", "summary"}
AS_OTHER = {"reminder_snooze": "reminder_update"}


def interpret(text: str, lang: str, now: datetime) -> dict[str, object] | None:
    told = _heard(text, lang, now, is_addressed=False)
    return told or (_search(text) if asks_the_world(text, load_pack(lang)) else None)


def overhear(text: str, lang: str, now: datetime) -> dict[str, object] | None:
    return _heard(text, lang, now, is_addressed=False)


def asked(text: str, lang: str, now: datetime) -> dict[str, object] | None:
    told = _heard(text, lang, now, is_addressed=True)
    return told or (_search(text) if is_question(text, load_pack(lang)) else None)


def _heard(text: str, lang: str, now: datetime, *, is_addressed: bool) -> dict[str, object] | None:
    ear = Ear(
        pack=load_pack(lang),
        now=now.replace(tzinfo=ZONE),
        names=("bubbles",),
        is_addressed=is_addressed,
        read_times=parse_all,
    )
    requests = ear.requests(text)
    return _told(requests[0]) if requests else None


def _search(text: str) -> dict[str, object]:
    return {"tool": "perplexity_search", "args": {"query": text}}


def _told(request: Request) -> dict[str, object] | None:
    tool = AS_OTHER.get(request.intent, request.intent)
    if tool not in KNOWN:
        return None
    if not request.reminders:
        return {"tool": tool, "args": {"query": request.words("query")}}
    reminder = request.reminders[0]
    time = reminder.time
    rule = time.best.rrule if time is not None and time.best is not None else None
    return {
        "tool": tool,
        "args": {
            "content": reminder.content,
            "person": (reminder.person or "").replace(" and ", " "),
            "when": time.words if time is not None else "",
            "recurring": rule or "",
        },
    }
