"""Requests that do not come from Slack."""

import asyncio
import time

import pytest
from aiohttp import ClientSession

from bot.platforms.slack.listeners import HttpListener


@pytest.mark.parametrize(
    ("body", "stamp", "signature"),
    [(b"{}", "soon", "v0=a"), (b"\xff", None, "v0=a"), (b"{}", None, "v0=\u00fc"), (b"{}", "9" * 5000, "v0=a")],
    ids=["no time", "no text", "no signature", "number too long"],
)
async def test_request_with_broken_headers_or_body_is_refused(body, stamp, signature):
    taken, is_open = [], asyncio.Event()

    async def take(kind, payload):
        taken.append((kind, payload))

    listener = HttpListener(take, signing_secret="loopback", host="127.0.0.1", port=0)
    serving = asyncio.create_task(listener.serve(is_open.set))
    await is_open.wait()
    headers = {"X-Slack-Request-Timestamp": stamp or str(int(time.time())), "X-Slack-Signature": signature}
    url = f"http://127.0.0.1:{listener.port}/slack/events"
    async with ClientSession() as client, client.post(url, data=body, headers=headers) as answer:
        status = answer.status
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)

    assert (status, taken) == (401, [])
