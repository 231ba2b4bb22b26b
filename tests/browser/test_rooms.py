"""Rooms: unread messages, names, links, notifications and search."""

import re
from pathlib import Path

import httpx
from playwright.async_api import Page, expect

from tests.browser.bot_process import BotProcess
from tests.browser.conftest import open_visitors
from tests.browser.test_appearance import PHONE, find_violations_in_both_schemes, message, person
from tests.browser.test_group import make_hello, make_message
from tests.browser.test_messages import open_room
from tests.browser.visitors import Visitors, WindowPool, messages_with, say

TOKEN = "s3cret-token"

# Replaces the visibility of the page, its tones and its notifications, whose permission is always granted.
FAKE_ABSENCE = """() => {
    window.asked = 0
    window.notices = []
    window.isAway = false
    window.tones = 0
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function (when) {
        window.tones += 1
        start.call(this, when)
    }
    Object.defineProperty(document, 'hidden', { get: () => window.isAway })
    window.Notification = class {
        static permission = 'default'
        static async requestPermission() {
            window.asked += 1
            this.permission = 'granted'
            return 'granted'
        }
        constructor(title, options) {
            window.notices.push(`${title}: ${options.body}`)
        }
    }
}"""


def room_link(page: Page, room: str):
    return page.locator(f".rooms [data-room='{room}']")


async def test_room_list_shows_mentions_in_other_rooms(visitors: Visitors):
    here, there = visitors.room, f"{visitors.room}_2"
    noor = await visitors.enter("Noor")
    visitors.room = there
    lin = await visitors.enter("Lin")
    await say(lin, "hello")
    await say(lin, "@Noor are you there?")

    badge = room_link(noor, there).locator(".room-badge")
    await expect(badge).to_contain_text("@1", timeout=20_000)
    await expect(badge).to_contain_text("1 mention")
    await expect(noor).to_have_title(f"(1) # {here} · Bubbles")
    await expect(noor.locator("link[rel=icon]")).to_have_attribute("href", "/icon-new.svg")
    await room_link(noor, there).click()
    await expect(messages_with(noor, "are you there?")).to_be_visible()
    await expect(badge).to_have_count(0)
    await room_link(noor, here).click()
    await expect(noor.locator("h1")).to_have_text(f"# {here}")
    await noor.reload()
    await expect(noor.locator("h1")).to_have_text(f"# {here}")
    await expect(room_link(noor, there)).to_be_visible()
    await expect(badge).to_have_count(0)
    visitors.room = here


async def test_room_button_on_a_phone_counts_mentions_in_other_rooms(visitors: Visitors):
    here, there = visitors.room, f"{visitors.room}_2"
    noor = await visitors.enter("Noor")
    await noor.set_viewport_size(PHONE)
    visitors.room = there
    lin = await visitors.enter("Lin")
    button = noor.get_by_role("button", name="Show rooms")
    await expect(button).to_have_accessible_name("Show rooms")

    await say(lin, "@Noor are you there?")
    await expect(button).to_have_accessible_name("Show rooms, 1 mention", timeout=20_000)
    assert await find_violations_in_both_schemes(noor) == []
    await button.click()
    await noor.get_by_role("dialog", name="Rooms").locator(f"[data-room='{there}']").click()

    await expect(messages_with(noor, "are you there?")).to_be_visible()
    await expect(button).to_have_accessible_name("Show rooms")
    visitors.room = here


async def test_keys_open_the_next_unread_room_and_the_palette_counts_mentions(visitors: Visitors):
    here, there = visitors.room, f"{visitors.room}_2"
    noor = await visitors.enter("Noor")
    visitors.room = there
    await say(await visitors.enter("Lin"), "@Noor lunch?")
    await expect(room_link(noor, there).locator(".room-badge")).to_contain_text("@1", timeout=20_000)

    await noor.keyboard.press("Control+k")
    in_palette = noor.get_by_role("dialog").get_by_role("button").filter(has_text=f"# {there}")
    await expect(in_palette).to_contain_text("1 mention")
    await noor.keyboard.press("Escape")
    await expect(noor.get_by_role("dialog")).to_have_count(0)
    await noor.keyboard.press("Alt+Shift+ArrowDown")

    await expect(noor.locator("h1")).to_have_text(f"# {there}")
    await expect(messages_with(noor, "lunch?")).to_be_visible()
    visitors.room = here


