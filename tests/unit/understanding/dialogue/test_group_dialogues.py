"""Messages for the bot and follow-ups in a group."""

import asyncio
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from bot.app.registry import built_in_registry
from bot.testing.clocks import FixedClock
from function_calls.tools.calls import Interpretation, ReplyScope, ToolSpec, Turn
from function_calls.understanding import OfflineInterpreter
from function_calls.understanding.requests.chat_reminders import ChatReminders
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.state import MemoryStateStore
from services.reminders.model import EVERYONE
from services.time_expressions import parse_all
from tests.support.reminders import make_reminder

ZONE = ZoneInfo("Europe/London")
START = datetime(2026, 11, 24, 14, 0, tzinfo=ZONE)
TOOLS: tuple[ToolSpec, ...] = tuple(tool.spec for tool in built_in_registry())
HOME = ChatAddress(platform="console", chat_id="home")


def reminder(content, creator="ann"):
    due = datetime(2026, 11, 24, 17, 0, tzinfo=ZONE)
    return make_reminder(content, due, creator=Person(id=creator, name=creator))


class Chat:
    """A group in which people speak one after the other, each ten seconds later, and the bot answers at once."""

    def __init__(self, interpreter=None, *, language="en", known=()):
        self.interpreter = interpreter or OfflineInterpreter()
        self.language = language
        self.known = known
        self.now = START
        self.recent = []

    def turn(self, sender, text, *, reply_to=None, is_edited=False, edits=None):
        self.now += timedelta(seconds=10)
        is_addressed = "bubbles" in text.casefold() and text.casefold().lstrip("@").startswith("bubbles")
        message = ChatMessage(
            id=edits or f"m{len(self.recent)}",
            address=HOME,
            sender=Person(id=sender, name=sender),
            text=text,
            sent_at=self.now,
            is_addressed=is_addressed,
            is_edited=is_edited,
            reply_to=reply_to,
        )
        people = [each for each in self.recent if not each.sender.is_bot]
        own = []
        for each in reversed(people):
            if each.sender.id != sender:
                break
            own.append(each.id)
        scope = ReplyScope() if is_addressed else ReplyScope(is_everything=False, message_ids=frozenset(own))
        return Turn(
            message=message,
            now=self.now,
            zone=ZONE,
            language=self.language,
            bot_name="Bubbles",
            tools=TOOLS,
            recent=tuple(self.recent),
            scope=scope,
        )

    def says(self, sender, text, **kwargs):
        turn = self.turn(sender, text, **kwargs)
        known = ChatReminders(tuple(self.known), self.now, parse_all) if self.known else None
        heard = self.interpreter.read(turn, known)
        self.recent.append(turn.message)
        if heard.calls or heard.answer:
            bot = Person(id="bot", name="Bubbles", is_bot=True)
            said = heard.answer or " ".join(str(call.arguments.get("content", "done")) for call in heard.calls)
            self.recent.append(
                ChatMessage(
                    id=f"b{len(self.recent)}",
                    address=HOME,
                    sender=bot,
                    text=said,
                    sent_at=self.now,
                    reply_to=turn.message.id,
                )
            )
        return heard

    def wait(self, minutes):
        self.now += timedelta(minutes=minutes)


def called_tools(heard):
    return [call.name for call in heard.calls]


@pytest.fixture
def chat():
    return Chat()


@pytest.fixture
def answered():
    """A chat in which ann's reminder was set."""
    chat = Chat()
    assert called_tools(chat.says("ann", "remind me at 5pm to call mum")) == ["reminder_set"]
    return chat


def test_request_needs_no_name_of_the_bot(chat):
    (call,) = chat.says("ann", "remind me at 5pm to call mum").calls

    assert (call.name, call.arguments["content"]) == ("reminder_set", "call mum")


@pytest.mark.parametrize("text", ["see you at 5", "lol", "who is in for lunch tomorrow?", "cancel it", "make it 6"])
def test_talk_between_people_is_left_alone(chat, text):
    assert chat.says("ann", text) == Interpretation()


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("make it 6", "reminder_update"),
        ("delete it", "reminder_delete"),
        ("undo", "undo"),
        ("actually tomorrow at 9am", "reminder_update"),
    ],
)
def test_change_after_an_answer_needs_no_name_of_the_bot(answered, text, tool):
    assert called_tools(answered.says("ann", text)) == [tool]


