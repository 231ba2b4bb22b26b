"""Measure the search for tools: the size of the first request, and how often the right tool is offered.

    python -m benchmarks.tool_search --data FOLDER [--pool 200] [--errors 20]

FOLDER has `functions/dev/validate.jsonl` (sentences with the expected calls) and `openapi/docs` (the documents that
`benchmarks/evaluation/cases/tools.toml` has sentences for). The bot's own functions are attached as well. The model is
a script that searches with the unchanged sentence; a real model would choose, and translate, the words of its query.
"""

import argparse
import asyncio
import json
import random
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from loguru import logger

from benchmarks.evaluation.prompts import load_own_prompts
from benchmarks.evaluation.sentence_cases import NONE
from bot.app.registry import built_in_registry
from bot.testing.models import completion, requested
from bot.testing.turns import make_turn
from function_calls.llm import FunctionCallLLM
from function_calls.model_calls.styles.style_detection import FixedStyle, make_styles
from function_calls.tools.calls import ToolSpec
from function_calls.tools.catalog.offered_tools import OfferedTools
from function_calls.tools.catalog.tool_search import TOOL_SEARCH
from function_calls.toolsets.openapi.importer import import_document
from services.kernel.bounded import IdentityCache
from services.language_model.ports import Completion, CompletionRequest

CASES = Path(__file__).parent / "evaluation" / "cases" / "tools.toml"
STYLES: tuple[FixedStyle, ...] = ("native", "json_router", "prompt")
HAN = re.compile(r"[\u3400-\u9fff]")
MAX_SIZED_SENTENCES = 30
"""The number of sentences of each pool whose requests are measured in every style."""
CATALOGS: dict[int, IdentityCache[OfferedTools]] = {}


class Case(NamedTuple):
    """A sentence and the tool that should be called."""

    text: str
    tool: str


class Offered(NamedTuple):
    """The tools that a model gets: with schemas in the first request, by name in its list, and after one search."""

    first: frozenset[str]
    listed: frozenset[str]
    found: frozenset[str]


def load_functions(folder: Path) -> tuple[dict[str, ToolSpec], list[Case]]:
    """Return the public functions, each with the first of its descriptions, and their sentences."""
    specs: dict[str, ToolSpec] = {}
    cases = []
    for line in (folder / "functions" / "dev" / "validate.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        function = row["function"]
        name = re.sub(r"[^\w-]", "_", function["name"])[:64]
        spec = ToolSpec(name=name, description=function["description"], parameters=function["parameters"])
        specs.setdefault(name, spec)
        cases.append(Case(row["question"], name))
    return specs, cases


def load_documents(folder: Path) -> tuple[dict[str, ToolSpec], list[Case]]:
    """Return the tools of the OpenAPI documents, and the project's sentences for them.

    Raises:
        SystemExit: A sentence names a tool that no document has.
    """
    specs: dict[str, ToolSpec] = {}
    cases = []
    for document, sentences in tomllib.loads(CASES.read_text(encoding="utf-8")).items():
        parsed = json.loads((folder / "openapi" / "docs" / f"{document}.json").read_text(encoding="utf-8"))
        for operation in import_document(parsed, "http://tools.example").operations:
            specs.setdefault(operation.spec.name, operation.spec)
        cases += [Case(text, name) for name, texts in sentences.items() for text in texts]
    unknown = sorted({case.tool for case in cases} - set(specs))
    if unknown:
        raise SystemExit(f"no such tools in the documents: {', '.join(unknown)}")
    return specs, cases


def make_pools(names: Sequence[str], size: int) -> Iterator[list[str]]:
    """Divide `names` into random pools of `size`; the last one is filled up with names of the first."""
    mixed = list(names)
    random.Random(25).shuffle(mixed)
    for start in range(0, len(mixed), size):
        pool = mixed[start : start + size]
        yield pool + mixed[: size - len(pool)] if start else pool


def measure_size(request: CompletionRequest) -> int:
    """Return the size of the messages, tools and format of a request in bytes."""
    fields = {"messages": request.messages, "response_format": request.response_format}
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=dict)
    return len(text.encode()) + len(request.tools or b"")


