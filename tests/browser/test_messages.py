"""Messages in the log: text, buttons and keyboard access."""

import re
from collections.abc import Sequence

import pytest
from playwright.async_api import FilePayload, Page, WebSocketRoute, expect

from tests.browser.test_appearance import (
    BOT,
    CUT_OFF,
    NOW,
    PHONE,
    call,
    find_violations_in_both_schemes,
    hello,
    message,
    person,
    time_after,
)
from tests.browser.test_files import make_png
from tests.browser.visitors import Visitors, say

NESTED = "Plan:\n- fruit\n  - apple\n    - green\n- bread\nbye\n\n1. first\n  - under it\n2. second"
RICH = """| Owner | Task |
|---|---|
| Lin | Checklist |

- [x] book the room
- [ ] write the notes

```
a very long line of code that is wider than its box, again and again and again, and then some more
```

[a page](http://example.org/) and `code`"""
TABLES = f"{RICH}\n\n{RICH}"
ARABIC = "مرحبا، هل نلتقي يوم الخميس؟"
LONG_NAME = "W" * 40


async def open_room(visitors: Visitors, messages: Sequence[dict[str, object]], page: Page | None = None) -> Page:
    """Open a room with these messages as Ada, without a bot."""
    page = page or await (await visitors.open_window()).new_page()

    def serve(socket: WebSocketRoute) -> None:
        socket.send(hello([*messages]))
        socket.on_message(lambda _: None)

    await page.route_web_socket("**/api/chat/ws**", serve)
    await visitors.go(page, "/", "Ada")
    await page.locator("[data-message]").first.wait_for()
    return page


def bot_message(number: int, text: str, **more: object) -> dict[str, object]:
    return message(number, BOT, text, -5 + number / 100, **more)


async def test_nested_lists_are_nested_without_empty_lines(visitors: Visitors):
    page = await open_room(visitors, [bot_message(1, NESTED)])
    log = page.locator("[data-message]")

    await expect(log.locator("ul > li > ul > li > ul > li")).to_have_text("green")
    await expect(log.locator("ol > li")).to_have_count(2)
    await expect(log.locator("ol > li > ul > li")).to_have_text("under it")
    await expect(log.locator("p", has_text="bye")).to_be_visible()
    heights = await log.locator("li").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    lines = [3, 2, 1, 1, 2, 1, 1]  # of fruit, apple, green, bread, first, under it, second, with what is inside of each
    assert [round(height / 26) for height in heights] == lines


async def test_days_have_separators(visitors: Visitors):
    page = await (await visitors.open_window(is_single_use=True)).new_page()
    await page.clock.set_fixed_time(NOW)
    days = [message(number, person("Lin"), "good morning", -24 * 60 * (3 - number)) for number in range(1, 4)]
    await open_room(visitors, [*days, message(4, person("Lin"), "once more", 0)], page)

    await expect(page.locator(".day-line")).to_have_text(["Thursday, 19 November 2026", "Yesterday", "Today"])


async def test_line_break_of_the_bot_is_shown(visitors: Visitors):
    page = await open_room(visitors, [bot_message(1, "one\ntwo")])

    await expect(page.locator("[data-message] .markdown br")).to_have_count(1)


async def test_right_to_left_text_has_its_direction(visitors: Visitors):
    messages = [
        message(1, person("Lin"), ARABIC, -5),
        bot_message(2, f"{ARABIC}\n\n- {ARABIC}"),
        bot_message(3, "left"),
    ]
    page = await open_room(visitors, messages)

    await expect(page.locator("[data-message=m1] .plain")).to_have_css("direction", "rtl")
    await expect(page.locator("[data-message=m2] .markdown li")).to_have_css("direction", "rtl")
    await expect(page.locator("[data-message=m2] .markdown p")).to_have_css("direction", "rtl")
    await expect(page.locator("[data-message=m3] .markdown p")).to_have_css("direction", "ltr")
    await page.locator("#composer").fill(ARABIC)
    await expect(page.locator("#composer")).to_have_css("direction", "rtl")


