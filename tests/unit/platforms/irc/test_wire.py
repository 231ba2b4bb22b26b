"""Lines as chat messages: those of real servers (`lines.json`), and the examples of the standards.

`tests/integration/chats/record_events.py` records the file.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.platforms.base import OutgoingMessage
from bot.platforms.irc.people import People
from bot.platforms.irc.wire import Line, LineContext, fold, parse_line, text_lines, to_message
from services.kernel.chat import Person

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
ANN = Person(id="ann", name="ann")
BEN = Person(id="ben", name="Ben[1]")


def read_message(text, **scene):
    fields = {"nick": "Bubbles", "bot_name": "Bubbles", "people": {fold(BEN.name): BEN}} | scene
    line = parse_line(text)
    return to_message(line, LineContext(**fields), sender=ANN, message_id="m1", now=NOW)


# Lines as servers send them: RFC 2812 and the examples of the IRCv3 specifications.
@pytest.mark.parametrize(
    ("text", "line"),
    [
        (":irc.test 001 ann :Welcome", Line(source="irc.test", command="001", params=("ann", "Welcome"))),
        ("PING :abc def", Line(command="PING", params=("abc def",))),
        (":a!b@c join #x", Line(source="a!b@c", command="JOIN", params=("#x",))),
        (":a!b@c PRIVMSG #x ::)", Line(source="a!b@c", command="PRIVMSG", params=("#x", ":)"))),
        (":a!b@c PRIVMSG #x :", Line(source="a!b@c", command="PRIVMSG", params=("#x", ""))),
        (
            r"@time=2026-11-21T09:30:00.000Z;+x=a\:b\sc\\ :a PRIVMSG #x :hi",
            Line(
                source="a",
                command="PRIVMSG",
                params=("#x", "hi"),
                tags={"time": "2026-11-21T09:30:00.000Z", "+x": "a;b c\\"},
            ),
        ),
    ],
)
def test_a_line_is_read_as_the_standard_says(text, line):
    assert parse_line(text) == line


@pytest.mark.parametrize("text", ["", ":", ":only.a.source", "12 x", "@tags"])
def test_invalid_line_is_ignored(text):
    assert parse_line(text) is None


@given(st.text(max_size=80))
def test_no_line_breaks_the_reader(text):
    parse_line(text)


def test_a_message_in_a_channel_belongs_to_the_channel():
    message = read_message(":ann!a@h PRIVMSG #Team :good morning")

    assert (message.address.chat_id, message.text, message.is_private) == ("#team", "good morning", False)


def test_a_message_to_the_bot_is_a_private_chat_with_its_sender():
    message = read_message(":Ann!a@h PRIVMSG bubbles :good morning")

    assert (message.address.chat_id, message.is_private, message.is_addressed) == ("ann", True, True)


def test_time_and_id_of_the_server_are_used():
    message = read_message("@time=2026-11-21T08:00:00.000Z;msgid=abc :ann!a@h PRIVMSG #team :hi")

    assert (message.id, message.sent_at.hour) == ("abc", 8)


def test_time_without_a_zone_is_ignored():
    message = read_message("@time=2026-11-21T08:00:00 :ann!a@h PRIVMSG #team :hi")

    assert message.sent_at == read_message(":ann!a@h PRIVMSG #team :hi").sent_at


def test_a_reply_is_known_by_its_tag():
    assert read_message("@+draft/reply=abc :ann!a@h PRIVMSG #team :hi").reply_to == "abc"


@pytest.mark.parametrize("text", ["Bubbles: hi", "hey bubbles, hi", "@Bubbles hi", "bub_: hi"])
def test_the_nickname_and_the_name_call_the_bot(text):
    assert read_message(f":ann!a@h PRIVMSG #team :{text}", nick="bub_").is_addressed


@pytest.mark.parametrize("text", ["Ben[1]: hi", "ask @ben{1}"])
def test_people_are_mentioned_by_their_nicknames(text):
    assert read_message(f":ann!a@h PRIVMSG #team :{text}").mentions == (BEN,)


def test_colours_are_removed_and_actions_are_text():
    assert read_message(":ann!a@h PRIVMSG #team :\x0304,01red\x03 \x02bold\x02").text == "red bold"
    assert read_message(":ann!a@h PRIVMSG #team :\x01ACTION waves\x01").text == "/me waves"


def test_program_requests_and_own_lines_are_ignored():
    assert read_message(":ann!a@h PRIVMSG #team :\x01VERSION\x01") is None
    assert read_message(":bubbles!a@h PRIVMSG #team :hi") is None


def test_every_line_of_a_text_is_sent_separately():
    assert text_lines(OutgoingMessage(text="**one**\n\n• two\r\n  three")) == ["\x02one\x02", "• two", "  three"]


def test_text_cannot_contain_a_command_to_the_server():
    assert text_lines(OutgoingMessage(text="hi\r\nQUIT :bye\x00")) == ["hi", "QUIT :bye"]


@given(st.text(max_size=1500))
def test_every_line_fits(text):
    lines = text_lines(OutgoingMessage(text=text))

    assert all(len(line.encode()) <= 404 and "\n" not in line and "\r" not in line for line in lines)


def read_people(*lines, has_accounts=False):
    people = People()
    people.has_accounts = has_accounts
    for line in lines:
        people.update(parse_line(line))
    return people


def test_operators_of_a_channel_are_its_admins():
    people = read_people(":s 353 Bubbles = #team :@ann +ben Bubbles", ":ann!a@h MODE #team +o-o ben ann")

    assert people.person("ben", "#team").is_admin
    assert not people.person("ann", "#team").is_admin
    assert not people.person("ben", "#other").is_admin


def test_list_of_a_channel_to_which_the_bot_returns_replaces_the_earlier_one():
    people = read_people(
        ":s 353 Bubbles = #team :@ann @ben Bubbles",
        ":s 366 Bubbles #team :End of /NAMES list.",
        ":ann!a@h KICK #team Bubbles :out",
        ":s 353 Bubbles = #team :ann",
        ":s 353 Bubbles = #team :Bubbles",
    )

    assert set(people.members("#team")) == {"ann", "bubbles"}
    assert not people.person("ann", "#team").is_admin


def test_a_person_keeps_the_account_when_the_nickname_changes():
    people = read_people(":ann!a@h JOIN #team annie :Ann", ":ann!a@h NICK :ann_away", has_accounts=True)

    assert people.person("ann_away").id == "annie"


def test_name_does_not_give_another_persons_account():
    people = read_people(":mallory!m@h NICK :annie", has_accounts=True)

    assert people.person("annie").id == "~annie"


def test_an_account_is_known_from_the_tag_of_a_message_and_gone_after_logging_out():
    people = read_people("@account=annie :ann!a@h PRIVMSG #team :hi", has_accounts=True)
    assert people.person("ann").id == "annie"

    people.update(parse_line(":ann!a@h ACCOUNT *"))
    assert people.person("ann").id == "~ann"


@pytest.mark.parametrize(
    "lines",
    [
        (":annie!a@h PART #team",),  # and leaves the network later, which the bot is not told
        (":ann!a@h KICK #team annie :out",),
        (":annie!a@h PART #team", ":mallory!m@h NICK annie"),
        (":annie!m@h PRIVMSG Bubbles :hi",),  # without the tag of an account
    ],
)
def test_nickname_of_a_departed_person_does_not_give_their_account(lines):
    people = read_people(":annie!a@h JOIN #team annie :Ann", *lines, has_accounts=True)

    assert people.person("annie").id == "~annie"


def test_without_account_tags_nobody_has_an_account():
    people = read_people(":ann!a@h JOIN #team annie :Ann")

    assert people.person("ann").id == "ann"


@pytest.mark.parametrize("line", [":ben!b@h PART #team", ":ann!a@h KICK #team ben :out", ":ben!b@h QUIT :bye"])
def test_member_who_left_is_not_listed(line):
    people = read_people(":s 353 Bubbles = #team :@ann ben", line)

    assert set(people.members("#team")) == {"ann"}


RECORDED = json.loads(Path(__file__).with_name("lines.json").read_text(encoding="utf-8"))


def conversation(lines):
    """Return the messages that `lines` contain, and the people who are in the channel afterwards."""
    people, messages = People(), []
    for line in map(parse_line, lines):
        people.update(line)
        if line.command == "PRIVMSG":
            scene = LineContext(nick="bubbles", bot_name="Bubbles", people=people.members("#team"))
            sender = people.person(line.nick, "#team")
            messages.append(to_message(line, scene, sender=sender, message_id="m1", now=NOW))
    return messages, set(people.members("#team"))


@pytest.mark.parametrize("server", RECORDED)
def test_server_lines_are_messages_and_members(server):
    messages, here = conversation(RECORDED[server])

    assert [(each.sender.name, each.text) for each in messages] == [
        ("ann", "hello 你好"),
        ("ben", "bubbles: remind ann of tea"),
        ("ben", "/me waves"),
        ("ben", "hello in private"),
    ]
    assert [(each.is_addressed, each.is_private) for each in messages] == [
        (False, False),
        (True, False),
        (False, False),
        (True, True),
    ]
    assert here == {"bubbles"}


def test_operator_is_an_admin():
    messages, _ = conversation(RECORDED["ngircd"])

    assert [each.sender.is_admin for each in messages] == [True, True, True, True]


def test_remark_in_brackets_is_put_behind_its_line():
    message = OutgoingMessage(text="✅ Set [abc] for today: tea\n   (say “undo” to take it back)\n   2. coffee")

    assert text_lines(message) == ["✅ Set [abc] for today: tea (say “undo” to take it back)", "   2. coffee"]


def test_remark_that_does_not_fit_is_its_own_line():
    message = OutgoingMessage(text=f"{'t' * 390}\n   (say “undo” to take it back)")

    assert len(text_lines(message)) == 2


def test_limit_of_a_channel_is_no_name_in_a_change_of_modes():
    people = read_people(
        ":s 353 Bubbles = #team :@ann @ben", ":ann!a@h MODE #team +l-o 10 ben", ":ann!a@h MODE #team -l+o ben2"
    )

    assert not people.person("ben", "#team").is_admin
    assert people.person("ben2", "#team").is_admin


def test_server_says_which_modes_of_a_channel_have_a_parameter():
    people = read_people(
        ":s 005 Bubbles CHANMODES=eIbq,k,flj,CFLMPQScgimnprstuz PREFIX=(ov)@+ :are supported by this server",
        ":s 353 Bubbles = #team :@ann @ben",
        ":ann!a@h MODE #team +f-o ##overflow ben",
    )

    assert not people.person("ben", "#team").is_admin