@pytest.mark.parametrize("text", ["make it 6", "delete it", "6pm", "never mind"])
def test_message_of_another_person_changes_no_reminder(answered, text):
    assert answered.says("bob", text) == Interpretation()


@pytest.mark.parametrize(
    ("text", "tools"),
    [("and the charger too", ["reminder_update"]), ("add the charger", ["reminder_update"]), ("biscuit", [])],
)
def test_only_an_explicit_addition_extends_a_reminder(answered, text, tools):
    assert called_tools(answered.says("ann", text)) == tools


@pytest.mark.parametrize(
    ("others", "text"),
    [
        (["make it half 7, traffic's mad"], "ok half 7 then"),
        (["shall i cancel the table?"], "yeah cancel it"),
    ],
)
def test_answer_to_another_person_changes_no_reminder(answered, others, text):
    for each in others:
        answered.says("bob", each)

    assert answered.says("ann", text) == Interpretation()


def test_day_named_by_another_person_may_be_removed():
    chat = Chat(language="zh")
    chat.says("阿豪", "Bubbles 每周二四六晚上七点提醒我和大卫去健身房")
    chat.says("大卫", "周六我一般不在")

    assert chat.says("阿豪", "那去掉周六") != Interpretation()


def test_remark_about_remaining_time_changes_no_reminder():
    chat = Chat(language="zh")
    assert called_tools(chat.says("ann", "12月10号上午九点提醒我打印准考证")) == ["reminder_set"]

    assert chat.says("ann", "满打满算不到一个月了") == Interpretation()


def test_undo_by_another_person_is_left_to_the_undo_function(answered):
    assert called_tools(answered.says("bob", "undo")) == ["undo"]


def test_unaddressed_change_after_half_an_hour_is_ignored(answered):
    answered.wait(31)

    assert answered.says("ann", "make it 6") == Interpretation()


def test_time_after_a_suggestion_of_another_person_is_ignored(answered):
    answered.says("bob", "pub tonight at 7?")

    assert answered.says("ann", "8pm") == Interpretation()


def test_bare_time_after_other_talk_is_ignored(answered):
    answered.says("ann", "so many people came to the party yesterday")

    assert answered.says("ann", "8pm") == Interpretation()


def test_message_to_a_named_person_is_ignored(answered):
    answered.says("Ollie", "when do we start")

    assert answered.says("ann", "make it 6, Ollie") == Interpretation()


def test_reply_to_another_person_is_ignored(answered):
    answered.says("bob", "what about dinner")

    assert answered.says("ann", "make it 6", reply_to="m2") == Interpretation()


def test_unaddressed_change_may_name_a_reminder_of_the_chat():
    chat = Chat(known=[reminder("check the fridge")])

    assert called_tools(chat.says("ann", "cancel the fridge one")) == ["reminder_delete"]


def test_unaddressed_change_of_something_else_is_ignored():
    chat = Chat(known=[reminder("check the fridge")])

    assert chat.says("ann", "cancel the pizza") == Interpretation()


def test_time_answers_the_question_about_it(chat):
    assert chat.says("ann", "remind me to pay the rent").answer

    (call,) = chat.says("ann", "tomorrow at 9am").calls

    assert (call.name, call.arguments["content"]) == ("reminder_set", "pay the rent")


def test_question_stays_open_after_messages_of_others(chat):
    chat.says("ann", "remind me to pay the rent")
    chat.says("bob", "I am off now, bye")

    assert called_tools(chat.says("ann", "friday 9am")) == ["reminder_set"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [("make it 6", "call mum"), ("make it 10", "leave"), ("oh dear I meant 10", "call mum")],
)
def test_changed_time_refers_to_the_reminder_with_the_nearer_clock_time(text, meant):
    group = Person(id=EVERYONE, name=EVERYONE)
    due = datetime(2026, 11, 25, 9, 0, tzinfo=ZONE)
    own, other = (
        reminder("call mum"),
        replace(reminder("leave", "bob"), id="def456", targets=(group,), next_fires=(due,)),
    )
    chat = Chat(known=(own, other))
    chat.says("ann", "remind me at 5pm to call mum")
    chat.says("bob", "remind everyone tomorrow at 9am to leave")

    (call,) = chat.says("ann", text).calls

    assert call.arguments["reminder_id"] == {"call mum": own.id, "leave": other.id}[meant]


