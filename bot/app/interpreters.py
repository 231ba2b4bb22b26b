"""Create the interpreters of messages: the rules, and before them a model if there is one."""

from functools import partial

from msgspec import Struct

from bot.app.infrastructure import Infrastructure
from bot.app.language_models import model_interpreter
from bot.app.registry import built_in_names
from function_calls.conversation.assistant import TurnCheck
from function_calls.conversation.follow_ups import FollowUpInterpreter
from function_calls.model_calls.hooks import HookedInterpreter, ModelHooks
from function_calls.tools.calls import Interpreter, ModelInterpreter, Turn
from function_calls.tools.context import Services
from function_calls.understanding.interpreter import OfflineInterpreter
from services.language_model.ports import LanguageModel
from services.reminders.service import ReminderService
from services.search.service import SearchService


class Interpreters(Struct, frozen=True, kw_only=True):
    """The interpreters of a bot: `primary` is the model's, or the rules without one.

    `rules_with_follow_ups` also understand sentences that repeat a person's last call.
    """

    primary: Interpreter
    rules_with_follow_ups: FollowUpInterpreter
    rules: OfflineInterpreter
    prefers_rules: TurnCheck | None = None

    @property
    def has_model(self) -> bool:
        """Return whether there is an interpreter besides the rules."""
        return self.primary is not self.rules_with_follow_ups


def create_interpreters(
    infrastructure: Infrastructure,
    services: Services,
    interpreter: Interpreter | None,
    model: LanguageModel | None,
    hooks: ModelHooks,
) -> Interpreters:
    """Return the rules, and before them `interpreter` or one for `model`, with `hooks` around it."""
    reminders, state, times = services.get(ReminderService), infrastructure.state_store, infrastructure.time_reader
    rules = OfflineInterpreter(
        read_times=times.parse_all,
        searches_web=services.get(SearchService).is_configured,
        store=state,
        reminders=reminders.open_in,
        shown=reminders.finder.last_shown,
    )
    rules_with_follow_ups = FollowUpInterpreter(rules, state)
    if interpreter is None and model is not None:
        interpreter = model_interpreter(model, infrastructure.settings.model, times)
    return Interpreters(
        primary=rules_with_follow_ups if interpreter is None else HookedInterpreter(interpreter, hooks),
        rules_with_follow_ups=rules_with_follow_ups,
        rules=rules,
        prefers_rules=partial(_prefers_rules, interpreter) if isinstance(interpreter, ModelInterpreter) else None,
    )


async def _prefers_rules(model: ModelInterpreter, turn: Turn) -> bool:
    """Return whether the rules read the message of `turn` before `model` does.

    A model without native function calling is mostly a small one. What the rules do not know may be for a tool that is
    not built in.
    """
    return {tool.name for tool in turn.tools} <= built_in_names() and await model.chooses_only(turn)