async def test_script_addresses_are_never_links(visitors: Visitors):
    bad = "javascript:alert(1)"
    files = [{"kind": "file", "description": "notes", "url": bad}, {"kind": "file", "description": "old", "url": None}]
    texts = f"[click]({bad}) ![picture]({bad}) [data](data:text/html,x) <{bad}> [page](https://example.org/)"
    page = await open_room(visitors, [bot_message(1, texts), message(2, person("Lin"), bad, -1, attachments=files)])

    await expect(page.locator("[data-message]")).to_have_count(2)
    await expect(page.locator("[data-message=m1]")).to_contain_text("click picture data")
    addresses = await page.locator("main a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert addresses == ["https://example.org/"]
    await expect(page.locator("[data-message=m2] .file").first).to_have_text("notes")


async def test_temporary_failure_has_its_button_below_the_text(visitors: Visitors):
    messages = [
        message(1, person("Ada"), "@Bubbles tell me a story", -6),
        bot_message(2, "No.", reply_to="m1", retryable=True),
    ]
    page = await open_room(visitors, messages)

    text = await page.locator("[data-message=m2]").get_by_text("No.", exact=True).bounding_box()
    retry = await page.get_by_role("button", name="Retry").bounding_box()

    assert text is not None
    assert retry is not None
    assert text["y"] + text["height"] <= retry["y"]


async def test_message_shows_its_time_once_and_code_without_ligatures(visitors: Visitors):
    messages = [message(1, person("Lin"), "`a -> b`", -6), message(2, BOT, "`a -> b`", -5)]
    page = await open_room(visitors, messages)

    for number in (1, 2):
        bubble = page.locator(f"[data-message=m{number}]")
        await expect(bubble.locator("time")).to_have_count(1)
        await expect(bubble.locator("code")).to_have_css("font-variant-ligatures", "none")


UNDO = [{"label": "↩ Undo", "says": "undo"}]
TIMES = [{"label": "08:00", "says": "1"}, {"label": "20:00", "says": "2"}]
FIRED = {"id": "r1", "text": "tea", "due_at": "2026-11-21T11:00:00Z", "late_ms": 3}
SNOOZE = [{"label": "Done", "says": "done"}, {"label": "10 min", "says": "snooze 10 minutes"}]


async def test_buttons_for_others_are_not_shown(visitors: Visitors):
    messages = [
        message(1, person("Ada"), "remind me at 8 to run", -6),
        message(2, person("Lin"), "remind me at 8 to swim", -6),
        bot_message(3, "mine", reply_to="m1", choices=UNDO),
        bot_message(4, "Lin's", reply_to="m2", choices=UNDO),
        bot_message(5, "⏰ @Lin tea", reminder=FIRED, mentions=["lin"], choices=SNOOZE),
        bot_message(6, "⏰ @Ada tea", reminder=FIRED, mentions=["ada"], choices=SNOOZE),
        bot_message(
            7, "said so", reply_to="m1", choices=[UNDO[0] | {"only_for": ["lin"]}, TIMES[0] | {"only_for": []}]
        ),
    ]
    page = await open_room(visitors, messages)

    choices = [await page.locator(f"[data-message=m{each}] .choice").all_inner_texts() for each in range(3, 8)]

    assert choices == [["↩ Undo"], [], [], ["Done", "10 min"], ["08:00"]]


async def test_used_buttons_cannot_be_pressed_again(visitors: Visitors):
    messages = [
        message(1, person("Ada"), "remind me at 8 to run", -6),
        bot_message(2, "which?", reply_to="m1", choices=TIMES),
        message(3, person("Ada"), "2", -4, reply_to="m2"),
        bot_message(4, "set", reply_to="m1", choices=[UNDO[0] | {"state": "used"}]),
        bot_message(5, "set", reply_to="m1", choices=[UNDO[0] | {"state": "expired"}]),
        bot_message(6, "⏰ @Ada tea", reminder=FIRED, mentions=["ada"], choices=SNOOZE),
        bot_message(8, "which?", choices=[TIMES[0] | {"state": "live", "expires_at": time_after(0)}]),
        bot_message(7, "set", reply_to="m1", choices=[UNDO[0] | {"state": "live"}]),
    ]
    page = await open_room(visitors, messages)

    for closed in (2, 4, 5, 8):
        for button in await page.locator(f"[data-message=m{closed}] .choice").all():
            await expect(button).to_be_disabled()
    await page.locator("[data-message=m6]").get_by_role("button", name="10 min").click()
    await expect(page.locator("[data-message=m6]").get_by_role("button", name="10 min")).to_be_disabled()
    await expect(page.locator("[data-message=m6]").get_by_role("button", name="Done")).to_be_enabled()
    await expect(page.locator("[data-message=m7] .choice")).to_be_enabled()


async def test_messages_are_focused_and_replied_to_with_the_keyboard(visitors: Visitors):
    lin = person("Lin")
    page = await open_room(visitors, [message(each, lin, f"number {each}", -10 + each) for each in range(1, 6)])
    await page.locator(".log").focus()

    await page.keyboard.press("ArrowUp")
    await expect(page.locator("[data-message=m5]")).to_be_focused()
    await page.keyboard.press("ArrowUp")
    await expect(page.locator("[data-message=m4]")).to_be_focused()
    await page.keyboard.press("Home")
    await expect(page.locator("[data-message=m1]")).to_be_focused()
    await expect(page.locator("[data-message=m1]").get_by_label("React", exact=True)).to_be_visible()
    await page.keyboard.press("Tab")
    await expect(page.locator("[data-message=m1]").get_by_label("React", exact=True)).to_be_focused()
    await page.locator("[data-message=m1]").focus()
    await page.keyboard.press("r")

    await expect(page.locator(".composer-context")).to_contain_text("number 1")
    await expect(page.locator("#composer")).to_be_focused()


async def test_tab_key_skips_actions_of_messages_without_focus(visitors: Visitors):
    page = await open_room(
        visitors, [message(each, person("Lin"), f"number {each}", -10 + each) for each in range(1, 6)]
    )
    await page.locator(".log").focus()

    await page.keyboard.press("Tab")

    await expect(page.locator(".composer .attach, #composer").first).to_be_focused()


OVERLAPS = """(row) => {
    const box = (name) => row.querySelector(name).getBoundingClientRect()
    const [bar, text] = [box('.actions'), box('.plain, .markdown')]
    return bar.left < text.right && text.left < bar.right && bar.top < text.bottom && text.top < bar.bottom
}"""


async def test_actions_never_cover_the_text_of_their_message(visitors: Visitors):
    lin, ada = person("Lin"), person("Ada")
    long = "a long message " * 20
    short = [message(1, lin, "ok", -9), message(2, ada, "ok", -8), bot_message(3, "ok")]
    wide = [message(4, lin, long, -7), message(5, ada, long, -6), bot_message(6, long)]
    page = await open_room(visitors, [*short, *wide])

    for size in ({"width": 1280, "height": 800}, {"width": 760, "height": 900}, PHONE):
        await page.set_viewport_size(size)
        for row in await page.locator("[data-message]").all():
            await row.hover()
            await expect(row.locator(".actions")).to_be_visible()
            assert not await row.evaluate(OVERLAPS), (size, await row.get_attribute("data-message"))
            box = await row.locator(".actions").bounding_box()
            assert box is not None
            assert 0 <= box["x"] <= size["width"] - box["width"]


async def test_long_name_is_not_cut_off(visitors: Visitors):
    name = person(LONG_NAME)
    messages = [
        message(1, name, "hello", -9, reactions={"👍": [LONG_NAME.lower()]}),
        message(2, person("Ada"), f"@{LONG_NAME} hello", -8, reply_to="m1"),
    ]
    page = await open_room(visitors, messages)
    await page.locator(".panel").get_by_text("People").click()

    for size in (PHONE, {"width": 1280, "height": 800}):
        await page.set_viewport_size(size)
        # The layout changes after the resize.
        await page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=size["width"])
        assert await page.evaluate(CUT_OFF) == []
        stamp = await page.locator("[data-message=m1] .stamp").first.bounding_box()
        assert stamp is not None
        assert stamp["x"] + stamp["width"] <= size["width"]


