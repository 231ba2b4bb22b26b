"""Whether the bot is asked, and not somebody else in the chat."""

from function_calls.tools.context import CallContext
from function_calls.understanding.direct import direct_call
from function_calls.understanding.pack import language_of, load_pack
from function_calls.understanding.questions import is_question
from function_calls.understanding.reading.message import load_models, read_message
from function_calls.understanding.requests import Ear
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.time_expressions import parse_all


async def is_meant(ctx: CallContext, history: HistoryService, *, statement_of: str = "", intent: str = "") -> bool:
    """Return whether the message is for the bot: by its name, in private, or because it comes right after the bot.

    With `statement_of`, a message in a group counts too that is wholly a sentence of that function ("my timezone is
    Berlin"), or certainly has that `intent`, unless it replies to another person or follows another person's question.
    """
    if ctx.message.is_addressed or ctx.message.is_private:
        return True
    before = await history.before(ctx.message, 1)
    last = before[-1] if before else None
    if last is not None and last.sender.is_bot:
        return True
    is_answer = ctx.message.reply_to is not None or (last is not None and _asks_another(last, ctx))
    if is_answer:
        return False
    return (bool(statement_of) and _is_sentence_of(statement_of, ctx)) or (bool(intent) and _reads_as(intent, ctx))


def _reads_as(intent: str, ctx: CallContext) -> bool:
    """Return whether the message alone is certainly a request of that intent."""
    language = language_of(ctx.message.text, ctx.language)
    models = load_models(language)
    text, now = ctx.message.text, ctx.message_time
    reading = read_message(text, now, "none", models, parse_all, language, is_addressed=False)
    return reading.intents[0][0] == intent and reading.intents[0][1] >= _CERTAIN


_CERTAIN = 0.9


def _asks_another(before: ChatMessage, ctx: CallContext) -> bool:
    pack = load_pack(language_of(before.text, ctx.language))
    said = before.text.rstrip()
    is_asked = said.endswith(("?", "？")) or (is_question(said, pack) and not said.endswith(("!", "！")))
    return is_asked and before.sender.id != ctx.sender.id


def _is_sentence_of(tool: str, ctx: CallContext) -> bool:
    text = ctx.message.text
    ear = Ear(
        pack=load_pack(language_of(text, ctx.language)),
        now=ctx.message_time,
        names=(),
        is_addressed=False,
        read_times=parse_all,
    )
    direct = direct_call(text, ear)
    return direct is not None and direct.tool == tool
