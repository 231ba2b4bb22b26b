"""Drafts of answers, which are shown while a model writes them."""

import asyncio
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from bot.config.settings import BotSettings, RouterSettings, Settings
from bot.outbound.drafts import Drafts
from bot.outbound.outbox import Outbox
from bot.platforms.base import Capabilities
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform
from bot.testing.turns import make_message, make_turn
from function_calls.tools.calls import Interpretation, Reply
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, Choice, Person, SentFile
from services.kernel.errors import DeliveryFailed

pytestmark = pytest.mark.looptime

ANN = Person(id="ann", name="Ann")
HOME = ChatAddress(platform="test", chat_id="home")
ANSWER = "Tea is a drink. It comes from China. People like it warm."


class EditingPlatform(FakePlatform):
    """`shown` is what each message says now, `edits` when each one was changed."""

    def __init__(self, clock, **abilities):
        super().__init__(clock, name="test")
        self.capabilities = Capabilities(replies=True, **abilities)
        self.clock = clock
        self.shown = {}
        self.edits = []
        self.refuse_edit = None

    async def send(self, address, message):
        sent = await super().send(address, message)
        self.shown[sent] = message
        return sent

    async def edit(self, address, message_id, message):
        if self.refuse_edit is not None:
            self.refuse_edit(message)
        self.edits.append((self.clock.now(), message.text))
        self.shown[message_id] = message

    @property
    def says(self):
        return [message.text for message in self.shown.values()]


class History:
    def __init__(self):
        self.own = []

    async def record_own(self, address, text, *, message_id, **_):
        self.own.append((message_id, text))


class Stage:
    def __init__(self, **abilities):
        clock = LoopClock(datetime(2026, 11, 20, 9, tzinfo=UTC))
        self.platform = EditingPlatform(clock, **abilities)
        self.history = History()
        self.drafts = Drafts(Outbox({"test": self.platform}, self.history, clock), clock)

    async def answer(self, written, reply, *, seconds_between=2.0):
        """Let a model write the pieces of `written`, and the bot say `reply` at the end."""
        turn = make_turn(make_message("what is tea?"))
        hear = self.drafts.listener(turn.message)
        async with self.drafts.open(turn) as draft:
            for piece in written:
                await hear(piece)
                await asyncio.sleep(seconds_between)
            if reply is not None:
                await draft.finish(reply if isinstance(reply, Reply) else Reply(text=reply, reply_to="m1"))


@pytest.fixture
def stage():
    return Stage()


SENTENCES = ["Tea is a drink. ", "It comes from China. ", "People like it ", "warm."]


async def test_a_long_answer_grows_in_one_message(stage):
    await stage.answer(SENTENCES, ANSWER)

    assert stage.platform.texts == ["Tea is a drink. …"]
    assert [text for _, text in stage.platform.edits] == ["Tea is a drink. It comes from China. …", ANSWER]
    assert stage.platform.says == [ANSWER]


async def test_private_answer_is_not_shown_in_the_draft_of_the_chat():
    stage = Stage(private_replies=True)
    await stage.answer(SENTENCES, Reply(text="Open https://login.example", reply_to="m1", private_to=ANN))

    public, private = stage.platform.shown.values()
    assert (public.text, public.private_to) == ("Tea is a drink. It comes from China.", None)
    assert (private.text, private.private_to) == ("Open https://login.example", ANN)


async def test_quick_answer_is_sent_in_one_piece(stage):
    await stage.answer(SENTENCES, ANSWER, seconds_between=0.1)

    assert stage.platform.texts == [ANSWER]
    assert stage.platform.edits == []


async def test_the_history_has_the_answer_once_and_whole(stage):
    await stage.answer(SENTENCES, ANSWER)

    assert stage.history.own == [("bot-1", ANSWER)]


async def test_the_platform_is_not_asked_faster_than_it_allows():
    stage = Stage(seconds_between_edits=5.0)
    await stage.answer([f"Sentence {number}. " for number in range(40)], "done with it", seconds_between=0.5)
    times = [moment for moment, _ in stage.platform.edits[:-1]]

    assert len(times) >= 3
    assert all((later - earlier).total_seconds() >= 5 for earlier, later in pairwise(times))


async def test_one_edit_is_reserved_for_the_whole_answer():
    stage = Stage(max_edits=3, seconds_between_edits=1.0)
    await stage.answer([f"Sentence {number}. " for number in range(20)], "The end.")

    assert len(stage.platform.edits) == 3
    assert stage.platform.says == ["The end."]


async def test_a_claim_of_a_change_is_not_shown_before_it_is_checked(stage):
    written = ["Of course. ", "I have set the reminder for five. ", "Anything else? "]
    await stage.answer(written, "Nothing was set.")

    assert not any("I have set" in text for _, text in stage.platform.edits)
    assert stage.platform.says == ["Nothing was set."]


