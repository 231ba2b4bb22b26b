"""Ask the person for input that a tool needs, and make the text of each question."""

from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from function_calls.language.messages import say
from function_calls.tools.calls import Form, ToolCall, ToolResult
from function_calls.tools.confirmation.buttons import YES_NO, buttons, numbered_buttons
from function_calls.tools.confirmation.forms import Question, next_question
from function_calls.tools.confirmation.pending_calls import ANSWER_TIME, PendingCall
from function_calls.tools.context import CallContext
from services.kernel.chat import Choice, Person

NEEDS_ANSWER: Final = "the tool asked the person something; wait for the answer, do not call it again"
NOBODY: Final = "the tool asks the person something, and nobody can be asked here"
_MAX_BUTTONS: Final = 10


async def ask_for_input(call: ToolCall, context: CallContext, form: Form) -> ToolResult:
    """Store `call` until its `form` is answered, and return the first question; an address is private."""
    question = next_question(form)
    if context.policy is None or question is None:
        return ToolResult.failed(NOBODY, kind="denied")
    await context.policy.confirmations.ask(PendingCall.of(call, context, form=form))
    text, choices = word_question(form, question, context.language, context.sender, context.clock.now())
    return ToolResult(
        ok=False,
        text=text,
        error=NEEDS_ANSWER,
        failure="denied",
        ending="question",
        is_private=bool(question.request.url),
        choices=choices,
        form=form,
    )


def word_question(
    form: Form, question: Question, language: str, person: Person, now: datetime
) -> tuple[str, tuple[Choice, ...]]:
    """Return the text of `question`, and its buttons for `person`."""
    options = list(question.options.values())
    lines = [_head(form, question, language)] if question.is_first else []
    if question.name:
        about = str(question.schema.get("description") or "")
        lines.append(say(language, "form.field" if about else "form.field_alone", label=question.label, about=about))
    lines += [f"{number}. {label}" for number, label in enumerate(options, start=1)]
    lines.append(say(language, f"form.how_{_kind(question)}"))
    if not question.is_required:
        lines.append(say(language, "form.may_skip"))
    expires_at = now + ANSWER_TIME
    names = (*(YES_NO if question.is_yes_no else ()), *(() if question.is_required else ("skip",)))
    if question.name:
        names = (*names, "cancel")
    chosen = () if question.is_several else numbered_buttons(options[:_MAX_BUTTONS], person, now)
    return "\n".join(lines), (*chosen, *buttons(language, names, (person,), expires_at=expires_at))


def _head(form: Form, question: Question, language: str) -> str:
    request = question.request
    if not request.url:
        return say(language, "form.ask", source=form.source, message=request.message)
    return say(
        language, "form.ask_url", source=form.source, message=request.message, host=_host(request.url), url=request.url
    )


def _host(url: str) -> str:
    """Return the host of `url` in ASCII, so that similar letters differ."""
    host = urlsplit(url).hostname or ""
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return ascii(host)


def _kind(question: Question) -> str:
    if question.request.url:
        return "url"
    if question.is_yes_no:
        return "yes_no"
    if question.options:
        return "choices" if question.is_several else "choice"
    return "text"
