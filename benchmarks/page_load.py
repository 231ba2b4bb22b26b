"""Measure the loading of the web page on a slow computer, and the size of its JavaScript.

    python benchmarks/page_load.py --rounds 5 --messages 500

Starts `bubbles run` with an empty data folder and opens its page in Chromium (BUBBLES_CHROMIUM, /usr/bin/chromium by
default), with the CPU slowed down to a quarter over the DevTools protocol and with an empty cache. `join` is the form
for a new person, `room` a room with a few messages, `long_room` one with `--messages`. In both the bot answers every
fourth message.

`paint_ms` is the first contentful paint. `interactive_ms` is the time until the form, or the last message and the
connected composer, is shown and the page responds within a tenth of a second. Up to then, `javascript_kb` is the
uncompressed size of the scripts and `cpu_ms` the CPU time of the main thread. Figures are medians of the rounds.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
from urllib.parse import urlencode

from playwright.async_api import Browser, async_playwright

from benchmarks.processes import wait_until_idle
from benchmarks.websocket_fanout import Server

_CHROMIUM = os.environ.get("BUBBLES_CHROMIUM") or "/usr/bin/chromium"
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
_CPU_SLOWDOWN = 4
_MAX_LOAD_SECONDS = 60
_MESSAGES_OF_ROOM = 10
_MESSAGES_PER_ANSWER = 5  # including the answer
_LAST_MESSAGE = "this is the last message of the room"
# Runs in the page before its own scripts, with the selector and the text of the element to wait for.
_OBSERVER = """
const [selector, text] = %s
const isShown = () => [...document.querySelectorAll(selector)].some((one) => one.textContent.includes(text))
const isConnected = () => !document.querySelector('#composer') || document.querySelector('[data-link=live]')
const isPainted = () => performance.getEntriesByName('first-contentful-paint').length
const wait = () => {
  const asked = performance.now()
  requestAnimationFrame(() => setTimeout(() => {
    if (performance.now() - asked < 100) window.interactiveAt = performance.now()
    else wait()
  }))
}
const look = () => {
  if (isShown() && isConnected() && isPainted()) wait()
  else setTimeout(look, 4)
}
look()
"""
_WAIT_UNTIL_INTERACTIVE = """() => new Promise((resolve) => {
  const look = () => (window.interactiveAt ? resolve() : setTimeout(look, 20))
  look()
})"""
_COLLECT_FIGURES = """() => ({
  paint_ms: performance.getEntriesByName('first-contentful-paint')[0].startTime,
  interactive_ms: window.interactiveAt,
  javascript_kb: performance.getEntriesByType('resource')
    .filter((one) => one.name.endsWith('.js') && one.startTime < window.interactiveAt)
    .reduce((sum, one) => sum + one.decodedBodySize, 0) / 1000,
})"""
_SCREENS = {
    "join": ("form button[type=submit]", ""),
    "room": (".bubble", _LAST_MESSAGE),
    "long_room": (".bubble", _LAST_MESSAGE),
}


async def fill_room(server: Server, room: str, messages: int) -> None:
    """Fill a room with messages of two people and answers of the bot, `messages` in all."""
    people = [await server.connect(name, room) for name in ("Ada", "Lin")]
    sent = messages - messages // _MESSAGES_PER_ANSWER
    for number in range(sent):
        text = f"the train leaves from platform {number}, see https://example.org/{number}"
        if number % (_MESSAGES_PER_ANSWER - 1) == 0:
            text = "@Bubbles what can you do?"
        if number == sent - 1:
            text = _LAST_MESSAGE
        client_id = f"{room}-{number}"
        await people[number % 2].send(
            json.dumps({"v": 1, "type": "send", "data": {"client_id": client_id, "text": text}})
        )
        while True:
            frame = json.loads(await asyncio.wait_for(people[0].recv(), 30))
            if frame["type"] == "message_new" and frame["data"]["message"]["client_id"] == client_id:
                break
    await asyncio.sleep(1)
    for each in people:
        await each.close()


async def load_page(browser: Browser, address: str, screen: str) -> dict[str, float]:
    """Open the page once with an empty cache and return its figures."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    page = await context.new_page()
    devtools = await context.new_cdp_session(page)
    await devtools.send("Emulation.setCPUThrottlingRate", {"rate": _CPU_SLOWDOWN})
    await devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    await page.add_init_script(f"{{{_OBSERVER % json.dumps(_SCREENS[screen])}}}")
    query = {} if screen == "join" else {"as": "Mei", "room": screen}
    await page.goto(f"{address}/?{urlencode(query)}", wait_until="commit")
    await asyncio.wait_for(page.evaluate(_WAIT_UNTIL_INTERACTIVE), _MAX_LOAD_SECONDS)
    figures: dict[str, float] = await page.evaluate(_COLLECT_FIGURES)
    metrics = (await devtools.send("Performance.getMetrics"))["metrics"]
    figures["cpu_ms"] = 1000 * next(each["value"] for each in metrics if each["name"] == "TaskDuration")
    await context.close()
    return figures


async def measure(server: Server, address: str, rounds: int, messages: int) -> dict[str, dict[str, float]]:
    """Load every screen `rounds` times and return the medians."""
    await fill_room(server, "room", _MESSAGES_OF_ROOM)
    await fill_room(server, "long_room", messages)
    await asyncio.to_thread(wait_until_idle, server.process.pid)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=_CHROMIUM, args=_ARGUMENTS)
        await load_page(browser, address, "join")
        found = {screen: [await load_page(browser, address, screen) for _ in range(rounds)] for screen in _SCREENS}
        await browser.close()
    return {
        screen: {key: round(statistics.median(each[key] for each in loads), 1) for key in loads[0]}
        for screen, loads in found.items()
    }


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--messages", type=int, default=500)
    parser.add_argument("--port", type=int, default=8792)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, options.port)
        try:
            address = f"http://127.0.0.1:{options.port}"
            figures = asyncio.run(measure(server, address, options.rounds, options.messages))
        finally:
            server.process.terminate()
            server.process.wait(10)
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