async def test_answer_is_sent_again_after_a_failed_last_edit(stage):
    def refuse(_):
        raise DeliveryFailed("too old", is_permanent=True)

    stage.platform.refuse_edit = refuse
    await stage.answer(SENTENCES, ANSWER)

    assert stage.platform.says == ["Tea is a drink. …", ANSWER]
    assert stage.history.own == [("bot-2", ANSWER)]


async def test_rate_limited_edit_is_made_later(stage):
    refusals = [DeliveryFailed("slow down", retry_after=30)]

    def refuse(message):
        if message.text == ANSWER and refusals:
            raise refusals.pop()

    stage.platform.refuse_edit = refuse
    await stage.answer(SENTENCES, ANSWER)

    assert stage.platform.says == [ANSWER]


async def test_refused_draft_is_not_retried_and_the_answer_is_sent(stage):
    refusals = [DeliveryFailed("hiccup")]

    def refuse(*_):
        if refusals:
            raise refusals.pop()

    stage.platform.refuse = refuse
    await stage.answer(SENTENCES, ANSWER)

    assert stage.platform.says == [ANSWER]
    assert stage.platform.edits == []


async def test_text_beyond_one_message_follows():
    stage = Stage(max_length=100)
    text = " ".join(f"This is sentence number {number}." for number in range(8))
    await stage.answer(
        ["This is the beginning. ", "More. "], Reply(text=text, choices=(Choice(label="Undo", says="undo"),))
    )
    first, following = stage.platform.shown.values()

    assert f"{first.text} {following.text}" == text
    assert len(first.text) <= 50
    assert (first.choices, [each.label for each in following.choices]) == ((), ["Undo"])
    assert stage.history.own == [("bot-1", text)]


async def test_files_follow_the_text():
    stage = Stage(files=True)
    file = SentFile(name="tea.png", media_type="image/png", content=b"x")
    await stage.answer(SENTENCES, Reply(text=ANSWER, files=(file,)))
    first, following = stage.platform.shown.values()

    assert (first.text, first.files) == (ANSWER, ())
    assert following.files == (file,)


async def test_buttons_are_below_the_whole_answer(stage):
    await stage.answer(SENTENCES, Reply(text=ANSWER, choices=(Choice(label="Undo", says="undo"),)))

    assert [each.label for each in stage.platform.shown["bot-1"].choices] == ["Undo"]


async def test_nothing_is_shown_after_an_answer_was_cancelled(stage):
    turn = make_turn(make_message("what is tea?"))
    hear = stage.drafts.listener(turn.message)
    async with stage.drafts.open(turn):
        await hear("Tea is a drink. ")
    await hear("It comes from China. ")
    await asyncio.sleep(60)

    assert stage.platform.texts == []


class SlowWriter:
    """An interpreter whose model writes a sentence every two seconds."""

    async def interpret(self, turn):
        for sentence in SENTENCES:
            if turn.on_text is not None:
                await turn.on_text(sentence)
            await asyncio.sleep(2)
        return Interpretation(answer=ANSWER)


@pytest.mark.parametrize(("is_wanted", "count_of_edits"), [(True, 2), (False, 0)])
async def test_a_whole_bot_shows_answers_while_they_are_written(is_wanted, count_of_edits):
    clock = LoopClock(datetime(2026, 11, 20, 9, tzinfo=UTC))
    platform = EditingPlatform(clock)
    bot = build_in_memory(
        Settings(bot=BotSettings(timezone="UTC"), router=RouterSettings(stream_replies=is_wanted)),
        platforms=[platform],
        interpreter=SlowWriter(),
        clock=clock,
    )
    async with bot as app:
        await platform.say("Bubbles, what is tea?")
        [message] = [each for each in await app.services.get(HistoryService).recent(HOME) if each.sender.is_bot]

    assert platform.says == [ANSWER]
    assert len(platform.edits) == count_of_edits
    assert (message.id, message.text) == ("bot-2", ANSWER)


async def test_answers_are_not_streamed_on_a_platform_without_edits(stage):
    clock = stage.platform.clock
    outbox = Outbox({"test": FakePlatform(clock, name="test")}, stage.history, clock)

    assert Drafts(outbox, clock).listener(make_message("what is tea?")) is None


async def test_answers_are_not_streamed_if_the_setting_is_off(stage):
    outbox, clock = Outbox({"test": stage.platform}, stage.history, stage.platform.clock), stage.platform.clock

    assert Drafts(outbox, clock, is_wanted=False).listener(make_message("what is tea?")) is None