async def test_new_room_is_opened_and_shared_by_its_link(visitors: Visitors):
    window = await visitors.open_window()
    await window.grant_permissions(["clipboard-read", "clipboard-write"])
    ada = await visitors.enter("Ada", window=window)
    room = f"{visitors.room[:30]}-trip"
    await ada.get_by_role("button", name="New room").click()
    await ada.get_by_label("Room name").fill("no/room")
    await ada.keyboard.press("Enter")
    await expect(ada.get_by_text("Use letters, digits, - and _ only.")).to_be_visible()
    await ada.get_by_label("Room name").fill(room)
    await ada.keyboard.press("Enter")
    await expect(ada.locator("h1")).to_have_text(f"# {room}")

    await ada.get_by_label("Copy link to room").click()
    link = await ada.evaluate("navigator.clipboard.readText()")
    lin = await (await visitors.open_window()).new_page()
    await lin.goto(link)
    await expect(lin.get_by_label("Room")).to_have_value(room)


async def test_name_is_changed_in_the_own_menu(visitors: Visitors):
    page = await visitors.enter("Ada")
    await page.locator("#composer").wait_for()
    await page.locator(".own-menu").click()
    await page.get_by_role("menuitem", name="Change name").click()
    await page.get_by_role("dialog").get_by_label("Your name").fill("Grace")
    await page.keyboard.press("Enter")

    await expect(page.locator(".facepile")).to_have_attribute("aria-label", "2 members: Grace, Bubbles")
    await page.reload()
    await expect(page.locator(".facepile")).to_have_attribute("aria-label", "2 members: Grace, Bubbles")


async def test_notifications_are_enabled_by_a_click_and_shown_for_mentions(visitors: Visitors):
    window = await visitors.open_window(is_single_use=True)
    await window.add_init_script(f"({FAKE_ABSENCE})()")
    ada = await visitors.enter("Ada", window=window)
    lin = await visitors.enter("Lin")
    assert await ada.evaluate("window.asked") == 0

    await ada.locator("#composer").wait_for()
    await ada.locator(".own-menu").click()
    await ada.get_by_role("menuitemcheckbox", name="Desktop notifications").click()
    await expect(ada.get_by_role("menuitemcheckbox", name="Desktop notifications")).to_have_attribute(
        "aria-checked", "true"
    )
    await ada.get_by_role("menuitemcheckbox", name="Sound").click()
    await expect(ada.get_by_role("menuitemcheckbox", name="Sound")).to_have_attribute("aria-checked", "true")
    await ada.keyboard.press("Escape")
    await ada.evaluate("window.isAway = true")
    await say(lin, "anybody?")
    await say(lin, "@Ada lunch?")
    await expect(messages_with(ada, "lunch?")).to_have_count(1)

    assert await ada.evaluate("[window.asked, window.notices]") == [1, ["Lin: @Ada lunch?"]]
    assert await ada.evaluate("window.tones") == 4  # two for switching it on, two for the mention


async def test_longer_names_and_addresses_are_no_mentions(visitors: Visitors):
    window = await visitors.open_window(is_single_use=True)
    await window.add_init_script(f"({FAKE_ABSENCE})()")
    ada = await visitors.enter("Ada", window=window)
    await ada.locator("#composer").wait_for()
    await ada.locator(".own-menu").click()
    await ada.get_by_role("menuitemcheckbox", name="Desktop notifications").click()
    await ada.keyboard.press("Escape")
    await ada.evaluate("window.isAway = true")
    lin = await visitors.enter("Lin")

    await say(lin, "@Adam lunch? write to bob@allianz.test")
    await say(lin, "@Ada, and you? 你好@ada你来吗")

    await expect(messages_with(ada, "and you").locator(".mention[data-me]")).to_have_text(["@Ada", "@ada"])
    await expect(messages_with(ada, "bob@").locator(".mention")).to_have_count(0)
    assert await ada.evaluate("window.notices") == ["Lin: @Ada, and you? 你好@ada你来吗"]


