"""The login to an IRC server."""

import base64
from contextlib import suppress

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import IrcSettings
from bot.platforms.irc.login import Login
from bot.platforms.irc.wire import parse_line
from bot.platforms.kit.connection import ConnectionEnded, ConnectionRefusedForGood

SECRET = SecretStr("hunter2")


class Talk:
    """A login, and what it wrote."""

    def __init__(self, **settings):
        self.written = []
        self.login = Login(IrcSettings(host="x", **settings), "Bubbles", self.written.append)
        self.login.start()
        self.written.clear()

    def receive(self, *lines):
        for line in lines:
            self.login.handle(parse_line(line))
        return self.written


def test_server_without_capabilities_can_be_used():
    talk = Talk()
    talk.receive(":s 421 * CAP :Unknown command", ":s 001 Bubbles :Welcome")

    assert talk.login.is_welcome


def test_only_offered_capabilities_are_asked_for_over_several_lines():
    written = Talk().receive(":s CAP * LS * :message-tags sasl=PLAIN", ":s CAP * LS :server-time other")

    assert written == ["CAP REQ :message-tags server-time"]


def test_the_account_is_proved_by_sasl():
    talk = Talk(account="bub", account_password=SECRET)
    written = talk.receive(":s CAP * LS :sasl", ":s CAP * ACK :sasl", "AUTHENTICATE +", ":s 903 * :ok")

    assert written[1] == "AUTHENTICATE PLAIN"
    assert base64.b64decode(written[2].split()[1]) == b"\0bub\0hunter2"
    assert written[3] == "CAP END"
    assert not talk.login.wants_nickserv


def test_a_long_proof_goes_in_pieces():
    written = Talk(account="b", account_password=SecretStr("x" * 297)).receive("AUTHENTICATE +")

    assert [len(line) for line in written] == [len("AUTHENTICATE ") + 400, len("AUTHENTICATE +")]


def test_a_refused_proof_falls_back_to_nickserv():
    talk = Talk(account_password=SECRET)

    assert talk.receive(":s 904 * :failed") == ["CAP END"]
    assert talk.login.wants_nickserv
    assert talk.login.identification == "PRIVMSG NickServ :IDENTIFY Bubbles hunter2"


def test_a_refused_proof_is_for_the_operator_where_nickserv_is_not_wanted():
    with pytest.raises(ConnectionRefusedForGood, match="failed"):
        Talk(account_password=SECRET, login=("sasl",)).receive(":s 904 * :failed")


def test_a_nickname_that_is_taken_gets_a_tail():
    talk = Talk()

    assert talk.receive(":s 433 * Bubbles :in use") == ["NICK Bubbles_"]
    assert talk.login.nick == "Bubbles_"


def test_the_server_has_the_last_word_on_the_nickname():
    talk = Talk()
    talk.receive(":s 001 Bubb :Welcome")

    assert talk.login.nick == "Bubb"


@pytest.mark.parametrize("line", [":s 464 * :Password incorrect", ":s 465 * :You are banned"])
def test_a_wrong_password_or_a_ban_is_for_the_operator(line):
    with pytest.raises(ConnectionRefusedForGood):
        Talk().receive(line)


def test_a_server_that_closes_is_tried_again():
    with pytest.raises(ConnectionEnded, match="too fast"):
        Talk().receive("ERROR :Closing link: too fast")


@pytest.mark.parametrize("line", ["CAP", ":s 904", ":s 433", "PING", "ERROR"])
def test_line_without_parameters_is_no_crash(line):
    with suppress(ConnectionEnded, ConnectionRefusedForGood):
        Talk(login=("sasl", "nickserv")).receive(line)


def test_an_impossible_nickname_is_refused_for_good_and_not_tried_again_and_again():
    with pytest.raises(ConnectionRefusedForGood, match="nickname"):
        Talk().receive(":s 432 * 小泡 :Erroneous nickname")


def test_a_nickname_that_was_taken_does_not_change_the_account():
    talk = Talk(account_password=SECRET)
    written = talk.receive(":s CAP * LS :sasl", ":s 433 * Bubbles :taken", ":s CAP * ACK :sasl", "AUTHENTICATE +")

    assert base64.b64decode(written[-1].split()[1]) == b"\0Bubbles\0hunter2"
