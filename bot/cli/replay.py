"""`bubbles replay`: run a recorded turn again, optionally with another model, and compare."""

import asyncio
import json
import shutil
from collections.abc import Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path

import click
import wcwidth

from bot.app.infrastructure import create_time_reader
from bot.app.language_models import language_model, model_interpreter, price_of
from bot.app.registry import built_in_registry
from bot.cli.commands import config_option
from bot.cli.records import chat_option, find_turn, message_argument
from bot.config.settings import Settings
from bot.config.sources import load_settings
from bot.config.terminal import printable
from function_calls.conversation.records.explanation import format_arguments
from function_calls.conversation.records.replay import Replay, ReplayedCall, rebuild_turn, replay
from function_calls.language.recurrence_text import without_rule_text
from function_calls.tools.calls import Interpreter, ToolCall
from function_calls.understanding.interpreter import OfflineInterpreter
from services.call_log.model import CallRecord, TurnRecord, UsageCost
from services.call_log.usage import MeteredModel
from services.language_model.fallback import FallbackChain
from services.storage.engine.readonly import DatabaseView
from services.storage.messages.pages import messages_before
from services.storage.records.store import SqlCallReader

_NARROWEST = 80
_GAP = "  "


@click.command()
@config_option
@message_argument
@chat_option
@click.option("--model", help="Model to ask instead of the configured one.")
@click.option("--base-url", help="OpenAI-compatible server to ask instead of the configured one.")
def replay_message(
    config: Path | None, message: str, chat: str | None, model: str | None, base_url: str | None
) -> None:
    """Run the turn again, tools answered from the record, and print both. Nothing is executed, sent or recorded."""
    settings = _with_model(load_settings(config), model, base_url)
    turn, calls, replayed = asyncio.run(_replay(settings, message, chat))
    click.echo(printable(f"{turn.person.name}: {turn.text}"))
    for line in side_by_side(_rows(turn, calls, replayed), max(_NARROWEST, shutil.get_terminal_size().columns)):
        click.echo(printable(line))
    click.echo("same calls" if replayed.is_like(calls) else "the calls differ")


def _with_model(settings: Settings, model: str | None, base_url: str | None) -> Settings:
    changes = {key: value for key, value in (("name", model), ("base_url", base_url)) if value is not None}
    return settings.model_copy(update={"model": settings.model.model_copy(update=changes)})


async def _replay(
    settings: Settings, message: str, chat: str | None
) -> tuple[TurnRecord, tuple[CallRecord, ...], Replay]:
    """Return a recorded turn with its calls, and its replay."""
    async with DatabaseView(settings.database_url) as view:
        turn, recorded_calls = await find_turn(SqlCallReader(view), message, chat)
        calls = tuple(call for call in recorded_calls if not call.is_nested)  # the agent's record answers for them
        recent = await messages_before(view, turn.address, turn.message_id, settings.router.context_messages)
    again = rebuild_turn(turn, bot_name=settings.bot.name, tools=built_in_registry().specs, recent=recent)
    client = language_model(settings.model)
    interpreter, rounds = _interpreter(client, settings), settings.model.max_rounds
    try:
        replayed = await replay(
            again, calls, interpreter, route="offline" if client is None else "model", rounds=rounds
        )
    finally:
        if client is not None:
            await client.close()
    return turn, calls, replayed


def _interpreter(client: FallbackChain | None, settings: Settings) -> Interpreter:
    times = create_time_reader(settings.time)
    if client is None:
        return OfflineInterpreter(read_times=times.parse_all)
    return model_interpreter(MeteredModel(client, price=price_of(settings.model)), settings.model, times)


def side_by_side(rows: Sequence[tuple[str, str, str]], width: int) -> list[str]:
    """Lay out (label, left, right) in lines of at most `width` cells, wrapping the two columns."""
    labels = max(wcwidth.wcswidth(label) for label, _, _ in rows)
    column = max(10, (width - labels - 2 * len(_GAP)) // 2)
    lines = []
    for label, left, right in rows:
        pairs = zip_longest(_wrap(left, column), _wrap(right, column), fillvalue="")
        for number, (one, other) in enumerate(pairs):
            parts = (wcwidth.ljust("" if number else label, labels), wcwidth.ljust(one, column), other)
            lines.append(_GAP.join(parts).rstrip())
    return lines


def _wrap(text: str, width: int) -> list[str]:
    return [part for line in text.split("\n") for part in wcwidth.wrap(line, width) or [""]]


def _rows(turn: TurnRecord, calls: Sequence[CallRecord], replayed: Replay) -> list[tuple[str, str, str]]:
    used = replayed.usage
    models = [each.model for each in used.completions if not each.error]
    reply = "" if replayed.reply is None else replayed.reply.text
    rows = [
        ("", "recorded", "replayed"),
        (
            "route",
            _route(turn.route, turn.completions[-1].model if turn.completions else ""),
            _route(used.route, models[-1] if models else ""),
        ),
        ("rounds", str(turn.rounds), str(used.round)),
        *_call_rows(calls, replayed.calls),
        ("reply", turn.reply or "(silence)", reply or "(silence)"),
        ("tokens", _tokens(turn.charge), _tokens(used.charge)),
    ]
    without_rules = partial(without_rule_text, turn.language)
    return [(label, without_rules(before), without_rules(after)) for label, before, after in rows]


def _call_rows(before: Sequence[CallRecord], after: Sequence[ReplayedCall]) -> list[tuple[str, str, str]]:
    rows = []
    for number, (recorded, replayed) in enumerate(zip_longest(before, after), start=1):
        left = "" if recorded is None else f"{recorded.tool_name}({format_arguments(recorded)})"
        right = "" if replayed is None else f"{_format_call(replayed.call)} [{replayed.match}]"
        rows.append((f"call {number}", left, right))
    return rows or [("calls", "none", "none")]


def _format_call(call: ToolCall) -> str:
    return f"{call.name}({', '.join(f'{name}={_plain(value)}' for name, value in call.arguments.items())})"


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _route(route: str, model: str) -> str:
    return f"{route} {model}".strip()


def _tokens(charge: UsageCost) -> str:
    read = f"{charge.prompt_tokens} in ({charge.cached_tokens} cached)"
    return f"{read}, {charge.completion_tokens} out, cost {charge.cost:.6g}"