async def test_axe_finds_no_problem_in_rich_messages_open_cards_and_the_palette(visitors: Visitors):
    calls = [
        call("reminder_set", "ok", {"type": "once"}, result={"id": "x"}, duration_ms=1),
        call("summary", "ok", {"style": "bullets"}, result="text", duration_ms=1),
    ]
    messages = [bot_message(1, TABLES), bot_message(2, "done", tool_calls=calls)]
    page = await open_room(visitors, messages)
    for card in await page.locator(".tool-line").all():
        await card.click()

    found = await find_violations_in_both_schemes(page)
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("dialog", name="Search")).to_be_visible()
    found += await find_violations_in_both_schemes(page)

    assert found == []
    await expect(page.locator(".task-mark").first).to_have_attribute("aria-label", "done")
    await expect(page.locator(".markdown pre").first).to_have_attribute("tabindex", "0")


async def test_own_picture_scrolls_into_view_when_sent(visitors: Visitors):
    page = await visitors.enter("Ada")
    for number in range(14):
        await say(page, f"line {number}\n\n\nand more")
    await expect(page.locator("[data-mine]")).to_have_count(14)
    await page.locator(".log").hover()
    await page.mouse.wheel(0, -900)
    await expect(page.locator(".log")).to_have_attribute("data-following", "no")
    file: FilePayload = {"name": "tall.png", "mimeType": "image/png", "buffer": make_png(200, 900)}

    await page.locator(".composer input[type=file]").set_input_files(file)
    await expect(page.locator("[data-attached=ready]")).to_have_count(1)
    await page.get_by_role("button", name="Send", exact=True).click()

    own = page.locator("[data-message] img.picture")
    await expect(own).to_have_js_property("naturalHeight", 900)
    await expect(own).to_be_in_viewport(ratio=1)