def test_question_is_not_answered_by_another_person(chat):
    chat.says("ann", "remind me to pay the rent")

    assert chat.says("bob", "tomorrow at 9am") == Interpretation()


def test_question_is_dropped_by_never_mind(chat):
    chat.says("ann", "remind me to pay the rent")
    chat.says("ann", "Bubbles, never mind")

    assert chat.says("ann", "tomorrow at 9am") == Interpretation()


@pytest.mark.parametrize(
    ("answer", "hour"),
    [("1", "06:00"), ("the second one", "18:00"), ("in the morning", "06:00"), ("evening obviously", "18:00")],
)
def test_answer_chooses_one_of_the_offered_times(chat, answer, hour):
    chat.says("ann", "Bubbles, remind me tomorrow at 6 to call mum")

    (call,) = chat.says("ann", answer).calls

    assert str(call.arguments["time"]).endswith(hour)


def test_options_of_a_reminder_are_kept_with_the_question(chat):
    chat.says("ann", "Bubbles, remind me to take my pills until I say done")

    (call,) = chat.says("ann", "at 6pm").calls

    assert call.arguments["until_done"] == 10


def test_pronoun_means_the_person_reminded_before(chat):
    chat.says("ann", "Bubbles, remind Bob at 5pm to call the bank")

    (call,) = chat.says("ann", "Bubbles, remind him at 6pm to buy milk").calls

    assert str(call.arguments["person"]).removeprefix("@").casefold() == "bob"


def test_request_is_no_follow_up_to_the_reminder_of_another_person(chat):
    chat.says("gus", "remind mina on thursday at 5pm to have the bike ready")
    for sender, text in (("pav", "kettle is on"), ("gus", "nice"), ("pav", "who has the keys"), ("gus", "not me")):
        chat.says(sender, text)

    asked = chat.says("mina", "remind me to ring mrs okafor when her brakes come in")

    assert "ring mrs okafor" in asked.answer
    assert called_tools(chat.says("mina", "just friday at 10 then")) == ["reminder_set"]


def answer_after_restart(before, after, sender="ann"):
    """Return the interpretation of the message `after`, sent after a restart of the bot that read ann's `before`."""
    store = MemoryStateStore(FixedClock(START))
    first, second = (OfflineInterpreter(store=store) for _ in range(2))
    chat = Chat(first)

    async def restarted():
        await first.interpret(chat.turn("ann", before))
        return await second.interpret(chat.turn(sender, after))

    return asyncio.run(restarted())


def test_reminder_of_another_person_is_known_after_a_restart():
    answer = answer_after_restart("Bubbles, remind me at 5pm to call mum", "Bubbles, same for me at 6pm", sender="ben")
    (call,) = answer.calls

    assert (call.name, call.arguments["content"]) == ("reminder_set", "call mum")


def test_event_of_the_open_question_survives_a_restart():
    (call,) = answer_after_restart("remind me the night before the exam to pack", "exam is on 14 december").calls

    assert call.arguments["time"] == "2026-12-13 21:00"


def test_unknown_pronoun_is_asked_about(chat):
    assert "name" in chat.says("ann", "Bubbles, remind him at 6pm to buy milk").answer


def test_never_mind_after_a_change_undoes_it(answered):
    assert called_tools(answered.says("ann", "Bubbles, never mind, I'll do it now")) == ["undo"]


def test_never_mind_without_a_change_is_ignored(chat):
    assert chat.says("ann", "never mind, I'll do it now") == Interpretation()


def test_edited_message_without_a_request_is_ignored(answered):
    assert answered.says("ann", "nothing", is_edited=True, edits="m0") == Interpretation()


def test_edited_request_is_interpreted_again(answered):
    (call,) = answered.says("ann", "remind me at 6pm to call mum", is_edited=True, edits="m0").calls

    assert (call.name, call.arguments["content"]) == ("reminder_set", "call mum")


@pytest.mark.parametrize(
    "text",
    [
        "thanks Bubbles!",
        "haha Bubbles is so slow today",
        "I told Bubbles already",
        "maybe Bubbles could remind us about the quiz",
        "yeah Bubbles reminded me yesterday about rent",
    ],
)
def test_talk_about_the_bot_is_left_alone(chat, text):
    assert chat.says("ann", text) == Interpretation()


