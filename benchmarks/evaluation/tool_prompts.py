"""The prompts of a folder, whatever its form: our own TOML files, or labelled sentences as JSON lines."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.evaluation import sentence_cases
from benchmarks.evaluation.prompts import NONE, Prompt, prompts_in
from benchmarks.evaluation.sentence_cases import SEARCH, SentenceCase

_TOOLS = {SEARCH: "perplexity_search", "search_or_none": NONE}


def tool_prompts(folder: Path) -> tuple[Prompt, ...]:
    """Return what stands in `folder`.

    Raises:
        PromptsUnreadable: a TOML file is not in our form.
    """
    return prompts_in(folder) or tuple(_prompt(case) for case in sentence_cases.cases_in(folder))


def thinned(prompts: Sequence[Prompt], limit: int) -> tuple[Prompt, ...]:
    """At most `limit` of `prompts`, spread evenly over the whole; all of them for 0."""
    if not 0 < limit < len(prompts):
        return tuple(prompts)
    return tuple(prompts[place * len(prompts) // limit] for place in range(limit))


def _prompt(case: SentenceCase) -> Prompt:
    """A labelled sentence as a prompt: its data mark neither the date nor the id that is meant."""
    accepts = [_TOOLS.get(name, name) for name in case.accepts]
    if case.tool == "reminder_set" and not (case.has_time or case.has_repetition):
        accepts.append(NONE)  # the bot asks when
    return Prompt(
        text=case.text,
        tool=_TOOLS.get(case.tool, case.tool),
        language=case.language,
        accepts=tuple(dict.fromkeys(accepts)),
        words=case.contents if case.tool == "reminder_set" else (),
    )
