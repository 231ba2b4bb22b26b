"""Checks of the bot's account on each platform."""

from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from bot.app.connection_checks import examine_platform
from bot.config.settings import PlatformSettings, RouterSettings, Settings
from bot.platforms.discord.doctor import examine as examine_discord
from bot.platforms.kit.doctor import Prober
from bot.testing.clocks import FixedClock
from services.kernel.clock import SystemClock
from tests.support.chat_servers.dingtalk import DingTalkServer
from tests.support.chat_servers.discord import DiscordServer
from tests.support.chat_servers.feishu import FeishuServer
from tests.support.chat_servers.onebot import OneBotClient
from tests.support.chat_servers.slack import SlackServer
from tests.support.chat_servers.telegram import TelegramServer

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
async def prober():
    async with Prober(SystemClock()) as prober:
        yield prober


def settings(name, *, listen="all", **values):
    from bot.config.platform_catalog import GROUPS

    group = GROUPS[name](**values)
    return Settings(platforms=PlatformSettings(groups={name: group}), router=RouterSettings(listen=listen))


async def problems(name, prober, **values):
    found = await examine_platform(name, settings(name, **values), prober)
    return [finding.about for finding in found if finding.is_problem]


async def test_a_telegram_bot_that_reads_its_groups_is_well(prober):
    async with TelegramServer() as server:
        assert await problems("telegram", prober, token=SecretStr(server.token), api_url=server.url) == []


async def test_privacy_mode_is_a_problem_for_a_bot_that_listens_to_all(prober):
    async with TelegramServer(reads_all_groups=False) as server:
        values = {"token": SecretStr(server.token), "api_url": server.url}

        assert await problems("telegram", prober, **values) == ["telegram privacy mode"]
        assert await problems("telegram", prober, listen="addressed", **values) == []


async def test_a_wrong_telegram_token_is_a_problem(prober):
    async with TelegramServer() as server:
        assert await problems("telegram", prober, token=SecretStr("2:x"), api_url=server.url) == ["telegram token"]
        assert await problems("telegram", prober, api_url=server.url) == ["telegram token"]


async def test_a_webhook_that_telegram_cannot_reach_is_a_problem(prober):
    async with TelegramServer() as server:
        values = {"token": SecretStr(server.token), "api_url": server.url, "webhook_url": "https://a.example"}

        assert await problems("telegram", prober, **values) == []
        server.webhook_error = "Connection refused"
        await server.say("nobody hears this")
        assert await problems("telegram", prober, **values) == ["telegram webhook"]


async def test_a_server_that_is_away_is_a_problem_that_does_not_tell_the_token(prober):
    found = await examine_platform(
        "telegram", settings("telegram", token=SecretStr("1:secret"), api_url="http://127.0.0.1:9"), prober
    )

    assert found[0].is_problem
    assert "secret" not in found[0].state_in("en")


async def test_a_discord_application_with_the_intent_is_well(prober):
    async with DiscordServer() as server:
        options = settings("discord", token=SecretStr(server.token))
        found = await examine_discord(options, prober, api_url=f"{server.url}/api/v10")

    assert [finding.is_problem for finding in found] == [False, False, False]


async def test_a_discord_application_without_the_intent_is_a_problem_unless_it_is_not_needed(prober):
    async with DiscordServer(flags=0) as server:
        url, token = f"{server.url}/api/v10", SecretStr(server.token)
        expected = await examine_discord(settings("discord", token=token), prober, api_url=url)
        unwanted = await examine_discord(settings("discord", listen="addressed", token=token), prober, api_url=url)

    assert [finding.is_problem for finding in expected] == [False, True, False]
    assert [finding.is_problem for finding in unwanted] == [False, False, False]


SPEAKS, RULES = 1 << 11, 1 << 3
MUTE = (1 << 50) - 1 - RULES - SPEAKS
ALLOWED = {"id": "5", "type": 0, "allow": str(SPEAKS), "deny": "0"}


@pytest.mark.parametrize(
    ("permissions", "exceptions", "missing"),
    [(MUTE, [], "team: Send Messages"), (MUTE, [ALLOWED], ""), (RULES, [], "")],
    ids=["nowhere", "in a channel", "as an administrator"],
)
async def test_discord_permission_missing_everywhere_is_a_problem(prober, permissions, exceptions, missing):
    async with DiscordServer() as server:
        server.permissions, server.exceptions = permissions, exceptions
        options = settings("discord", token=SecretStr(server.token))
        found = await examine_discord(options, prober, api_url=f"{server.url}/api/v10")

    assert found[-1].is_problem is bool(missing)
    assert missing in found[-1].state_in("en")


async def test_a_wrong_discord_token_is_a_problem(prober):
    async with DiscordServer() as server:
        options = settings("discord", token=SecretStr("wrong"))
        found = await examine_discord(options, prober, api_url=f"{server.url}/api/v10")

    assert [finding.about for finding in found if finding.is_problem] == ["discord token"]


async def test_a_slack_app_with_both_tokens_is_well(prober):
    async with SlackServer() as server:
        values = {"bot_token": server.bot_token, "app_token": server.app_token, "api_url": server.api_url}

        assert await problems("slack", prober, **values) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"bot_token": "xoxb-wrong"}, "slack bot token"),
        ({"app_token": "xapp-wrong"}, "slack app token"),
        ({"mode": "http"}, "slack signing secret"),
    ],
)
async def test_missing_slack_permission_is_a_problem(prober, changes, expected):
    async with SlackServer() as server:
        values = {"bot_token": server.bot_token, "app_token": server.app_token, "api_url": server.api_url, **changes}

        assert await problems("slack", prober, **values) == [expected]


