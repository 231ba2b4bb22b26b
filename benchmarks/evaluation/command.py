"""The command `bubbles eval`, with a subcommand for each evaluation."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from loguru import logger
from msgspec import Struct
from pydantic import SecretStr

from benchmarks.evaluation import reports
from benchmarks.evaluation.prompts import Prompt, PromptsUnreadable
from benchmarks.evaluation.tool_scores import Judgement
from bot.config.settings import ModelSettings
from function_calls.model_calls.styles.style_detection import StyleName
from function_calls.tools.calls import Interpreter
from services.kernel.errors import ConfigError
from services.language_model.fallback import FallbackChain

_data_option = click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with the cases; the project's own small set by default.",
)
_errors_option = click.option(
    "--errors", type=click.IntRange(min=0), default=0, show_default=True, help="How many misses to show."
)


def _add_endpoint_options(*, is_required: bool) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that adds the options of a model, named as the fields of `ModelEndpoint`."""
    options = (
        click.option(
            "--base-url", required=is_required, help="OpenAI-compatible server, such as http://127.0.0.1:8092/v1."
        ),
        click.option("--model", "name", required=is_required, help="Model name as that server knows it."),
        click.option(
            "--api-key", envvar="OPENAI_API_KEY", default="none", help="Key of that server; OPENAI_API_KEY by default."
        ),
        click.option(
            "--style",
            type=click.Choice(["auto", "native", "json_router", "prompt"]),
            default="auto",
            show_default=True,
            help="How tools are offered to the model.",
        ),
        click.option(
            "--timeout",
            "timeout_seconds",
            type=click.FloatRange(min=1),
            default=60.0,
            show_default=True,
            help="Seconds one answer may take.",
        ),
    )

    def add_options(command: Callable[..., int]) -> Callable[..., int]:
        for option in reversed(options):
            command = option(command)
        return command

    return add_options


@click.group()
def evaluation() -> None:
    """Group the evaluations."""


@evaluation.command(name="time")
@_data_option
@_errors_option
def evaluate_time(data: Path | None, errors: int) -> int:
    """Accuracy on time expressions, per corpus and kind."""
    from benchmarks.evaluation import time_cases
    from benchmarks.evaluation.offline_reading import read_phrase
    from benchmarks.evaluation.time_scores import score

    cases = time_cases.load_own_cases() if data is None else tuple(time_cases.load_cases(data))
    if not cases:
        return _report_no_cases(data, "*.jsonl with time expressions")
    return _print_lines(reports.format_time_report(score(cases, read_phrase), errors))


@evaluation.command(name="intents")
@_data_option
@_errors_option
def evaluate_intents(data: Path | None, errors: int) -> int:
    """Measure the offline interpreter on sentences. Tools, restraint, contents, times."""
    if data is None:
        return _evaluate_own_intents(errors)
    from benchmarks.evaluation import sentence_cases
    from benchmarks.evaluation.offline_reading import read_sentence
    from benchmarks.evaluation.sentence_scores import score

    cases = tuple(sentence_cases.load_cases(data))
    if not cases:
        return _report_no_cases(data, "*.jsonl with labelled sentences")
    return _print_lines(reports.format_sentence_report(score(cases, read_sentence), errors))


@evaluation.command(name="conversations")
@_add_endpoint_options(is_required=False)
@click.option("--limit", type=click.IntRange(min=0), default=0, help="At most so many of a language; 0 = all.")
@_data_option
@_errors_option
def evaluate_conversations(limit: int, data: Path | None, errors: int, **endpoint: Any) -> int:
    """Play conversations of groups, without a model or with one. Right, asked about, wrong."""
    named = [endpoint[option] is not None for option in ("base_url", "name")]
    if any(named) and not all(named):
        raise click.UsageError("--base-url and --model go together")
    model = ModelEndpoint(**endpoint) if all(named) else None
    from benchmarks.evaluation.conversation_cases import OWN_CONVERSATIONS, load_conversations
    from benchmarks.evaluation.conversation_play import play
    from benchmarks.evaluation.conversation_scores import ConversationScore, Row

    conversations = tuple(load_conversations(data or OWN_CONVERSATIONS))
    if not conversations:
        return _report_no_cases(data, "*.jsonl with conversations")
    rows: dict[str, list[Row]] = {each.lang: [] for each in conversations}
    with _open_interpreter(model) as interpreter:
        for language, of_language in rows.items():
            chosen = [each for each in conversations if each.lang == language][: limit or None]
            of_language.extend(row for each in chosen for row in play(each, interpreter))
    scores = {language: ConversationScore(tuple(found)) for language, found in rows.items()}
    return _print_lines(reports.format_conversation_report(scores, errors))