SCROLL_UP_WHILE_THE_LOG_GROWS = """log => {
    log.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, bubbles: true}))
    log.scrollTop -= 300
    log.querySelector('[data-message]:last-child').style.height = '200px'
}"""


async def test_wheel_stops_following_the_log_while_messages_arrive(visitors: Visitors):
    page = await open_room(visitors, [message(number, person("Lin"), f"line {number}", -9) for number in range(40)])
    log = page.get_by_role("log")

    await log.evaluate(SCROLL_UP_WHILE_THE_LOG_GROWS)

    await expect(page.locator(".jump")).to_be_visible()
    await expect(log).to_have_attribute("data-following", "no")


async def test_palette_lists_rooms_opened_after_its_first_use(visitors: Visitors):
    ada = await visitors.enter("Ada")
    await ada.keyboard.press("Control+k")
    await expect(ada.get_by_role("dialog")).to_be_visible()
    await ada.keyboard.press("Escape")
    await expect(ada.get_by_role("dialog")).to_have_count(0)
    room, visitors.room = visitors.room, f"{visitors.room}_new"
    await visitors.enter("Lin")

    await ada.keyboard.press("Control+k")

    await expect(ada.get_by_role("dialog").get_by_text(f"# {visitors.room}")).to_be_visible()
    visitors.room = room


async def test_tab_title_has_the_room_and_no_count_of_read_messages(visitors: Visitors):
    page = await visitors.enter("Iris")
    await expect(page).to_have_title(f"# {visitors.room} · Bubbles")
    await page.locator(".rail-link").nth(1).click()
    await expect(page).to_have_title("Reminders · Bubbles")

    await page.clock.install()
    await page.evaluate("fetch('/api/chat/sessions')")
    await page.locator(".rail-link").nth(0).click()
    await say(page, "remind me in 1 second to stretch")
    await page.locator(".rail-link").nth(1).click()
    await expect(page).to_have_title("(1) ⏰ stretch", timeout=10_000)
    await page.clock.run_for(13_000)

    await expect(page).to_have_title("Reminders · Bubbles")


