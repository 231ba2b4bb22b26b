"""The reminders page: list, calendar and undo, compared with the HTTP API."""

import re
from datetime import UTC, datetime

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.test_appearance import PHONE
from tests.browser.visitors import Language, Visitors, say


async def list_reminders(page: Page, visitors: Visitors) -> list[str]:
    answer = await page.request.get(f"{visitors.address}/api/reminders?session_id={visitors.room}")
    return [each["text"] for each in (await answer.json())["reminders"]]


async def test_reminders_are_created_changed_snoozed_deleted_and_restored(visitors: Visitors):
    page = await visitors.enter("Ada", "/reminders")
    await page.get_by_label("New reminder").fill("tomorrow at 9 water the plants")
    await page.get_by_role("button", name="Add").click()
    row = page.locator(".reminder-row", has_text="water the plants")
    await expect(row).to_contain_text("@Ada")

    await row.get_by_role("button", name="Edit: water the plants").click()
    await page.get_by_label("What").fill("water the roses")
    await page.get_by_label("When").fill("in 20 minutes")
    await page.get_by_role("button", name="Save").click()
    row = page.locator(".reminder-row", has_text="water the roses")
    await expect(row.locator(".countdown-text")).to_have_text("20m")
    await row.get_by_role("button", name="Snooze").click()
    await page.get_by_role("menuitem", name="+60 min").click()
    await expect(row.locator(".countdown-text")).to_have_text("1h")
    assert await list_reminders(page, visitors) == ["water the roses"]

    await page.get_by_text("Agenda", exact=True).click()
    await expect(page.locator("[data-view=agenda]")).to_contain_text("water the roses")
    await page.get_by_text("List", exact=True).click()
    await row.get_by_role("button", name="Delete: water the roses").click()
    await expect(row).to_have_count(0)
    assert await list_reminders(page, visitors) == []
    await page.get_by_role("button", name="Undo").click()

    await expect(row).to_have_count(1)
    assert await list_reminders(page, visitors) == ["water the roses"]


async def test_edit_form_has_the_present_text_and_time(visitors: Visitors):
    page = await visitors.enter("Ada", "/reminders")
    await page.get_by_label("New reminder").fill("every Monday at 09:00 stand-up")
    await page.get_by_role("button", name="Add").click()
    row = page.locator(".reminder-row", has_text="stand-up")

    await row.get_by_role("button", name="Edit: stand-up").click()
    await expect(page.get_by_label("What")).to_have_value("stand-up")
    await expect(page.get_by_label("When")).to_have_value("every Monday at 09:00")
    await page.get_by_role("button", name="Save").click()
    await expect(row).to_contain_text("every Monday at 09:00")
    await row.get_by_role("button", name="Edit: stand-up").click()
    await page.get_by_label("When").fill("every Tuesday at 10:00")
    await page.get_by_role("button", name="Save").click()

    await expect(row).to_contain_text("every Tuesday at 10:00")
    await expect(page.locator(".mantine-Notification-root").last).to_contain_text("stand-up: every Tuesday at 10:00")


@pytest.mark.parametrize(
    ("language", "text", "meaning"),
    [
        ("en", "every Monday at 08:00 stand-up", "every Monday at 08:00"),
        ("zh", "每周一早上8点开站会", "每周一 08:00"),
        ("es", "cada lunes a las 08:00 la reunión", "cada lunes a las 08:00"),
    ],
)
async def test_typed_reminder_has_a_preview(visitors: Visitors, language: Language, text: str, meaning: str):
    page = await visitors.enter("Ada", "/reminders", window=await visitors.open_window(language))
    await page.locator(".new-reminder input").press_sequentially(text, delay=5)

    await expect(page.locator("[data-preview]")).to_contain_text(meaning)
    await expect(page.locator("[data-preview]")).to_contain_text("08:00")
    assert await list_reminders(page, visitors) == []


async def test_reminder_fired_without_readers_is_unread_and_shows_its_lateness(visitors: Visitors):
    window = await visitors.open_window()
    page = await visitors.enter("Ada", window=window)
    await say(page, "remind me in 2 seconds to look up")
    await expect(page.locator("[data-card=reminder][data-status=active]")).to_be_visible()
    await page.close()
    await (await window.new_page()).wait_for_timeout(3000)

    page = await visitors.enter("Ada", window=window)

    await expect(page.locator("[data-fired]")).to_contain_text("look up")
    await expect(page.locator("[data-fired] .late")).to_contain_text("+")
    await expect(page.locator("[data-unread-line]")).to_be_visible()