async def test_highlighted_words_are_marked_and_notified_like_mentions(visitors: Visitors):
    window = await visitors.open_window(is_single_use=True)
    await window.add_init_script(f"({FAKE_ABSENCE})()")
    ada = await visitors.enter("Ada", window=window)
    await ada.locator("#composer").wait_for()
    await ada.locator(".own-menu").click()
    await ada.get_by_role("menuitem", name="Highlighted words").click()
    await ada.get_by_role("dialog").get_by_label("Highlighted words").fill("deploy, 上线")
    assert await find_violations_in_both_schemes(ada) == []
    await ada.keyboard.press("Enter")
    await ada.locator(".own-menu").click()
    await ada.get_by_role("menuitemcheckbox", name="Desktop notifications").click()
    await ada.keyboard.press("Escape")
    await ada.evaluate("window.isAway = true")
    lin = await visitors.enter("Lin")
    await say(lin, "redeployed already")
    await say(lin, "when do we Deploy?")
    await say(lin, "**deploy** 今天上线吗")

    await expect(messages_with(ada, "redeployed").locator(".mention")).to_have_count(0)
    await expect(messages_with(ada, "when do we").locator(".mention[data-me]")).to_have_text("Deploy")
    await expect(messages_with(ada, "今天").locator(".mention[data-me]")).to_have_text(["deploy", "上线"])
    assert [each.partition(":")[0] for each in await ada.evaluate("window.notices")] == ["Lin", "Lin"]


async def test_message_is_found_in_the_panel_and_in_the_palette(visitors: Visitors):
    page = await visitors.enter("Ada")
    await say(page, "the wifi password is on the fridge")
    for number in range(12):
        await say(page, f"line {number}\n\n\nand more")
    await expect(page.locator("[data-mine]")).to_have_count(13)
    row = page.locator("[data-message]", has=page.locator(".plain", has_text="fridge"))

    await page.locator(".panel").get_by_text("Search").click()
    await page.get_by_label("Search messages").fill("wifi password")
    await expect(page.locator("[data-found]").first.locator("mark")).to_have_text(["wifi", "password"])
    assert await find_violations_in_both_schemes(page) == []
    await page.locator("[data-found]").first.click()
    await expect(row).to_be_focused()
    await expect(row).to_be_in_viewport()
    await page.keyboard.press("End")
    await expect(messages_with(page, "line 11")).to_be_in_viewport()
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("dialog").locator("input")).to_be_focused()
    await page.keyboard.type("wifi")
    found = page.get_by_role("dialog").get_by_role("button", name="Ada: the wifi password is on the fridge")
    await expect(found).to_contain_text(re.compile(rf"# {visitors.room} · .*\d\d:\d\d"))
    await found.click()

    await expect(row).to_be_in_viewport()
    await expect(row).to_be_focused()


async def test_palette_finds_messages_of_rooms_visited_before(visitors: Visitors):
    here, there = visitors.room, f"{visitors.room}_2"
    window = await visitors.open_window()
    page = await visitors.enter("Ada", window=window)
    await say(page, "the wifi password is on the fridge")
    await expect(page.locator("[data-mine]")).to_have_count(1)
    visitors.room = there
    await visitors.go(page, "/reminders", "Ada")

    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("dialog").locator("input")).to_be_focused()
    await page.keyboard.type("wifi")
    await page.get_by_role("dialog").get_by_role("button").filter(has_text=f"# {here} · ").click()

    await expect(page.locator("h1")).to_have_text(f"# {here}")
    await expect(page.locator("[data-message]", has_text="fridge")).to_be_focused()
    visitors.room = here


async def test_found_message_older_than_the_log_is_loaded(visitors: Visitors):
    page = await (await visitors.open_window()).new_page()
    older = [make_message(number) for number in range(50)]
    found = {"id": "m3", "content": "number 3", "created_at": "2026-11-21T11:00:00Z", "author": person("Lin")}
    await page.route("**/log?**", lambda route: route.fulfill(json={"messages": older, "before": None}))
    await page.route("**/search?**", lambda route: route.fulfill(json=[found]))
    await page.route_web_socket("**/api/chat/ws**", lambda socket: socket.send(make_hello(range(50, 370))))
    await visitors.go(page, "/", "Ada")
    await expect(messages_with(page, "number 369")).to_be_in_viewport()

    await page.locator(".panel").get_by_text("Search").click()
    await page.get_by_label("Search messages").fill("number 3")
    await page.locator("[data-found=m3]").press("Enter")

    await expect(page.locator("[data-message=m3]")).to_be_in_viewport()
    await expect(page.locator("[data-message=m3]")).to_be_focused()
    await page.keyboard.press("End")
    await expect(messages_with(page, "number 369")).to_be_in_viewport()