async def test_buttons_of_a_question_are_disabled_by_a_typed_number(visitors: Visitors):
    page = await visitors.enter("Ada")
    await say(page, "remind me tomorrow at 6 to call Lin")
    question = page.locator("[data-message]", has=page.get_by_role("button", name="06:00"))
    await expect(question.get_by_role("button", name="18:00")).to_be_enabled()

    await say(page, "2")

    for clock in ("06:00", "18:00"):
        await expect(question.get_by_role("button", name=clock)).to_be_disabled()


async def test_buttons_of_a_question_are_disabled_by_another_answer(visitors: Visitors):
    page = await visitors.enter("Ada")
    await say(page, "remind me tomorrow at 6 to call Lin")
    question = page.locator("[data-message]", has=page.get_by_role("button", name="06:00"))
    await expect(question.get_by_role("button", name="18:00")).to_be_enabled()

    await say(page, "at 8pm")

    for clock in ("06:00", "18:00"):
        await expect(question.get_by_role("button", name=clock)).to_be_disabled()


CODE = """look at **this**, please:

```python
def answer():
    return "42"
```"""


async def test_markdown_of_people_has_highlighted_code_with_a_copy_button(visitors: Visitors):
    window = await visitors.open_window()
    await window.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await open_room(visitors, [message(1, person("Lin"), CODE, -1)], await window.new_page())
    row = page.locator("[data-message=m1]")

    await expect(row.locator("strong")).to_have_text("this")
    await expect(row.locator("[data-highlighted=python] .hljs-keyword").first).to_have_text("def")
    await row.get_by_label("Copy code").click()

    assert await page.evaluate("navigator.clipboard.readText()") == 'def answer():\n    return "42"'


async def test_long_code_is_folded_until_it_is_expanded(visitors: Visitors):
    lines = "\n".join(f"step({number})" for number in range(1, 31))
    page = await open_room(visitors, [message(1, person("Lin"), f"```\n{lines}\n```", -1)])
    code = page.get_by_role("group", name="Code")
    fold = page.get_by_role("button", name="Show all 30 lines")
    await fold.wait_for()
    folded = await code.evaluate("one => one.getBoundingClientRect().height")
    assert await find_violations_in_both_schemes(page) == []

    await fold.press("Enter")
    await expect(page.get_by_role("button", name="Show fewer lines")).to_have_attribute("aria-expanded", "true")
    assert await code.evaluate("one => one.getBoundingClientRect().height") > 1.4 * folded


async def test_text_without_markdown_is_shown_unchanged(visitors: Visitors):
    texts = ["snake_case_name and 3 * 4 = 12", "  indented\n\n\nthree lines on", "<b>not bold</b>"]
    page = await open_room(
        visitors, [message(time_after, person("Lin"), text, -1) for time_after, text in enumerate(texts)]
    )

    for number, text in enumerate(texts):
        assert await page.locator(f"[data-message=m{number}] .plain").evaluate("one => one.textContent") == text


async def test_emoji_are_loaded_on_demand_and_found_by_words(visitors: Visitors):
    page = await (await visitors.open_window()).new_page()
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    await visitors.go(page, "/", "Ada")
    before = len(loaded)

    await page.locator(".composer").get_by_label("Emoji").click()
    await page.get_by_label("Search emoji").fill("rocket")
    await page.get_by_role("button", name="rocket", exact=True).click()
    await expect(page.locator("#composer")).to_have_value("🚀")
    await page.locator("#composer").press("Enter")
    row = page.locator("[data-mine]")
    await row.hover()
    await row.get_by_label("React", exact=True).click()
    await page.get_by_label("More emoji").click()
    await page.get_by_role("button", name="rocket", exact=True).first.click()

    await expect(row.locator(".reaction")).to_contain_text("🚀")
    assert not any("/en-" in url for url in loaded[:before] if "emoji" in url.lower())
    assert any("EmojiPicker" in url for url in loaded[before:])