@pytest.mark.parametrize("text", ["Bubbles, what can you do", "Bubbles, blorp the frobnicator for me", "Bubbles?"])
def test_question_to_the_bot_gets_an_answer(chat, text):
    heard = chat.says("ann", text)

    assert heard.answer or heard.calls


@pytest.mark.parametrize(
    "text",
    [
        "Bubbles, can you do recurring reminders?",
        "Bubbles, do you store my messages?",
        "Bubbles, can you remind others?",
    ],
)
def test_questions_about_the_bot_are_explained(chat, text):
    heard = chat.says("ann", text)

    assert called_tools(heard) != ["perplexity_search"]
    assert heard.answer or heard.calls


def test_message_over_the_length_limit_is_not_read(chat):
    assert "400" in chat.says("ann", "Bubbles, remind me at 5pm to " + "a" * 600).answer
    assert chat.says("ann", "b" * 600) == Interpretation()


def test_dialogue_survives_a_restart():
    assert called_tools(answer_after_restart("remind me at 5pm to call mum", "make it 6")) == ["reminder_update"]


def test_open_question_survives_a_restart():
    (call,) = answer_after_restart("remind me to pay the rent", "tomorrow at 9am").calls

    assert call.arguments["content"] == "pay the rent"


def test_stored_dialogue_of_another_version_is_ignored():
    store = MemoryStateStore(FixedClock(START))
    interpreter = OfflineInterpreter(store=store)
    chat = Chat(interpreter)

    async def restarted():
        await store.set("dialogue:console:home#ann", {"state": 5}, keep=timedelta(minutes=1))
        return await interpreter.interpret(chat.turn("ann", "remind me at 5pm to call mum"))

    assert called_tools(asyncio.run(restarted())) == ["reminder_set"]


def test_reminders_are_looked_up_for_requests_only():
    asked = []

    async def look_up(address):
        asked.append(address)
        return ()

    interpreter = OfflineInterpreter(reminders=look_up)
    chat = Chat(interpreter)

    async def said():
        await interpreter.interpret(chat.turn("ann", "lovely weather today"))
        await interpreter.interpret(chat.turn("ann", "delete the milk reminder"))

    asyncio.run(said())
    assert asked == [HOME]


def test_time_and_content_may_answer_together(chat):
    chat.says("ann", "Bubbles, remind me")

    (call,) = chat.says("ann", "tomorrow at 9am to water the plants").calls

    assert (call.name, call.arguments["content"]) == ("reminder_set", "water the plants")


def test_clock_time_is_kept_while_the_content_is_asked_for(chat):
    chat.says("ann", "Bubbles, remind me tomorrow morning")
    chat.says("ann", "at 8")

    (call,) = chat.says("ann", "Bubbles, water the plants").calls

    assert (call.arguments["content"], call.arguments["time"]) == ("water the plants", "2026-11-25 08:00")


def test_message_to_the_bot_is_not_used_as_content(chat):
    chat.says("ann", "Bubbles, remind Tom every Monday at 9 to feed the cat")
    heard = chat.says("ann", "Bubbles, remind me of this tomorrow at noon")

    assert [call for call in heard.calls if "Tom" in str(call.arguments.get("content"))] == []


def test_other_day_in_an_answer_keeps_the_clock_time(chat):
    chat.says("ann", "Bubbles, remind me on Monday at 6 to pay the staff")
    chat.says("ann", "no, on Friday")

    (call,) = chat.says("ann", "2").calls

    assert call.arguments["time"] == "2026-11-27 18:00"


def test_hint_names_the_reminder_of_the_message():
    chat = Chat(known=[reminder("check the fridge")])
    heard = chat.says("ann", "Bubbles, flibber my fridge reminder a bit")

    assert heard.calls or "check the fridge" in heard.answer


def test_unaddressed_change_without_a_time_is_answered():
    chat = Chat(known=[reminder("check the fridge")])
    heard = chat.says("ann", "please change the time of my fridge reminder")

    assert (heard.must_reply, "check the fridge" in heard.answer) == (True, True)


def test_talk_about_a_changed_reminder_is_left_alone():
    chat = Chat(known=[reminder("check the fridge")])

    assert chat.says("ann", "they changed the reminder in the school app again") == Interpretation()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Bubbles, how do I get a reminder every week?", "every Friday"),
        ("Bubbles, do you store our messages?", "forget me"),
        ("Bubbles, can you remind other people too?", "remind Bob"),
    ],
)
def test_question_about_the_bot_is_answered_by_its_subject(chat, text, part):
    assert part in chat.says("ann", text).answer


