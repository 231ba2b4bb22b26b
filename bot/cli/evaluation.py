"""`bubbles eval`: run the evaluations of `benchmarks/evaluation`."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

_data = click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with the cases; the project's own small set by default.",
)
_errors = click.option(
    "--errors", type=click.IntRange(min=0), default=0, show_default=True, help="How many misses to show."
)


def _endpoint(*, is_required: bool) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add the options that name a model, with the names of the fields of `ModelEndpoint`."""
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
    """Require the evaluation, which is not part of the installed package."""
    if find_spec("benchmarks.evaluation") is None:
        raise click.ClickException(
            "the evaluation is not part of the package: run it from a checkout, after make install"
        )


@evaluation.command(name="time")
@_data
@_errors
def eval_time(data: Path | None, errors: int) -> int:
    """Accuracy on time expressions, per corpus and kind."""
    from benchmarks.evaluation.command import evaluate_time

    return evaluate_time(data, errors)


@evaluation.command(name="intents")
@_data
@_errors
def eval_intents(data: Path | None, errors: int) -> int:
    """Measure the offline interpreter on sentences. Tools, restraint, contents, times."""
    from benchmarks.evaluation.command import evaluate_intents

    return evaluate_intents(data, errors)


@evaluation.command(name="conversations")
@_endpoint(is_required=False)
@click.option("--limit", type=click.IntRange(min=0), default=0, help="At most so many of a language; 0 = all.")
@_data
@_errors
def eval_conversations(limit: int, data: Path | None, errors: int, **endpoint: Any) -> int:
    """Play conversations of groups, without a model or with one. Right, asked about, wrong."""
    from benchmarks.evaluation.command import ModelEndpoint, evaluate_conversations

    named = [endpoint[option] is not None for option in ("base_url", "name")]
    if any(named) and not all(named):
        raise click.UsageError("--base-url and --model go together")
    model = ModelEndpoint(**endpoint) if all(named) else None
    return evaluate_conversations(data, model, limit=limit, errors=errors)


@evaluation.command(name="summary")
@_data
def eval_summary(data: Path | None) -> int:
    """ROUGE and citations of summaries without a model. Beside baselines."""
    from benchmarks.evaluation.command import evaluate_summary

    return evaluate_summary(data)


@evaluation.command(name="tools")
@_endpoint(is_required=True)
@click.option("--limit", type=click.IntRange(min=0), default=0, help="At most so many prompts; 0 = all.")
@_data
@_errors
def eval_tools(limit: int, data: Path | None, errors: int, **endpoint: Any) -> int:
    """Say prompts to the bot with a model behind it. Right tools, right arguments, false triggers, latency."""
    from benchmarks.evaluation.command import ModelEndpoint, evaluate_tools

    return evaluate_tools(ModelEndpoint(**endpoint), data, limit=limit, errors=errors)