async def test_emoji_are_chosen_with_the_keyboard(visitors: Visitors):
    page = await visitors.enter("Ada")
    composer, opener = page.locator("#composer"), page.locator(".composer").get_by_label("Emoji")
    await opener.press("Enter")
    search = page.get_by_label("Search emoji")
    await search.press_sequentially("rocket")
    first = page.locator(".emoji-one").first
    await expect(first).to_have_accessible_name(re.compile("rocket|astronaut"))
    found = await first.inner_text()
    await search.dispatch_event("keydown", {"key": "Enter", "isComposing": True, "bubbles": True})
    await expect(composer).to_have_value("")
    await search.press("Enter")
    await expect(composer).to_have_value(found)
    await expect(composer).to_be_focused()

    await opener.press("Enter")
    await expect(search).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(opener).to_be_focused()
    await opener.press("Enter")
    await expect(first).to_be_visible()
    await expect(search).to_be_focused()  # the picker focuses it again as it opens
    await search.press("ArrowDown")
    await expect(first).to_be_focused()
    await first.press("ArrowUp")
    await expect(search).to_be_focused()
    await search.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowRight")
    emoji = await page.locator(".emoji-one:focus").inner_text()
    await page.keyboard.press("Enter")
    await expect(composer).to_have_value(f"{found}{emoji}")


async def test_command_is_filled_in_as_a_form_with_the_keyboard(visitors: Visitors):
    page = await visitors.enter("Ada")
    await page.locator("#composer").press_sequentially("/reminder_se")
    await expect(page.get_by_role("option", name="reminder_set")).to_be_visible()
    await page.keyboard.press("Enter")
    form = page.locator("[data-command=reminder_set]")
    await expect(form.locator("input:focus, textarea:focus")).to_have_count(1)
    await form.get_by_role("button", name="Run").click()
    await expect(form).to_contain_text("Required")

    await form.get_by_label("type").first.click()
    await page.get_by_role("option", name="once").click()
    await form.get_by_label("time", exact=False).first.fill("in 10 minutes")
    await form.get_by_label("content").first.fill('buy "good" milk')
    await page.keyboard.press("Enter")

    await expect(form).to_have_count(0)
    await expect(page.locator("[data-card=reminder]")).to_contain_text('buy "good" milk')
    await expect(page.locator("[data-mine] .command .chip", has_text="in 10 minutes")).to_be_visible()
    await expect(page.locator("#composer")).to_be_focused()
    await page.locator("#composer").press_sequentially("/reminder_se")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Escape")
    await expect(form).to_have_count(0)


COUNT_IN_VIEW = """log => {
    const {top, bottom} = log.getBoundingClientRect()
    const boxes = [...log.querySelectorAll('[data-message]')].map((row) => row.getBoundingClientRect())
    return boxes.filter((box) => box.top >= top && box.bottom <= bottom).length
}"""


async def test_fourteen_messages_are_in_view_and_twenty_five_with_compact_density(visitors: Visitors):
    people = (person("Lin"), person("Mei"))
    talk = [message(number, people[number // 2 % 2], "a short message", number / 60 - 9) for number in range(40)]
    page = await open_room(visitors, talk)
    log = page.get_by_role("log")
    assert 14 <= await log.evaluate(COUNT_IN_VIEW) < 20

    await page.locator(".own-menu").click()
    await page.get_by_role("menuitemcheckbox", name="Compact messages").click()
    await page.keyboard.press("Escape")
    assert await log.evaluate(COUNT_IN_VIEW) >= 25
    await page.reload()
    await page.locator("[data-message]").first.wait_for()
    assert await log.evaluate(COUNT_IN_VIEW) >= 25
    assert await find_violations_in_both_schemes(page) == []


@pytest.mark.parametrize("density", ["comfortable", "compact"])
async def test_rows_keep_their_height_when_their_actions_are_shown(visitors: Visitors, density: str):
    page = await (await visitors.open_window()).new_page()
    await page.add_init_script(f"localStorage.setItem('bubbles.density', '{density}')")
    lin = person("Lin")
    await open_room(visitors, [message(1, lin, "ok", -9), message(2, lin, "ok", -8), bot_message(3, "ok")], page)

    for row in await page.locator("[data-message]").all():
        before = await row.bounding_box()
        await row.hover()
        await row.locator("[data-react]").wait_for()
        assert await row.bounding_box() == before
