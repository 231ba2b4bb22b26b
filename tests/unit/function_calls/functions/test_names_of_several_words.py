"""Mentioned names of several words."""

import pytest
from msgspec.structs import replace

from bot.testing.turns import make_tool, make_turn
from function_calls.functions.reminders.people import resolve_people
from function_calls.understanding.interpreter import OfflineInterpreter
from services.history.service import HistoryService
from services.kernel.chat import Person
from tests.support.stores.messages import MemoryMessageStore

BOB, ZOE = Person(id="u1", name="Bob Smith"), Person(id="u2", name="Zoe")
SAN = Person(id="u3", name="张 三")


TOOLS = [make_tool("reminder_set", time={"type": "string"}, content={"type": "string"}, person={"type": "string"})]


def content_and_person(text: str, language: str = "en") -> tuple[object, object]:
    """Return content and person of the only reminder that `text` requests."""
    turn = make_turn(text, language=language, tools=TOOLS)
    turn = replace(turn, message=replace(turn.message, mentions=(BOB, ZOE, SAN)))
    (call,) = OfflineInterpreter().read(turn).calls
    return call.arguments["content"], call.arguments.get("person")


@pytest.mark.parametrize(
    ("text", "language", "content", "person"),
    [
        ("remind @Bob Smith at 5pm to leave", "en", "leave", "@Bob Smith"),
        ("remind @Bob Smith and @Zoe at 5pm to eat", "en", "eat", "@Bob Smith and @Zoe"),
        ("remind me at 6pm to call @Bob Smith about the car", "en", "call @Bob Smith about the car", None),
        ("明天九点提醒@Bob Smith开会", "zh", "开会", "@Bob Smith"),
        ("提醒@张 三明天九点开会", "zh", "开会", "@张 三"),
    ],
)
def test_a_mentioned_name_of_several_words_is_one_person(text: str, language: str, content: str, person: str | None):
    assert content_and_person(text, language) == (content, person)


def test_a_name_that_only_begins_like_one_of_several_words_stays_as_it_is():
    assert content_and_person("remind @Zoe at 5pm to leave") == ("leave", "@Zoe")


async def test_words_of_a_name_far_apart_are_read_in_linear_time(context_of):
    (person,) = await resolve_people(f"Bob{' ' * 10_000}Smith", context_of(), HistoryService(MemoryMessageStore()))

    assert person.name == "Bob Smith"


async def test_thousands_of_names_are_not_all_searched_in_the_history(context_of):
    class CountingStore(MemoryMessageStore):
        searches = 0

        async def recent(self, address, limit):
            self.searches += 1
            return await super().recent(address, limit)

    store = CountingStore()
    names = [f"name {number}" for number in range(2_000)]

    people = await resolve_people(", ".join([*names, *names]), context_of(), HistoryService(store))

    assert [person.name for person in people] == names
    assert store.searches <= 50
