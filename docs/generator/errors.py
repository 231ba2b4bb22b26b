"""Generate the page of errors and refusals."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache

import bot
import function_calls
import services
from docs.generator.markdown import cell, table
from function_calls.language.messages import catalogue
from services.kernel.errors import AssistantError

_HEAD = """# Errors and refusals

An error says who must act: `RequestRefused` the person (its text is safe to show), `ArgumentsInvalid` and
`ToolFailed` the model, `DeliveryFailed` the bot (it is retried), `ConfigError` the operator.
"""
_REFUSALS = """## Refusals

| code | English | 中文 |
|---|---|---|
"""
_WITHOUT_ERRORS = ("bot.testing", "bot.platforms", "benchmarks.evaluation")
"""Left out: they need libraries that may be missing, or are for tests."""


@cache
def errors_page() -> str:
    """Return the Markdown of all errors and refusals."""
    rows = [
        (f"`{each.__name__}`", f"`{each.__module__}`", cell(inspect.getdoc(each) or ""))
        for each in sorted(error_classes(), key=lambda each: each.__name__)
    ]
    english, chinese = catalogue("en"), catalogue("zh")
    refusal_rows = [
        (f"`{code}`", cell(english[f"refused.{code}"]), cell(chinese[f"refused.{code}"])) for code in refusals()
    ]
    return "\n".join(
        [
            _HEAD,
            *table(("error", "module", "meaning"), rows),
            "",
            _REFUSALS.rstrip(),
            *table(("", "", ""), refusal_rows)[2:],
            "",
        ]
    )


def refusals() -> Iterator[str]:
    """Yield the codes of `RequestRefused` that have a text."""
    return (key.removeprefix("refused.") for key in catalogue("en") if key.startswith("refused."))


def error_classes() -> frozenset[type[AssistantError]]:
    """Return every `AssistantError` of the three packages."""
    for package in (services, function_calls, bot):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.rpartition(".")[2] == "errors" and not module.name.startswith(_WITHOUT_ERRORS):
                importlib.import_module(module.name)
    return frozenset(_below(AssistantError))


def _below(kind: type[AssistantError]) -> Iterator[type[AssistantError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _below(each)