async def test_ambiguous_hour_of_a_new_reminder_needs_a_choice(visitors: Visitors):
    page = await visitors.enter("Ada", "/reminders")
    await page.get_by_label("New reminder").fill("tomorrow at 6 call mum")
    question = page.get_by_role("group", name="Which time do you mean for “call mum”?")
    assert await list_reminders(page, visitors) == []

    await question.get_by_role("button", name="tomorrow at 18:00").click()

    await expect(page.locator(".reminder-row", has_text="call mum")).to_contain_text("18:00")
    await expect(question).to_have_count(0)
    await expect(page.get_by_label("New reminder")).to_have_value("")


async def test_missing_time_is_asked_for_at_the_field(visitors: Visitors):
    page = await visitors.enter("Ada", "/reminders")
    await page.get_by_label("New reminder").fill("call mum")
    await page.get_by_role("button", name="Add").click()

    await expect(page.locator(".new-reminder")).to_contain_text("When should I remind you of “call mum”?")
    visitors.errors[:] = [each for each in visitors.errors if "status of 422" not in each]


CONTRASTS = """(events) => {
    const canvas = document.createElement('canvas').getContext('2d')
    const light = (colour) => {
        canvas.fillStyle = colour
        canvas.fillRect(0, 0, 1, 1)
        const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255)
        const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    return events.map((event) => {
        const inner = event.querySelector('.event-body')
        const [back, ink] = [getComputedStyle(event).backgroundColor, getComputedStyle(inner).color].map(light)
        return (Math.max(back, ink) + 0.05) / (Math.min(back, ink) + 0.05)
    })
}"""


async def test_calendar_shows_every_occurrence_of_its_range_with_contrast(visitors: Visitors):
    page = await (await visitors.open_window(is_single_use=True)).new_page()
    await visitors.go(page, "/reminders", "Ada")
    await page.get_by_label("New reminder").fill("every day at 9 water the ficus")
    await page.get_by_role("button", name="Add").click()
    await expect(page.locator(".reminder-row")).to_have_count(1)

    await page.get_by_text("Month", exact=True).click()
    events = page.locator(".calendar [data-event-id]")
    # The next month may begin with today, where nine o'clock is past.
    for _ in range(2):
        await page.locator(".calendar button:has(svg)").nth(1).click()
    await expect(events).to_have_count(await page.locator(".calendar .mantine-MonthView-monthViewDay").count())
    await page.get_by_role("radiogroup", name="View").get_by_text("Week").click()
    await expect(events).to_have_count(7)
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme)
        await expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", scheme)
        assert min(await events.evaluate_all(CONTRASTS)) >= 4.5, scheme
    await page.get_by_role("radiogroup", name="View").get_by_text("Agenda").click()
    lines = page.locator(".agenda-line")
    await expect(lines.nth(28)).to_be_visible()
    assert set(await lines.all_inner_texts()) == {"09:00\nwater the ficus"}


async def open_next_week(page: Page) -> Locator:
    """Show the week after this one; return its labels."""
    await page.get_by_role("radiogroup", name="View").get_by_text("Week").click()
    await page.get_by_role("button", name="Next").first.click()
    return page.locator(".calendar [data-event-id]")


@pytest.mark.parametrize(
    ("language", "week"),
    [("en", r"23\s?–\s?29 Nov 2026"), ("zh", r"2026/11/23\s?–\s?2026/11/29"), ("es", r"23\s?–\s?29 nov 2026")],
)
async def test_week_has_its_dates_in_the_format_of_the_language(visitors: Visitors, language: Language, week: str):
    page = await (await visitors.open_window(language, is_single_use=True)).new_page()
    await page.clock.set_fixed_time(datetime(2026, 11, 25, 12, tzinfo=UTC))
    await visitors.go(page, "/reminders", "Ada")
    await page.locator("main .mantine-SegmentedControl-label").nth(2).click()
    await expect(page.locator(".calendar")).to_contain_text(re.compile(week))
    await page.set_viewport_size(PHONE)
    await expect(page.locator(".week-name")).to_have_text(re.compile(week))


async def test_week_on_a_phone_is_a_list_of_its_days(visitors: Visitors):
    page = await visitors.enter("Ada", "/reminders")
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.get_by_label("New reminder").fill("every day at 09:00 water the ficus")
    await page.get_by_role("button", name="Add").click()
    await expect(page.locator(".reminder-row")).to_have_count(1)
    await page.get_by_role("radiogroup", name="View").get_by_text("Week").click()
    this_week = await page.locator(".week-name").inner_text()
    await page.get_by_role("button", name="Next").click()
    lines = page.locator(".agenda-line")

    await expect(lines).to_have_count(7)
    await expect(page.locator(".agenda-day").first).to_contain_text("Monday")
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    await lines.first.click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Today").click()
    await expect(page.locator(".week-name")).to_have_text(this_week)