async def test_replies_and_quotations_link_to_each_other(visitors: Visitors):
    lin = person("Lin")
    between = [message(each, lin, f"number {each}\n\n\n.", -20 + each / 10) for each in range(2, 20)]
    reply = message(20, person("Mei"), "at two", -1, reply_to="m1")
    page = await open_room(visitors, [message(1, lin, "when do we meet?", -25), *between, reply])

    await page.locator("[data-message=m20] .quote").click()
    await expect(page.locator("[data-message=m1]")).to_be_focused()
    await page.locator("[data-message=m1]").get_by_role("button", name="1 reply").click()
    await page.locator("[data-message=m1] .reply-list").get_by_role("button", name="at two").click()

    await expect(page.locator("[data-message=m20]")).to_be_focused()
    await expect(page.locator("[data-message=m20]")).to_be_in_viewport()


async def test_phone_has_the_rooms_in_a_drawer_without_axe_problems(visitors: Visitors):
    page = await (await visitors.open_window()).new_page()
    await page.set_viewport_size(PHONE)
    await visitors.go(page, "/", "Ada")
    found = await find_violations_in_both_schemes(page)
    await page.get_by_label("Show rooms").click()
    await expect(page.get_by_role("dialog", name="Rooms").locator(f"[data-room='{visitors.room}']")).to_be_visible()

    found += await find_violations_in_both_schemes(page)

    assert found == []
    assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


async def test_link_to_a_room_asks_for_the_token_and_refuses_a_wrong_one(window_pool: WindowPool, tmp_path: Path):
    with BotProcess(tmp_path, BUBBLES_HTTP__TOKEN=TOKEN) as bot:
        async with open_visitors(window_pool, bot.address) as visitors:
            page = await (await visitors.open_window("es", is_single_use=True)).new_page()
            await page.goto(f"{bot.address}/?room=ideas")
            await page.get_by_label("Tu nombre").fill("Lin")
            await page.keyboard.press("Enter")
            field = page.get_by_label("Token de acceso")
            await expect(field).to_be_focused()
            await page.keyboard.type("wrong")
            await page.keyboard.press("Enter")
            await expect(page.locator("form")).to_contain_text("Este token de acceso no es válido")
            await expect(field).to_be_focused()
            await field.fill(TOKEN)
            await page.keyboard.press("Enter")
            await page.get_by_role("link", name="Omitir").click()
            await expect(page.locator("h1")).to_contain_text("ideas")
            visitors.errors[:] = [each for each in visitors.errors if "status of 401" not in each]


async def test_pages_of_admins_are_not_offered_to_members(window_pool: WindowPool, tmp_path: Path):
    with BotProcess(tmp_path, BUBBLES_HTTP__TOKEN=TOKEN) as bot:
        async with httpx.AsyncClient(base_url=bot.address, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
            issued = (await client.post("/api/admin/tokens", json={"name": "Lin"})).json()
        async with open_visitors(window_pool, bot.address) as visitors:
            page = await (await visitors.open_window(is_single_use=True)).new_page()
            await page.goto(bot.address)
            await page.get_by_label("Your name").fill("Lin")
            await page.keyboard.press("Enter")
            await page.get_by_label("Access token").fill(issued["token"])
            await page.keyboard.press("Enter")
            await expect(page.locator("[data-model='']")).to_contain_text("No AI model connected")
            await expect(page.locator(".rail-link")).to_have_text(["Chat", "Reminders", "Tools"])
            await expect(page.get_by_role("link", name="Connect one")).to_have_count(0)
            await page.set_viewport_size(PHONE)
            await expect(page.get_by_role("button", name="More", exact=True)).to_have_count(0)
            await page.keyboard.press("Control+k")
            await page.keyboard.type("set")
            await expect(page.get_by_role("dialog").get_by_text("reminder_set")).to_be_visible()
            await expect(page.get_by_role("dialog").get_by_text("Settings", exact=True)).to_have_count(0)
            visitors.errors[:] = [each for each in visitors.errors if "status of 401" not in each]
