"""The project's own time expressions, with what they mean: a small set for when there are no data."""

import tomllib
from importlib.resources import files

from benchmarks.evaluation.time_cases import TimeCase, case_of


def own_cases() -> tuple[TimeCase, ...]:
    """All of them, in both languages.

    In the file `at` stands for an instant to the minute, `rule` for a recurrence; with neither there is no time.
    """
    found: list[TimeCase] = []
    folder = files(__package__).joinpath("cases", "times")
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        found += [_case(phrase, str(table["language"]), str(table["reference"])) for phrase in table["phrase"]]
    return tuple(found)


def _case(phrase: dict[str, str], language: str, reference: str) -> TimeCase:
    row: dict[str, object] = {"text": phrase["text"], "lang": language, "ref": reference, "corpus": f"own_{language}"}
    if "at" in phrase:
        return case_of({**row, "kind": "instant", "values": [{"start": phrase["at"], "grain": "minute"}]})
    if "rule" in phrase:
        return case_of({**row, "kind": "recurrence", "rrule": phrase["rule"]})
    return case_of({**row, "kind": "none"})
