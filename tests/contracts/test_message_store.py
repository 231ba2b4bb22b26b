"""Contract of the message stores."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from services.history.service import MessageStore
from services.kernel.chat import Attachment, ChatAddress, ChatMessage, Person

HOME = ChatAddress(platform="console", chat_id="home")
START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def message(number: int, *, sender: str = "ann", address: ChatAddress = HOME, text: str = "") -> ChatMessage:
    return ChatMessage(
        id=str(number),
        address=address,
        sender=Person(id=sender, name=sender.title()),
        text=text or f"你好 {number}",
        sent_at=START + timedelta(minutes=number),
        is_addressed=True,
        reply_to="0",
    )


def ids(found: tuple[ChatMessage, ...]) -> list[str]:
    return [each.id for each in found]


async def test_message_is_read_as_stored(messages: MessageStore):
    original = message(1)

    await messages.add([original])

    assert await messages.recent(HOME, 10) == (original,)


async def test_mentioned_people_and_files_are_stored(messages: MessageStore):
    original = replace(
        message(1),
        mentions=(Person(id="b", name="小明"),),
        attachments=(
            Attachment(kind="photo", description="二楼的打印机", url=None),
            Attachment(kind="file", description="invoice.pdf", url="https://chat.example/f/1"),
        ),
    )

    await messages.add([original])

    assert await messages.recent(HOME, 10) == (original,)


async def test_user_name_of_the_sender_is_stored(messages: MessageStore):
    original = replace(message(1), sender=Person(id="42", name="Robert Smith", username="bob_s"))

    await messages.add([original])

    assert await messages.recent(HOME, 10) == (original,)


async def test_message_id_is_new_once_per_chat(messages: MessageStore):
    work = ChatAddress(platform="console", chat_id="work")
    twice = message(1)

    first = await messages.add([twice, twice, message(1, address=work)])
    second = await messages.add([message(1), message(2)])

    assert (first, second) == ((True, False, True), (False, True))


async def test_recent_returns_the_last_messages_oldest_first(messages: MessageStore):
    await messages.add([message(3), message(1), message(2)])

    assert ids(await messages.recent(HOME, 2)) == ["2", "3"]


async def test_thread_has_its_own_messages_and_the_chat_has_all(messages: MessageStore):
    thread = ChatAddress(platform="console", chat_id="home", thread_id="t")
    await messages.add([message(1), message(2, address=thread)])

    assert ids(await messages.recent(thread, 10)) == ["2"]
    assert ids(await messages.recent(HOME, 10)) == ["1", "2"]


async def test_since_excludes_older_messages(messages: MessageStore):
    await messages.add([message(number) for number in range(1, 6)])

    assert ids(await messages.since(HOME, START + timedelta(minutes=3), 10)) == ["4", "5"]
    assert ids(await messages.since(HOME, START, 2)) == ["4", "5"]


async def test_after_returns_the_next_messages_oldest_first(messages: MessageStore):
    at_once = [replace(message(number), sent_at=START) for number in range(1, 4)]
    await messages.add([*at_once, message(4), message(5)])

    assert ids(await messages.after(at_once[1], 2)) == ["3", "4"]
    assert ids(await messages.after(message(5), 2)) == []


async def test_the_last_message_of_a_person_is_found(messages: MessageStore):
    ann = Person(id="ann", name="Ann")
    await messages.add([message(1), message(2), message(3, sender="bob")])

    last = await messages.last_message_of(HOME, ann, None)
    before = await messages.last_message_of(HOME, ann, START + timedelta(minutes=2))
    nobody = await messages.last_message_of(HOME, Person(id="cy", name="Cy"), None)

    assert (last, before, nobody) == (message(2), message(1), None)


async def test_an_edited_message_has_its_new_text(messages: MessageStore):
    await messages.add([message(1)])

    assert await messages.edit(HOME, "1", "new", START)
    assert not await messages.edit(HOME, "2", "new", START)
    assert [each.text for each in await messages.recent(HOME, 10)] == ["new"]


async def test_deleted_message_is_not_returned_and_its_id_stays_known(messages: MessageStore):
    await messages.add([message(1), message(2)])

    assert await messages.delete(HOME, "1", START)
    assert ids(await messages.recent(HOME, 10)) == ["2"]
    assert await messages.add([message(1)]) == (False,)


async def test_words_are_found_in_any_form_latest_message_first(messages: MessageStore):
    texts = ["We released the app", "Tea?", "Releasing again on Friday", "the RELEASE is done"]
    await messages.add([message(number, text=text) for number, text in enumerate(texts)])

    assert ids(await messages.search(HOME, "releases", 10)) == ["3", "2", "0"]
    assert ids(await messages.search(HOME, "releases", 1)) == ["3"]


async def test_chinese_words_are_found_inside_a_sentence(messages: MessageStore):
    await messages.add([message(1, text="周四我们去喝茶吧"), message(2, text="发布改到周五，大家注意")])

    assert ids(await messages.search(HOME, "发布", 10)) == ["2"]
    assert ids(await messages.search(HOME, "茶", 10)) == ["1"]
    assert ids(await messages.search(HOME, "五周", 10)) == []


async def test_message_with_all_words_precedes_message_with_most_words(messages: MessageStore):
    texts = ["the login page is broken", "broken glass", "new login page", "lunch"]
    await messages.add([message(number, text=text) for number, text in enumerate(texts)])

    assert ids(await messages.search(HOME, "where was the broken login page?", 10)) == ["0", "2"]


async def test_search_covers_only_the_chat_and_the_thread(messages: MessageStore):
    work = ChatAddress(platform="console", chat_id="work")
    thread = ChatAddress(platform="console", chat_id="home", thread_id="t")
    await messages.add(
        [message(1, text="tea"), message(2, text="tea", address=work), message(3, text="tea", address=thread)]
    )

    assert ids(await messages.search(HOME, "tea", 10)) == ["3", "1"]
    assert ids(await messages.search(thread, "tea", 10)) == ["3"]
    assert ids(await messages.search(work, "tea", 10)) == ["2"]


async def test_the_index_follows_edits_and_deletions(messages: MessageStore):
    await messages.add([message(1, text="tea"), message(2, text="tea")])
    await messages.edit(HOME, "1", "coffee", START)
    await messages.delete(HOME, "2", START)

    assert ids(await messages.search(HOME, "tea", 10)) == []
    assert ids(await messages.search(HOME, "coffee", 10)) == ["1"]


async def test_attachment_is_found_by_its_description(messages: MessageStore):
    photo, invoice = (
        Attachment(kind="photo", description="二楼的打印机"),
        Attachment(kind="pdf", description="invoice.pdf"),
    )
    await messages.add(
        [
            replace(message(1), text="", attachments=(photo,)),
            replace(message(2), text="please pay", attachments=(invoice,)),
        ]
    )

    assert ids(await messages.search(HOME, "打印机", 10)) == ["1"]
    assert ids(await messages.search(HOME, "pay the invoice", 10)) == ["2"]


async def test_description_is_found_after_an_edit_but_not_after_a_deletion(messages: MessageStore):
    photo = Attachment(kind="photo", description="printer")
    await messages.add([replace(message(1), text="", attachments=(photo,))])

    await messages.edit(HOME, "1", "it is broken", START)
    assert ids(await messages.search(HOME, "broken printer", 10)) == ["1"]

    await messages.delete(HOME, "1", START)
    assert ids(await messages.search(HOME, "printer", 10)) == []


async def test_messages_of_bots_are_not_found(messages: MessageStore):
    bot = replace(message(1, text="tea"), sender=Person(id="self", name="Bubbles", is_bot=True))
    await messages.add([bot])
    await messages.edit(HOME, "1", "more tea", START)

    assert await messages.search(HOME, "tea", 10) == ()


@pytest.mark.parametrize(
    "query", ["", " ", "?!", '"', "' OR 1=1 --", "tea* NOT (", "\x00", "𝕥eá", "a" * 5000, "茶" * 5000]
)
async def test_unusual_queries_are_searched_without_an_error(messages: MessageStore, query: str):
    await messages.add([message(1, text=f"x {query}")])

    found = await messages.search(HOME, query, 10)

    assert ids(found) in ([], ["1"])


async def test_message_is_found_by_its_id_in_any_thread_of_its_chat(messages: MessageStore):
    thread, work = replace(HOME, thread_id="t"), replace(HOME, chat_id="work")
    original = message(1, address=thread)
    await messages.add([original, message(2, address=work)])

    assert await messages.find(HOME, "1") == original
    assert await messages.find(thread, "1") == original
    assert await messages.find(HOME, "2") is None


async def test_an_erased_message_is_not_found(messages: MessageStore):
    await messages.add([message(1)])
    await messages.delete(HOME, "1", START)

    assert await messages.find(HOME, "1") is None


async def test_authors_of_a_chat_include_those_of_deleted_messages(messages: MessageStore):
    await messages.add([message(1), message(2, sender="bob"), message(3)])
    bot = Person(id="self", name="Bubbles", is_bot=True)
    await messages.add([replace(message(4), sender=bot), message(5, address=replace(HOME, chat_id="work"))])
    await messages.delete(HOME, "2", START)

    assert await messages.speakers(HOME, 10) == (("1", "ann"), ("2", "bob"), ("3", "ann"))
    assert await messages.speakers(HOME, 2) == (("2", "bob"), ("3", "ann"))
