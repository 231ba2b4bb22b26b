"""Summaries of stored chat history, each point with its source messages.

The summarizer that asks a model is `services.summary.model_summarizer.ModelSummarizer`; it is left out here so that
quoting needs nothing beyond the standard library.
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
