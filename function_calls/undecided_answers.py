"""Reply to a yes, a no or a pick that decides nothing, and say why: words are missing, it is late, or not theirs."""

from function_calls.buttons import buttons_to_confirm
from function_calls.calls import Reply, Turn
from function_calls.consent import Answer
from function_calls.oversight import Oversight
from function_calls.wording import say


async def reply_instead(turn: Turn, answer: Answer, oversight: Oversight) -> Reply | None:
    """Return what to say to `answer`, which no waiting call was taken for; None where it is about something else."""
    message, scope, confirmations = turn.message, turn.scope, oversight.confirmations
    action = await confirmations.ask_for_words(message, answer, scope)
    if action:
        words = say(turn.language, f"button.yes_{action}_says")
        return Reply(
            text=say(turn.language, "confirm.words", words=words),
            reply_to=message.id,
            choices=buttons_to_confirm(turn.language, action, message.sender, turn.now),
        )
    if await confirmations.is_closed(message, scope):
        return Reply(text=say(turn.language, "confirm.closed"), reply_to=message.id)
    for asked_in in scope.message_ids if scope.asked is not None else ():
        if scope.asked is not None and await confirmations.is_asked_of(scope.asked, message, asked_in):
            return Reply(text=say(turn.language, "confirm.not_yours", who=scope.asked.name), reply_to=message.id)
    return None
