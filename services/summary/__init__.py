"""Summarise stored chat history; each bullet cites its source messages.

`ModelSummarizer` is in `services.summary.model_summarizer` and not imported here, so that quoting does not load it.
"""

from services.summary.model import (
    Bullet,
    DateMention,
    Finding,
    Findings,
    LinkMention,
    MessageSource,
    Participant,
    ProgressListener,
    Summarizer,
    Summary,
    SummaryMethod,
    SummaryWindow,
    TimeReader,
)
from services.summary.service import SummaryService

__all__ = [
    "Bullet",
    "DateMention",
    "Finding",
    "Findings",
    "LinkMention",
    "MessageSource",
    "Participant",
    "ProgressListener",
    "Summarizer",
    "Summary",
    "SummaryMethod",
    "SummaryService",
    "SummaryWindow",
    "TimeReader",
]