def test_another_persons_delivered_reminder_may_be_snoozed_by_anyone(chat):
    bot = Person(id="bot", name="Bubbles", is_bot=True)
    chat.recent.append(
        ChatMessage(id="b0", address=HOME, sender=bot, text="⏰ call mum", sent_at=chat.now, is_addressed=False)
    )

    assert called_tools(chat.says("ann", "snooze it for 10 minutes")) == ["reminder_snooze"]


@pytest.mark.parametrize(
    "text",
    ["The coach should be back at school about 3.45", "booked!! 1pm in the upstairs room", "cancel the zoo"],
)
def test_unknown_reminder_in_a_message_to_people_is_not_answered(text):
    chat = Chat(known=[reminder("check the fridge")])
    chat.says("bob", "Bubbles remind me at 5pm to check the fridge")

    assert chat.says("ann", text) == Interpretation()


@pytest.mark.parametrize("text", ["cancel the zoo reminder", "cancel the zoo one", "Bubbles cancel the zoo"])
def test_unknown_reminder_in_a_message_to_the_bot_is_answered(text):
    chat = Chat(known=[reminder("check the fridge")])
    chat.says("bob", "Bubbles remind me at 5pm to check the fridge")

    assert called_tools(chat.says("ann", text)) == ["reminder_delete"]


def test_unknown_reminder_right_after_an_answer_is_answered():
    chat = Chat(known=[reminder("check the fridge")])
    chat.says("ann", "Bubbles remind me at 5pm to check the fridge")

    assert called_tools(chat.says("ann", "move the zoo to 7pm")) == ["reminder_update"]


@pytest.mark.parametrize(
    ("text", "tools"),
    [("the fridge could be on friday", []), ("the fridge one is on friday now", ["reminder_update"])],
)
def test_supposition_about_a_reminder_changes_nothing(text, tools):
    chat = Chat(known=[reminder("check the fridge")])
    chat.says("ann", "Bubbles remind me at 5pm to check the fridge")

    assert called_tools(chat.says("ann", text)) == tools


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("Wei 順便幫我買牙膏 拜託", []),
        ("Wei 麻烦五点把快递拿上来", []),
        ("帮我设个五点的提醒，买牙膏", ["reminder_set"]),
    ],
)
def test_favour_requested_of_a_named_person_is_ignored(text, tools):
    chat = Chat(language="zh")
    chat.says("Wei", "晚上見")

    assert called_tools(chat.says("ann", text)) == tools


@pytest.mark.parametrize(("text", "tools"), [("不用 我闺女陪", []), ("去医院那个不用了", ["reminder_delete"])])
def test_answer_to_a_person_removes_no_reminder(text, tools):
    chat = Chat(language="zh", known=[reminder("去医院拍片子")])
    chat.says("ann", "Bubbles明天上午九点提醒我去医院拍片子")
    chat.says("bob", "桂兰要我陪你不")

    assert called_tools(chat.says("ann", text)) == tools


@pytest.mark.parametrize(
    ("mentioned", "report", "tools"),
    [
        ("@ann", "tickets bought, done", []),
        ("@ann, @bob", "done, tickets bought", ["reminder_state"]),
        ("@ann, @bob", "tickets bought", []),
    ],
)
def test_report_completes_own_delivery_where_it_says_done(mentioned, report, tools):
    chat = Chat(known=[reminder("turn off the tap"), reminder("go out", "bob")])
    chat.says("ann", "morning")
    chat.says("bob", "morning")
    bot = Person(id="bot", name="Bubbles", is_bot=True)
    chat.recent.append(
        ChatMessage(id="d1", address=HOME, sender=bot, text=f"⏰ {mentioned} turn off the tap", sent_at=chat.now)
    )

    assert called_tools(chat.says("bob", report)) == tools


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("hi girls sorry, meetings all day. what did i miss?", ["summary"]),
        ("hi girls sorry, meetings all day. did i miss the bus?", []),
    ],
)
def test_question_about_missed_messages_may_follow_a_remark(chat, text, tools):
    chat.says("bob", "flights are booked")

    assert called_tools(chat.says("ann", text)) == tools
