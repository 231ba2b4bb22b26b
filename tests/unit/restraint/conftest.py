import pytest

from function_calls import handlers
from function_calls.calls import ToolCall
from function_calls.context import CallContext, Services
from function_calls.registry import Registry
from services.reminders.service import ReminderService
from services.search.service import SearchService
from services.summary.service import SummaryService


@pytest.fixture(scope="session")
def tools():
    registry = Registry(injectable=(CallContext, Services, ReminderService, SearchService, SummaryService))
    registry.collect(handlers)
    return registry.specs


@pytest.fixture
def chosen():
    """Makes the calls that a model chose: a name, or a name with arguments."""

    def make(*names, **arguments):
        return tuple(ToolCall(id=f"c{n}", name=name, arguments=arguments) for n, name in enumerate(names))

    return make
