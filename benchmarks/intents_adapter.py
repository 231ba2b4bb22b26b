"""The offline interpreter as the intent scorer wants it: `interpret(text, lang, now) -> {"tool", "args"}`.

Nothing is treated as addressed to the bot, with one exception. The corpora contain questions put to an assistant
without its name, and do not mark them: a text that `asks_the_world` (weather, traffic, news, recipes, facts, by the
word lists of the language's data) is taken for a question put to the bot, and is searched. In a real chat only
addressed questions are.
"""

from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo

from function_calls.offline.pack import load_pack
from function_calls.offline.questions import asks_the_world
from function_calls.offline.requests import Ear, Request
from services.time_expressions import parse_all

ZONE = ZoneInfo("Asia/Shanghai")
KNOWN = {"reminder_set", "reminder_list", "reminder_delete", "reminder_update", "perplexity_search", "summary"}
AS_OTHER = {"reminder_snooze": "reminder_update"}


def interpret(text: str, lang: str, now: datetime) -> dict[str, object] | None:
    pack = _pack(lang)
    ear = Ear(pack=pack, now=now.replace(tzinfo=ZONE), names=("bubbles",), is_addressed=False, read_times=parse_all)
    requests = ear.requests(text)
    if requests:
        return _told(requests[0])
    return {"tool": "perplexity_search", "args": {"query": text}} if asks_the_world(text, pack) else None


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
            "person": reminder.person or "",
            "when": time.words if time is not None else "",
            "recurring": rule or "",
        },
    }


@cache
def _pack(language: str):
    return load_pack(language)