async def record_requests(
    text: str, tools: tuple[ToolSpec, ...], style: FixedStyle = "native", maximum: int = 50
) -> list[CompletionRequest]:
    """Return the requests that the model gets for a sentence; tools are searched above `maximum` tools."""
    model = SearchingModel(text)
    llm = FunctionCallLLM(model, styles=make_styles(style, model), tool_search_above=maximum)
    llm._catalog = CATALOGS.setdefault(maximum, llm._catalog)  # reuse the index of a pool
    await llm.interpret(make_turn(text, tools=tools))
    return model.requests


def list_offered(requests: Sequence[CompletionRequest]) -> Offered:
    """Return the tools in the first two requests."""
    first, found = map(list_names, requests[:2])
    lines = str(requests[0].messages[0]["content"]).splitlines()
    return Offered(first, frozenset(line.split(":")[0] for line in lines), found)


def list_names(request: CompletionRequest) -> frozenset[str]:
    """Return the names of the tools that a request has with their schemas."""
    return frozenset(tool["function"]["name"] for tool in json.loads(request.tools or b"[]"))


class SearchingModel:
    """A model that searches tools once with `query` and then answers with text."""

    name = "searching"

    def __init__(self, query: str) -> None:
        self._query = query
        self.requests: list[CompletionRequest] = []

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return the search for the first request, and a text for later ones."""
        self.requests.append(request)
        return (
            completion("no")
            if len(self.requests) > 1
            else completion("", requested(TOOL_SEARCH.name, query=self._query))
        )


async def measure(title: str, specs: Mapping[str, ToolSpec], cases: Sequence[Case], pool: int, errors: int) -> None:
    """Print the figures of one source of sentences."""
    own = built_in_registry().specs
    shares: dict[str, list[float]] = defaultdict(list)
    missed: list[Case] = []
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    done: set[str] = set()
    for names in make_pools(list(specs), pool):
        tools = (*(specs[name] for name in names), *own)
        pool_cases = [
            case for case in cases if case.tool not in done and (case.tool in names or case.tool not in specs)
        ]
        for case in pool_cases:
            offered = list_offered(await record_requests(case.text, tools))
            language = "zh" if HAN.search(case.text) else "en"
            count = counts[language]
            is_found = case.tool in offered.first | offered.found
            for place, is_right in enumerate(
                (True, case.tool in offered.first, is_found, is_found or case.tool in offered.listed)
            ):
                count[place] += is_right
            if not is_found:
                missed.append(case)
        done.update(names)
        for style in STYLES:
            for case in pool_cases[:: max(len(pool_cases) // MAX_SIZED_SENTENCES, 1)]:
                searched, whole = [
                    measure_size((await record_requests(case.text, tools, style, maximum))[0]) for maximum in (50, 0)
                ]
                shares[style].append(100 * searched / whole)
    print(f"\n{title}: {len(specs)} tools in pools of {pool}, with {len(own)} own functions")
    for language, (total, first, full, listed) in sorted(counts.items()):
        rates = (f"{100 * each / total:6.1f} %" for each in (first, full, listed))
        print(
            "  {} {:5} sentences: in the first request {}, or by one search {}, or in the list {}".format(
                language, total, *rates
            )
        )
    for style, each in shares.items():
        mean, maximum = sum(each) / len(each), max(each)
        print(f"  first request, {style:11}: {mean:5.1f} % of the bytes of all, at most {maximum:.1f} %")
    for case in missed[:errors]:
        print(f"    {case.tool}: {case.text[:120]!r}")


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pool", type=int, default=200, help="tools attached at a time")
    parser.add_argument(
        "--errors", type=int, default=0, help="sentences to print whose tool was neither offered nor found"
    )
    options = parser.parse_args()
    logger.remove()
    sources = {"functions": load_functions(options.data), "OpenAPI documents": load_documents(options.data)}
    every = {name: spec for specs, _ in sources.values() for name, spec in specs.items()}
    smallest = dict(sorted(every.items(), key=lambda each: OfferedTools.size_of(each[1]))[: options.pool])
    known = [case for _, cases in sources.values() for case in cases if case.tool in smallest]
    sources["the smallest of both"] = smallest, known
    for title, (specs, cases) in sources.items():
        await measure(title, specs, cases, options.pool, options.errors)
    prompts = [Case(each.text, each.tool) for each in load_own_prompts() if each.tool != NONE]
    await measure("the bot's own functions", smallest, prompts, options.pool, options.errors)


if __name__ == "__main__":
    asyncio.run(main())
