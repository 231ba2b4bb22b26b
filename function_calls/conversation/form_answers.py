"""Parse messages that answer the questions of a form."""

import re
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.language.recognized_phrases import LANGUAGES, bare, folded
from function_calls.tools.calls import Form, Reply, Turn
from function_calls.tools.confirmation.forms import NoAnswer, Question, next_question, parse_answer, with_answer
from function_calls.tools.confirmation.pending_calls import PendingCall
from function_calls.tools.confirmation.yes_no import parse_yes_no
from function_calls.tools.dispatch.input_questions import word_question
from function_calls.tools.policy import CallPolicy
from function_calls.tools.validation.argument_messages import argument_problems
from function_calls.understanding.interpreter import may_ask
from services.kernel.chat import ChatMessage

_OTHER_KINDS: Final = frozenset({"type", "format", "pattern"})


async def answer_form(turn: Turn, policy: CallPolicy) -> PendingCall | Reply | None:
    """Return the call whose form the message completes or declines, or the reply to another answer; None otherwise."""
    message = turn.message
    pending = await policy.confirmations.open_form(message, turn.scope)
    form = None if pending is None else pending.form
    question = None if form is None else next_question(form)
    if pending is None or form is None or question is None:
        return None
    text = _without_name(message.text, turn.bot_name)
    answered = _apply_answer(form, question, text, turn.bot_name, turn.now)
    if _is_unrelated(turn, question, text, answered):
        return None
    if isinstance(answered, NoAnswer):
        problems = argument_problems(turn.language, answered.errors).values()
        return await _ask_again(turn, policy, pending, form, problem=next(iter(problems), ""))
    if next_question(answered) is not None:
        return await _ask_again(turn, policy, pending, answered)
    await policy.confirmations.close(message, pending.call_id)
    return replace(pending, form=answered)


def is_answer(form: Form, message: ChatMessage, bot_name: str) -> bool:
    """Return whether a message answers the question of `form`; free text counts only as a reply."""
    question = next_question(form)
    if question is None or (question.is_free_text and message.reply_to is None):
        return False
    return not isinstance(_apply_answer(form, question, message.text, bot_name, message.sent_at), NoAnswer)


def _apply_answer(form: Form, question: Question, text: str, bot_name: str, now: datetime) -> Form | NoAnswer:
    """Return the form with the answer in `text`, or the reason why it is none."""
    words = bare(text, bot_name)
    is_no = parse_yes_no(text, bot_name) is False
    if words in _button_texts("cancel") or (is_no and not question.is_yes_no and not question.is_free_text):
        return replace(form, is_declined=True)
    if words in _button_texts("skip") and not question.is_required:
        return with_answer(form, question, None)
    value = parse_answer(question, text, bot_name, now)
    return value if isinstance(value, NoAnswer) else with_answer(form, question, value)


def _button_texts(button: str) -> set[str]:
    """Return the texts of a button in every language."""
    return {folded(say(language, f"button.{button}_says")) for language in LANGUAGES}


async def _ask_again(turn: Turn, policy: CallPolicy, pending: PendingCall, form: Form, *, problem: str = "") -> Reply:
    """Store the call with the answers so far, and return the problem and the next question."""
    message, question = turn.message, next_question(form)
    if question is None:
        raise ValueError("the form has no question left")
    await policy.confirmations.ask(replace(pending, form=form, asked_in=(message.id,), asked_at=turn.now))
    text, choices = word_question(form, question, turn.language, message.sender, turn.now)
    wrong = [say(turn.language, "form.wrong", problem=problem)] if problem else []
    is_private = bool(question.request.url) and not message.is_private
    return Reply(
        text="\n".join([*wrong, text]),
        reply_to=message.id,
        choices=choices,
        private_to=message.sender if is_private else None,
    )


def _is_unrelated(turn: Turn, question: Question, text: str, answered: Form | NoAnswer) -> bool:
    """Return whether a message that is no reply is for other people or a new request, and so no answer.

    A value of the right type beyond its limits is an answer, and so are the texts of buttons.
    """
    message = turn.message
    if message.reply_to is not None:
        return False
    if isinstance(answered, NoAnswer):
        is_near = bool(answered.errors) and not any(error.rule in _OTHER_KINDS for error in answered.errors)
        return not message.is_for_bot or (not is_near and _is_request(turn, text))
    if not question.is_free_text or answered.is_declined or bare(text, turn.bot_name) in _button_texts("skip"):
        return False
    return not message.is_for_bot or _is_request(turn, text)


def _is_request(turn: Turn, text: str) -> bool:
    return text.startswith("/") or may_ask(text, turn.now, turn.language)


def _without_name(text: str, bot_name: str) -> str:
    """Return `text` without the name of the bot at the beginning."""
    return re.sub(rf"^\s*@?{re.escape(bot_name)}\b[\s,:，：]*", "", text, flags=re.IGNORECASE).strip()