@evaluation.command(name="summary")
@_data_option
def evaluate_summary(data: Path | None) -> int:
    """ROUGE and citations of summaries without a model. Beside baselines."""
    from benchmarks.evaluation import summary_cases
    from benchmarks.evaluation.summary_scores import score, score_citations

    cases = summary_cases.load_own_cases() if data is None else tuple(summary_cases.load_cases(data))
    if not cases:
        return _report_no_cases(data, "*.jsonl with conversations and their summaries")
    return _print_lines(reports.format_summary_report(score(cases), score_citations(cases)))


class ModelEndpoint(Struct, frozen=True, kw_only=True):
    """The address and name of a model to evaluate, the style of its tools, and the limit for one answer."""

    base_url: str
    name: str
    api_key: str
    style: StyleName
    timeout_seconds: float


@evaluation.command(name="tools")
@_add_endpoint_options(is_required=True)
@click.option("--limit", type=click.IntRange(min=0), default=0, help="At most so many prompts; 0 = all.")
@_data_option
@_errors_option
def evaluate_tools(limit: int, data: Path | None, errors: int, **endpoint: Any) -> int:
    """Say prompts to the bot with a model behind it. Right tools, right arguments, false triggers, latency."""
    from benchmarks.evaluation.prompts import load_own_prompts, load_prompts, sample_prompts

    try:
        prompts = sample_prompts(load_own_prompts() if data is None else load_prompts(data), limit)
    except PromptsUnreadable as error:
        click.echo(f"bubbles: {error}", err=True)
        return 2
    if not prompts:
        return _report_no_cases(data, "*.toml prompts or *.jsonl sentences")
    judgements = asyncio.run(_judge_with_model(ModelEndpoint(**endpoint), prompts))
    _print_lines(reports.format_tool_report(judgements, errors))
    return 1 if all(each.observation.failure for each in judgements) else 0


def _evaluate_own_intents(errors: int) -> int:
    from benchmarks.evaluation.own_sentences import LANGUAGES, load_own_sentences, read_sentences
    from benchmarks.evaluation.prompts import load_own_prompts
    from function_calls.understanding.interpreter import OfflineInterpreter

    judgements = asyncio.run(_judge_prompts(OfflineInterpreter(), load_own_prompts()))
    _print_lines(reports.format_tool_report(judgements, errors))
    readings = {language: read_sentences(load_own_sentences(language), language) for language in LANGUAGES}
    return _print_lines(reports.format_own_sentence_report(readings, errors))


@contextmanager
def _open_interpreter(endpoint: ModelEndpoint | None) -> Iterator[Interpreter | None]:
    """Yield an interpreter whose model runs in a separate thread, or None without an endpoint."""
    if endpoint is None:
        yield None
        return
    from benchmarks.evaluation.blocking_model import open_blocking_model
    from bot.app.language_models import model_interpreter

    settings = _make_settings(endpoint)
    with open_blocking_model(_open_model(settings)) as model:
        yield model_interpreter(model, settings)


async def _judge_with_model(endpoint: ModelEndpoint, prompts: Iterable[Prompt]) -> list[Judgement]:
    from bot.app.language_models import model_interpreter

    settings = _make_settings(endpoint)
    model = _open_model(settings)
    try:
        return await _judge_prompts(model_interpreter(model, settings), prompts, is_cold=True)
    finally:
        await model.close()


def _make_settings(endpoint: ModelEndpoint) -> ModelSettings:
    return ModelSettings(
        base_url=endpoint.base_url,
        name=endpoint.name,
        api_key=SecretStr(endpoint.api_key),
        function_calling=endpoint.style,
        timeout_seconds=endpoint.timeout_seconds,
        max_retries=0,
    )


def _open_model(settings: ModelSettings) -> FallbackChain:
    from bot.app.language_models import language_model

    model = language_model(settings)
    if model is None:
        raise ConfigError("--base-url", "", "name the server to be measured")
    return model


async def _judge_prompts(
    interpreter: Interpreter, prompts: Iterable[Prompt], *, is_cold: bool = False
) -> list[Judgement]:
    from benchmarks.evaluation.bot_runner import run_bot
    from benchmarks.evaluation.tool_scores import judge

    with _disable_logs():
        async with run_bot(interpreter) as bot:
            if is_cold:
                await bot.warm_up()
            return [judge(await bot.send(prompt)) for prompt in prompts]


@contextmanager
def _disable_logs() -> Iterator[None]:
    """Disable the logs of the bot, which are not part of the report."""
    packages = ("bot", "function_calls", "services")
    for package in packages:
        logger.disable(package)
    try:
        yield
    finally:
        for package in packages:
            logger.enable(package)


def _print_lines(lines: Iterable[str]) -> int:
    for line in lines:
        click.echo(line)
    return 0


def _report_no_cases(data: Path | None, wanted: str) -> int:
    click.echo(f"bubbles: {data} holds no {wanted}", err=True)
    return 2
