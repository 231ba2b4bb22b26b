"""Rate limits of platforms whose servers, or a proxy in front, name a time instead of seconds."""

from types import SimpleNamespace

import httpx
import pytest
from slack_sdk.errors import SlackApiError

from bot.platforms.dingtalk import api as dingtalk
from bot.platforms.feishu import api as feishu
from bot.platforms.slack.calls import to_delivery_failed
from services.kernel.errors import DeliveryFailed

HEADERS = {"Retry-After": "Fri, 20 Nov 2026 10:00:40 GMT", "Date": "Fri, 20 Nov 2026 10:00:00 GMT"}


@pytest.mark.parametrize("check", [dingtalk._check, feishu._check])
def test_time_of_day_is_a_wait(check):
    with pytest.raises(DeliveryFailed) as failure:
        check(httpx.Response(429, headers=HEADERS), {})

    assert failure.value.retry_after == 40


@pytest.mark.filterwarnings("ignore:'audioop' is deprecated:DeprecationWarning")  # discord.py's, for voice
def test_time_of_day_is_a_wait_on_discord():
    import discord

    from bot.platforms.discord import client as discord_client

    response = SimpleNamespace(status=429, reason="Too Many Requests", headers=httpx.Headers(HEADERS))

    assert discord_client._to_delivery_failed(discord.HTTPException(response, "slow down")).retry_after == 40


def test_time_of_day_is_a_wait_on_slack():
    response = SimpleNamespace(status_code=429, headers=HEADERS, get=lambda name, default: default)

    assert to_delivery_failed(SlackApiError("slow down", response)).retry_after == 40
