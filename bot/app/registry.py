"""Register the built-in functions and those of an application."""

from collections.abc import Iterable, Sequence
from functools import cache
from types import ModuleType

from function_calls import handlers
from function_calls.conversation.records import explanation
from function_calls.functions import web
from function_calls.functions.history import handlers as handlers_history
from function_calls.functions.memory import handlers as handlers_memory
from function_calls.functions.preferences import handlers_quiet, handlers_zones
from function_calls.functions.privacy import handlers as handlers_privacy
from function_calls.functions.reminders import handlers as handlers_reminders
from function_calls.functions.reminders import handlers_states as handlers_reminder_states
from function_calls.functions.summary import digests
from function_calls.functions.undo import undo
from function_calls.functions.undo.undo import UndoService
from function_calls.registry import Registry, check_inverses
from services.call_log.service import CallLog
from services.history.service import HistoryService
from services.people.account_links import PeopleService
from services.people.memory import MemoryService
from services.people.privacy import PrivacyService
from services.people.zones import ZoneService
from services.reminders.service import ReminderService
from services.search.service import SearchService
from services.search.web_pages.service import WebPageService
from services.summary.service import SummaryService

Functions = ModuleType | object

# Privacy before memory: "forget me" is a request to delete personal data, not to forget a fact.
_BUILT_IN = (
    handlers,
    digests,
    handlers_reminders,
    handlers_reminder_states,
    handlers_quiet,
    handlers_zones,
    undo,
    explanation,
    handlers_history,
    handlers_privacy,
    handlers_memory,
    web,
)


def built_in_registry(functions: Sequence[Functions] = (), *, injectable: Iterable[type[object]] = ()) -> Registry:
    """Register the built-in functions and `functions`; `injectable` are further classes of services.

    Raises:
        SignatureInvalid: the declaration of a function is invalid.
        ToolNameTaken: two functions have one name.
    """
    registry = Registry(
        injectable=(
            ReminderService,
            SearchService,
            SummaryService,
            HistoryService,
            MemoryService,
            PeopleService,
            PrivacyService,
            WebPageService,
            ZoneService,
            CallLog,
            UndoService,
            *injectable,
        )
    )
    for source in (*_BUILT_IN, *functions):
        registry.collect(source)
    check_inverses(registry, registry)
    return registry


@cache
def built_in_names() -> frozenset[str]:
    """Return the names of the built-in functions."""
    return frozenset(spec.name for spec in built_in_registry().specs)
