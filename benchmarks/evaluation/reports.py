"""Format the reports of `bubbles eval`: tables of scores, and at most `errors` misses."""

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.evaluation.conversation_scores import VERDICTS, ConversationScore
from benchmarks.evaluation.own_sentences import SentenceReading
from benchmarks.evaluation.sentence_cases import QUIET_TIERS
from benchmarks.evaluation.sentence_scores import SentenceScore
from benchmarks.evaluation.summary_scores import CitationScore, SummaryScore
from benchmarks.evaluation.tables import align_rows, format_percent
from benchmarks.evaluation.time_cases import TimeAnswer
from benchmarks.evaluation.time_scores import TimeScore
from benchmarks.evaluation.tool_scores import Judgement, ToolScore, score


def format_time_report(found: TimeScore, errors: int) -> Iterator[str]:
    """Yield the misses, and the strict and lenient accuracy by kind and corpus."""
    for case, answer in found.missed[:errors]:
        yield f"missed: {case.text!r} at {case.reference:%Y-%m-%d %H:%M} ({case.kind}) read as {_format_answer(answer)}"
    rows = [["group", "cases", "strict", "lenient", "found"]]
    for name, tally in found.groups.items():
        shares = [format_percent(part / tally.count) for part in (tally.strict, tally.lenient, tally.found)]
        rows.append([name, str(tally.count), *shares])
    yield from align_rows(rows)
    yield f"{found.phrases_per_second:,.0f} phrases a second"


def format_sentence_report(found: SentenceScore, errors: int) -> Iterator[str]:
    """Yield the misses, the figures of each language, and the latency."""
    judged = [each for each in found.results if each.case.tier in ("core", *QUIET_TIERS)]
    for each in [each for each in judged if not each.is_right][:errors]:
        yield f"missed: {each.case.text!r} ({each.case.tier}, {each.case.tool}) read as {each.tool}"
    for language, figures in found.figures.items():
        rows = [[language, "share", "sentences"]]
        rows += [[figure.name, format_percent(figure.share), str(figure.count)] for figure in figures]
        yield from align_rows(rows)
    yield f"{found.median_ms:.2f} ms a sentence (median), {found.p95_ms:.2f} ms (95 %)"


def format_own_sentence_report(readings: Mapping[str, Sequence[SentenceReading]], errors: int) -> Iterator[str]:
    """Yield the misses, and for each language the share of sentences with the right calls and arguments."""
    for each in [each for found in readings.values() for each in found if not each.is_right][:errors]:
        calls = ", ".join(f"{call.name} {dict(call.arguments)}" for call in each.interpretation.calls) or "no call"
        yield f"missed: {each.sentence.text!r}: {calls}"
    rows = [["sentences", "right", "share"]]
    for language, found in readings.items():
        right = sum(each.is_right for each in found)
        rows.append([language, f"{right}/{len(found)}", format_percent(right / len(found))])
    yield from align_rows(rows)


def format_conversation_report(scores: Mapping[str, ConversationScore], errors: int) -> Iterator[str]:
    """Yield the worst messages, the verdicts by language and kind, and the shares of each language."""
    wrong = [row for each in scores.values() for row in each.rows if row.verdict != "right"]
    for row in sorted(wrong, key=lambda row: -VERDICTS.index(row.verdict))[:errors]:
        replies = " / ".join(row.replies).replace("\n", " / ") or "(nothing)"
        place = f"{row.conversation}#{row.place} {row.sender}"
        yield f"{row.verdict}: {place}: {row.text!r}; wanted {row.note}; said {replies}"
    for language, found in scores.items():
        rows = [[language, "messages", *VERDICTS]]
        rows += [
            [kind, str(counts.total()), *(str(counts[each]) for each in VERDICTS)]
            for kind, counts in found.count_verdicts()
        ]
        yield from align_rows(rows)
        yield (
            f"right at the first try {format_percent(found.first_try)},"
            f" right or acceptable {format_percent(found.acceptable)},"
            f" harmful {format_percent(found.harmful)}, talk left alone {format_percent(found.talk_left_alone)}"
        )


def format_summary_report(scores: Sequence[SummaryScore], citations: Sequence[CitationScore]) -> Iterator[str]:
    """Yield the ROUGE scores of all methods, and the number of bullets that their citations support."""
    rows = [["corpus, method", "chats", "R-1", "R-2", "R-L", "mean ms", "95 % ms"]]
    for each in scores:
        rouge = [f"{100 * part:.2f}" for part in (each.rouge.one, each.rouge.two, each.rouge.longest)]
        rows.append(
            [f"{each.corpus}, {each.method}", str(each.count), *rouge, f"{each.mean_ms:.1f}", f"{each.p95_ms:.1f}"]
        )
    yield from align_rows(rows)
    for valid in citations:
        share = format_percent(valid.valid / valid.bullets) if valid.bullets else "-"
        yield f"{valid.corpus}: {valid.valid} of {valid.bullets} bullets cite messages that say it ({share})"


def format_tool_report(judgements: Sequence[Judgement], errors: int) -> Iterator[str]:
    """Yield the misses, the counts and the latency by language, and the failures of the model."""
    for each in [each for each in judgements if not each.is_right][:errors]:
        yield f"missed: {each.observation.prompt.text!r}: {_describe_miss(each)}"
    languages = sorted({each.observation.prompt.language for each in judgements})
    rows = [["prompts", "right tool", "right arguments", "false triggers", "median s", "slowest s"]]
    for language in languages:
        of_language = [each for each in judgements if each.observation.prompt.language == language]
        rows.append([language, *_format_counts(score(of_language))])
    rows.append(["all", *_format_counts(score(judgements))])
    yield from align_rows(rows)
    failures = [each.observation.failure for each in judgements if each.observation.failure]
    if failures:
        yield f"the model gave no answer to {len(failures)} of {len(judgements)} prompts: {failures[-1]}"


def _format_counts(found: ToolScore) -> list[str]:
    return [
        f"{found.right_tool}/{found.wanted}",
        f"{found.right_arguments}/{found.wanted}",
        f"{found.false_triggers}/{found.unwanted}",
        f"{found.median_seconds:.2f}",
        f"{found.slowest_seconds:.2f}",
    ]


def _describe_miss(judgement: Judgement) -> str:
    prompt, calls = judgement.observation.prompt, judgement.observation.calls
    if judgement.observation.failure:
        return judgement.observation.failure
    called = ", ".join(f"{call.name} {dict(call.arguments)}" for call in calls) or "no call"
    if not judgement.is_right_tool:
        return f"wanted {prompt.tool}, got {called}"
    return f"wrong {', '.join(judgement.wrong)}: {called}"


def _format_answer(answer: TimeAnswer | None) -> str:
    return "nothing" if answer is None else f"{answer.start:%Y-%m-%d %H:%M:%S} {answer.rule}".rstrip()
