"""Summaries of stored chat history, every point with the messages that say it."""

from services.summary.extractive import ExtractiveSummarizer
from services.summary.model import (
    Bullet,
    DateMention,
    Finding,
    Findings,
    LinkMention,
    Participant,
    Summary,
    SummaryMethod,
    SummaryWindow,
)
from services.summary.ports import MessageSource, Summarizer, TimeReader
from services.summary.service import SummaryService

__all__ = [
    "Bullet",
    "DateMention",
    "ExtractiveSummarizer",
    "Finding",
    "Findings",
    "LinkMention",
    "MessageSource",
    "Participant",
    "Summarizer",
    "Summary",
    "SummaryMethod",
    "SummaryService",
    "SummaryWindow",
    "TimeReader",
]
