"""The reference page of platforms, compared with their adapters."""

from pathlib import Path

import pytest

from bot.config.platform_catalog import GROUPS
from bot.config.sources import load_settings
from bot.platforms.base import EditsMessages, KnowsMembers, LinksMessages, OffersCommands, ShowsTyping
from bot.platforms.catalog import create_platforms
from docs.generator.markdown import table
from services.kernel.clock import SystemClock

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(60),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of Discord's library
]

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "platforms.md"
TITLES = {"onebot": "QQ (OneBot)", "xmpp": "XMPP", "irc": "IRC", "dingtalk": "DingTalk"}
NEEDED = {
    "MATRIX__HOMESERVER": "https://matrix.example.org",
    "MATRIX__USER": "@bubbles:example.org",
    "MATRIX__PASSWORD": "x",
    "XMPP__JID": "bubbles@example.org",
    "XMPP__PASSWORD": "x",
    "IRC__HOST": "irc.example.org",
    "TELEGRAM__TOKEN": "1:abc",
    "DISCORD__TOKEN": "abc",
    "SLACK__BOT_TOKEN": "xoxb-1",
    "SLACK__APP_TOKEN": "xapp-1",
    "FEISHU__APP_ID": "cli_1",
    "FEISHU__APP_SECRET": "x",
    "DINGTALK__CLIENT_ID": "ding1",
    "DINGTALK__CLIENT_SECRET": "x",
}


def create_all():
    environment = {f"BUBBLES_PLATFORMS__{key}": value for key, value in NEEDED.items()}
    environment["BUBBLES_PLATFORMS__ENABLED"] = ",".join(GROUPS)
    return create_platforms(load_settings(None, environment), SystemClock())


def largest_file(platform):
    can = platform.capabilities
    return f"{can.max_file_kilobytes // 1000} MB" if can.files else "–"


def describe_edits(platform):
    if not isinstance(platform, EditsMessages):
        return "–"
    edits = platform.capabilities.max_edits
    return "corrections" if edits == 1 else f"{edits} times" if edits else "yes"


ROWS = {
    "replies to a message": lambda platform: platform.capabilities.replies,
    "buttons": lambda platform: platform.capabilities.choices,
    "edits its messages": describe_edits,
    "typing indicator": lambda platform: isinstance(platform, ShowsTyping),
    "private replies in a group": lambda platform: platform.capabilities.private_replies,
    "files": largest_file,
    "links to messages": lambda platform: isinstance(platform, LinksMessages),
    "characters of one message": lambda platform: f"{platform.capabilities.max_length:,}",
    "drops repeated messages": lambda platform: platform.capabilities.takes_idempotency_key,
    "accounts can be linked": lambda platform: platform.capabilities.authenticates_people,
    "menu of commands": lambda platform: isinstance(platform, OffersCommands),
    "lists members of a chat": lambda platform: isinstance(platform, KnowsMembers),
}


def format_cell(found):
    return found if isinstance(found, str) else "yes" if found else "–"


def make_table():
    """Make the table from the adapters."""
    known = create_all()
    rows = [(title, *(format_cell(find(each)) for each in known)) for title, find in ROWS.items()]
    return table(("", *(TITLES.get(each.name, each.name.title()) for each in known)), rows)


def test_table_of_the_page_matches_the_adapters():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("|"))

    assert lines[begin : begin + len(ROWS) + 2] == make_table()
