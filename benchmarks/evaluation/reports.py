"""The tables of `bubbles eval`: scores as lines of text, with some of what was missed."""

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.evaluation.conversation_scores import VERDICTS, ConversationScore
from benchmarks.evaluation.own_sentences import ReadSentence
from benchmarks.evaluation.sentence_cases import QUIET_TIERS
from benchmarks.evaluation.sentence_scores import SentenceScore
from benchmarks.evaluation.summary_scores import CitationScore, SummaryScore
from benchmarks.evaluation.tables import aligned, percent
from benchmarks.evaluation.time_cases import TimeAnswer
from benchmarks.evaluation.time_scores import TimeScore
from benchmarks.evaluation.tool_scores import Judgement, ToolScore, score


def time_report(found: TimeScore, errors: int) -> Iterator[str]:
    """Accuracy per kind and corpus: the source's own reading, or any one in common use."""
    for case, answer in found.missed[:errors]:
        yield f"missed: {case.text!r} at {case.reference:%Y-%m-%d %H:%M} ({case.kind}) read as {_told(answer)}"
    rows = [["group", "cases", "strict", "lenient", "found"]]
    for name, tally in found.groups.items():
        shares = [percent(part / tally.count) for part in (tally.strict, tally.lenient, tally.found)]
        rows.append([name, str(tally.count), *shares])
    yield from aligned(rows)
    yield f"{found.phrases_per_second:,.0f} phrases a second"


def sentence_report(found: SentenceScore, errors: int) -> Iterator[str]:
    """Every figure per language: what is right, what fires where nothing was asked."""
    judged = [each for each in found.read if each.case.tier in ("core", *QUIET_TIERS)]
    for each in [each for each in judged if not each.is_right][:errors]:
        yield f"missed: {each.case.text!r} ({each.case.tier}, {each.case.tool}) read as {each.tool}"
    for language, figures in found.figures.items():
        rows = [[language, "share", "sentences"]]
        rows += [[figure.name, percent(figure.share), str(figure.count)] for figure in figures]
        yield from aligned(rows)
    yield f"{found.median_ms:.2f} ms a sentence (median), {found.p95_ms:.2f} ms (95 %)"


def own_sentence_report(read: Mapping[str, Sequence[ReadSentence]], errors: int) -> Iterator[str]:
    """Return the share of our own sentences of each language whose calls and arguments are all right."""
    for each in [each for one in read.values() for each in one if not each.is_right][:errors]:
        made = ", ".join(f"{call.name} {dict(call.arguments)}" for call in each.interpretation.calls) or "no call"
        yield f"missed: {each.sentence.text!r}: {made}"
    rows = [["sentences", "right", "share"]]
    for language, one in read.items():
        right = sum(each.is_right for each in one)
        rows.append([language, f"{right}/{len(one)}", percent(right / len(one))])
    yield from aligned(rows)


def conversation_report(scores: Mapping[str, ConversationScore], errors: int) -> Iterator[str]:
    """Return the verdicts on the messages of each kind and language, and the shares over all of them."""
    wrong = [row for each in scores.values() for row in each.rows if row.verdict != "right"]
    for row in sorted(wrong, key=lambda row: -VERDICTS.index(row.verdict))[:errors]:
        said = " / ".join(row.replies).replace("\n", " / ") or "(nothing)"
        place = f"{row.conversation}#{row.place} {row.sender}"
        yield f"{row.verdict}: {place}: {row.text!r}; wanted {row.note}; said {said}"
    for language, found in scores.items():
        rows = [[language, "messages", *VERDICTS]]
        rows += [
            [kind, str(counts.total()), *(str(counts[each]) for each in VERDICTS)] for kind, counts in found.kinds()
        ]
        yield from aligned(rows)
        yield (
            f"right at the first try {percent(found.first_try)}, right or acceptable {percent(found.acceptable)},"
            f" harmful {percent(found.harmful)}, talk left alone {percent(found.talk_left_alone)}"
        )


def summary_report(scores: Sequence[SummaryScore], citations: Sequence[CitationScore]) -> Iterator[str]:
    """ROUGE of ours beside the baselines, then how many bullets are borne out by what they cite."""
    rows = [["corpus, method", "chats", "R-1", "R-2", "R-L", "mean ms", "95 % ms"]]
    for each in scores:
        rouge = [f"{100 * part:.2f}" for part in (each.rouge.one, each.rouge.two, each.rouge.longest)]
        rows.append(
            [f"{each.corpus}, {each.method}", str(each.count), *rouge, f"{each.mean_ms:.1f}", f"{each.p95_ms:.1f}"]
        )
    yield from aligned(rows)
    for valid in citations:
        share = percent(valid.valid / valid.bullets) if valid.bullets else "-"
        yield f"{valid.corpus}: {valid.valid} of {valid.bullets} bullets cite messages that say it ({share})"


def tool_report(judgements: Sequence[Judgement], errors: int) -> Iterator[str]:
    """Tools, arguments and false triggers per language, and the seconds that a message takes."""
    for each in [each for each in judgements if not each.is_right][:errors]:
        yield f"missed: {each.observed.prompt.text!r}: {_wrong(each)}"
    languages = sorted({each.observed.prompt.language for each in judgements})
    rows = [["prompts", "right tool", "right arguments", "false triggers", "median s", "slowest s"]]
    for language in languages:
        here = [each for each in judgements if each.observed.prompt.language == language]
        rows.append([language, *_cells(score(here))])
    rows.append(["all", *_cells(score(judgements))])
    yield from aligned(rows)
    failures = [each.observed.failure for each in judgements if each.observed.failure]
    if failures:
        yield f"the model gave no answer to {len(failures)} of {len(judgements)} prompts: {failures[-1]}"


def _cells(found: ToolScore) -> list[str]:
    return [
        f"{found.right_tool}/{found.wanted}",
        f"{found.right_arguments}/{found.wanted}",
        f"{found.false_triggers}/{found.unwanted}",
        f"{found.median_seconds:.2f}",
        f"{found.slowest_seconds:.2f}",
    ]


def _wrong(judgement: Judgement) -> str:
    prompt, calls = judgement.observed.prompt, judgement.observed.calls
    if judgement.observed.failure:
        return judgement.observed.failure
    called = ", ".join(f"{call.name} {dict(call.arguments)}" for call in calls) or "no call"
    if not judgement.is_right_tool:
        return f"wanted {prompt.tool}, got {called}"
    return f"wrong {', '.join(judgement.wrong)}: {called}"


def _told(answer: TimeAnswer | None) -> str:
    return "nothing" if answer is None else f"{answer.start:%Y-%m-%d %H:%M:%S} {answer.rule}".rstrip()