async def test_a_missing_permission_of_a_slack_app_is_a_problem(prober):
    async with SlackServer() as server:
        server.scopes = "chat:write,im:history"
        values = {"bot_token": server.bot_token, "app_token": server.app_token, "api_url": server.api_url}

        assert await problems("slack", prober, **values) == ["slack permissions"]


async def test_a_onebot_client_that_knows_the_token_is_well(prober):
    async with OneBotClient(token="token") as client:
        values = {"mode": "http", "url": client.url}

        assert await problems("onebot", prober, token=SecretStr("token"), **values) == []
        assert await problems("onebot", prober, token=SecretStr("wrong"), **values) == ["onebot token"]


async def test_unreachable_onebot_client_is_a_problem_unless_it_connects_to_us(prober):
    assert await problems("onebot", prober, mode="forward", url="ws://127.0.0.1:9") == ["onebot"]
    assert await problems("onebot", prober, mode="forward") == ["onebot"]
    assert await problems("onebot", prober, mode="reverse", port=0) == []


async def test_a_port_that_the_running_bot_listens_on_is_no_problem(prober):
    async with OneBotClient() as somebody:
        port = int(somebody.url.rsplit(":", 1)[1])

        assert await problems("onebot", prober, mode="reverse", port=port) == []


async def test_a_dingtalk_app_is_well_with_its_secret_only(prober):
    async with DingTalkServer() as server:
        values = {"client_id": server.client_id, "api_url": server.url}

        assert await problems("dingtalk", prober, client_secret=SecretStr(server.client_secret), **values) == []
        assert await problems("dingtalk", prober, client_secret=SecretStr("wrong"), **values) == ["dingtalk app"]
        assert await problems("dingtalk", prober, **values) == ["dingtalk app"]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("AccessTokenPermissionDenied", "missing: qyapi_robot_sendmsg"), ("IpNotInWhiteList", "IpNotInWhiteList")],
)
async def test_a_dingtalk_robot_that_may_not_send_is_a_problem_that_says_why(prober, reason, expected):
    async with DingTalkServer() as server:
        server.denies = reason
        values = {"client_id": server.client_id, "client_secret": SecretStr(server.client_secret)}
        found = await examine_platform("dingtalk", settings("dingtalk", api_url=server.url, **values), prober)

    assert [(each.about, each.is_problem) for each in found] == [
        ("dingtalk app", False),
        ("dingtalk permissions", True),
    ]
    assert expected in found[1].state_in("en")


async def test_a_feishu_app_is_well_with_its_secret_only(prober):
    async with FeishuServer() as server:
        values = {"app_id": server.app_id, "domain": server.url}

        assert await problems("feishu", prober, app_secret=SecretStr(server.app_secret), **values) == []
        assert await problems("feishu", prober, app_secret=SecretStr("wrong"), **values) == ["feishu app"]


async def test_a_feishu_app_without_a_bot_is_a_problem(prober):
    async with FeishuServer() as server:
        server.has_bot = False
        values = {"app_id": server.app_id, "app_secret": SecretStr(server.app_secret), "domain": server.url}

        assert await problems("feishu", prober, **values) == ["feishu bot"]


HEARS_MENTIONS = {"scope_name": "im:message.group_at_msg:readonly", "grant_status": 1}


@pytest.mark.parametrize(
    ("changed", "listen", "expected"),
    [
        ({"im:message.group_msg": {"grant_status": 2}}, "all", "im:message.group_msg (to receive messages of groups)"),
        ({"im:message.group_msg": HEARS_MENTIONS}, "all", "im:message.group_msg (to receive messages of groups)"),
        ({"im:message.group_msg": HEARS_MENTIONS}, "addressed", ""),
        ({"im:message:send_as_bot": {"scope_name": "im:message"}}, "all", ""),
        ({"im:message:send_as_bot": {"scope_type": "user"}}, "all", "im:message:send_as_bot (to send messages)"),
        ({"im:resource": {"grant_status": 2}}, "all", ""),
    ],
)
async def test_missing_feishu_permission_is_a_problem_if_it_is_used(prober, changed, listen, expected):
    async with FeishuServer() as server:
        server.scopes = [{**each, **changed.get(each["scope_name"], {})} for each in server.scopes]
        values = {"app_id": server.app_id, "app_secret": SecretStr(server.app_secret), "domain": server.url}
        *_, rights = await examine_platform("feishu", settings("feishu", listen=listen, **values), prober)

    assert rights.about == "feishu permissions"
    assert rights.is_problem == bool(expected)
    assert expected in rights.state_in("en")


async def test_a_feishu_permission_that_is_only_a_comfort_is_named(prober):
    async with FeishuServer() as server:
        server.scopes = [each for each in server.scopes if each["scope_name"] != "im:resource"]
        values = {"app_id": server.app_id, "app_secret": SecretStr(server.app_secret), "domain": server.url}
        *_, rights = await examine_platform("feishu", settings("feishu", **values), prober)

    assert rights.state_in("en") == "the bot reads and writes messages; not granted: im:resource:upload (to send files)"


async def test_the_time_of_the_servers_that_were_asked_is_remembered():
    async with Prober(FixedClock(NOW)) as prober, TelegramServer() as server:
        await prober.ask("GET", server.url)

    assert list(prober.skews) == ["127.0.0.1"]


async def test_console_needs_no_settings(prober):
    assert await examine_platform("console", Settings(), prober) != []
    assert not (await examine_platform("console", Settings(), prober))[0].is_problem