async def test_month_on_a_phone_shows_its_last_week_with_whole_times(visitors: Visitors):
    page = await (await visitors.open_window(is_single_use=True)).new_page()
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.clock.set_fixed_time(datetime(2026, 11, 30, 12, tzinfo=UTC))  # in the last of six weeks
    await visitors.go(page, "/reminders", "Ada")
    await page.get_by_label("New reminder").fill("every day at 09:00 water the ficus")
    await page.get_by_role("button", name="Add").click()
    await expect(page.locator(".reminder-row")).to_have_count(1)

    await page.get_by_role("radiogroup", name="View").get_by_text("Month").click()

    bar = await page.locator(".rail").bounding_box()
    today = await page.locator(".mantine-MonthView-monthViewDay", has=page.locator("[data-today]")).bounding_box()
    assert bar is not None
    assert today is not None
    assert today["y"] + today["height"] <= bar["y"]
    await expect(page.get_by_role("combobox", name="For")).to_be_visible()
    await expect(page.get_by_role("button", name="Subscribe in a calendar")).to_be_visible()
    await page.get_by_role("button", name="Next").first.click()
    times = page.locator(".calendar .event-time")
    await expect(times.nth(10)).to_be_visible()
    boxes = page.locator(".calendar [data-event-id]")
    assert await boxes.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length") == 0


async def test_month_fits_a_laptop_window(visitors: Visitors):
    page = await (await visitors.open_window(is_single_use=True)).new_page()
    await page.clock.set_fixed_time(datetime(2026, 11, 30, 12, tzinfo=UTC))  # in the last of six weeks
    await visitors.go(page, "/reminders", "Ada")
    await page.get_by_role("radiogroup", name="View").get_by_text("Month").click()

    await expect(page.locator(".mantine-MonthView-monthViewDay").last).to_be_in_viewport(ratio=0.95)


async def test_occurrence_is_dragged_to_another_hour_and_moved_back_by_undo(visitors: Visitors):
    page = await visitors.enter("Ada", "/reminders")
    await page.get_by_label("New reminder").fill("every day at 09:00 water the ficus")
    await page.get_by_role("button", name="Add").click()
    await expect(page.locator(".reminder-row")).to_have_count(1)
    events = await open_next_week(page)
    await expect(events).to_have_count(7)

    slots = page.locator(".mantine-WeekView-weekViewDaySlot")
    # The calendar begins at the present hour; if that is eleven, the heading would cover nine.
    await slots.nth(2 * 24 + 10).evaluate("slot => slot.scrollIntoView({block: 'center'})")
    await events.nth(2).drag_to(slots.nth(2 * 24 + 11))

    moved = page.locator(".mantine-Notification-root", has_text="Moved to")
    await expect(moved).to_contain_text("11:00: water the ficus")
    await expect(events.filter(has_text="11:00")).to_have_count(1)
    await expect(events.filter(has_text="09:00")).to_have_count(6)
    await moved.get_by_role("button", name="Undo").click()
    await expect(events.filter(has_text="09:00")).to_have_count(7)
    await expect(events.filter(has_text="11:00")).to_have_count(0)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
async def test_click_into_the_calendar_adds_a_reminder_at_that_time(visitors: Visitors, zone: str):
    window = await visitors.open_window(is_single_use=True, zone=zone)
    page = await visitors.enter("Ada", "/reminders", window=window)
    await page.get_by_text("List", exact=True).wait_for()
    events = await open_next_week(page)

    await page.locator(".mantine-WeekView-weekViewDaySlot").nth(3 * 24 + 9).click()
    await page.get_by_label("What").fill("call the bank")
    await page.get_by_role("button", name="Add").last.click()

    await expect(events).to_have_count(1)
    await expect(events).to_contain_text("09:00 call the bank")
    assert await events.evaluate("event => event.querySelector('.event-body').getClientRects().length") == 1


async def test_calendar_is_used_with_the_keyboard_alone(visitors: Visitors):
    page = await visitors.enter("Ada", "/reminders")
    await page.get_by_label("New reminder").fill("every day at 09:00 water the ficus")
    await page.keyboard.press("Enter")
    await expect(page.locator(".reminder-row")).to_have_count(1)
    events = await open_next_week(page)
    await expect(events).to_have_count(7)

    await events.first.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("When")).to_have_value("every day at 09:00")
    await expect(page.locator("[data-autofocus]")).to_be_focused()
    await page.keyboard.press("Tab")
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type("every day at 10:00")
    await page.keyboard.press("Enter")

    await expect(events.filter(has_text="10:00")).to_have_count(7)


async def test_calendar_keeps_delivered_reminders(visitors: Visitors):
    page = await visitors.enter("Ada")
    await say(page, "remind me in 1 second to look up")
    await expect(page.locator("[data-fired]")).to_be_visible(timeout=10_000)
    await page.get_by_role("link", name="Reminders").click()

    await page.get_by_text("Agenda", exact=True).click()

    await expect(page.locator(".agenda-line[data-sent]")).to_contain_text("look up")
