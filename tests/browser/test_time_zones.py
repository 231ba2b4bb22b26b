"""Times in the zone of the person: that of the browser until another is set."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from playwright.async_api import Locator, Page, expect

from tests.browser.test_appearance import message, person
from tests.browser.test_messages import open_room
from tests.browser.visitors import Visitors, say

OFFER = "[data-zone-offer]"


async def enter_from(visitors: Visitors, name: str, zone: str, path: str = "/") -> Page:
    """Open a page as `name` in a browser with the time zone `zone`."""
    window = await visitors.open_window(is_single_use=True, zone=zone)
    return await visitors.enter(name, path, window=window)


def card_of(page: Page) -> Locator:
    """Return the last card of a reminder in the log."""
    return page.locator("[data-card=reminder]").last


async def test_times_are_in_the_zone_of_the_browser_in_card_panel_list_and_calendar(visitors: Visitors):
    page = await enter_from(visitors, "Marta", "Europe/Madrid")

    await say(page, "remind me tomorrow at 09:00 to water the ficus")

    await expect(card_of(page).locator("time")).to_have_text(re.compile(r" 09:00$"))
    await expect(page.locator("[data-message]", has_text="Set")).to_contain_text("09:00")
    await expect(page.locator(".waiting")).to_contain_text("09:00")
    await page.get_by_role("link", name="Reminders").click()
    await expect(page.locator(".reminder-row time")).to_have_text(re.compile(r" 09:00$"))
    await page.get_by_text("Agenda", exact=True).click()
    await expect(page.locator(".agenda-line time")).to_have_text("09:00")
    await expect(page.locator(OFFER)).to_have_count(0)


async def test_other_zone_of_a_browser_is_offered_and_changes_times_when_chosen(visitors: Visitors):
    home = await enter_from(visitors, "Nuria", "Europe/Madrid")
    await say(home, "remind me on 2031-03-03 at 09:00 to water the ficus")
    await expect(card_of(home).locator("time")).to_have_text(re.compile(r" 09:00$"))

    away = await enter_from(visitors, "Nuria", "America/New_York")

    await expect(away.locator(OFFER)).to_contain_text("Your times are in Europe/Madrid.")
    await expect(card_of(away).locator("time")).to_have_text(re.compile(r" 09:00$"))
    await away.get_by_role("button", name="Use America/New York").click()
    await expect(away.locator(OFFER)).to_have_count(0)
    await expect(card_of(away).locator("time")).to_have_text(re.compile(r" 03:00$"))
    await expect(card_of(away).locator("[data-elsewhere]")).to_have_text("09:00 (Europe/Madrid)")


async def test_declined_zone_is_not_offered_again(visitors: Visitors):
    page = await enter_from(visitors, "Pilar", "Asia/Tokyo")
    await say(page, "my timezone is Madrid")
    await expect(page.locator(OFFER)).to_be_visible()

    await page.get_by_role("button", name="Keep Europe/Madrid").click()

    await expect(page.locator(OFFER)).to_have_count(0)
    await page.reload()
    await page.locator("[data-link=live]").wait_for()
    await expect(page.locator("[data-message]", has_text="Your time zone is now")).to_be_visible()
    await expect(page.locator(OFFER)).to_have_count(0)


async def test_reminder_of_another_zone_is_shown_in_both_zones(visitors: Visitors):
    wei = await enter_from(visitors, "Wei", "Asia/Shanghai")
    rosa = await enter_from(visitors, "Rosa", "Europe/Madrid")

    await say(rosa, "remind @Wei on 2031-03-03 at 09:00 to call me")

    await expect(card_of(rosa).locator("time")).to_have_text(re.compile(r" 09:00$"))
    await expect(rosa.locator("[data-message]").last).to_contain_text("In the time zone of Wei")
    await expect(card_of(wei).locator("time")).to_have_text(re.compile(r" 16:00$"))
    await expect(card_of(wei)).to_contain_text("09:00 (Europe/Madrid)")


async def test_calendar_marks_today_in_the_zone_of_the_person(visitors: Visitors):
    west, east = "Pacific/Pago_Pago", "Pacific/Kiritimati"  # 25 hours apart: never the same date
    home = await enter_from(visitors, "Sina", west)
    await say(home, "remind me on 2031-03-03 at 09:00 to water the ficus")
    await expect(card_of(home)).to_be_visible()
    page = await enter_from(visitors, "Sina", east)
    await expect(page.locator(OFFER)).to_be_visible()
    await page.get_by_role("link", name="Reminders").click()
    today = datetime.now(ZoneInfo(west)).date()
    views = page.get_by_role("radiogroup", name="View")

    await views.get_by_text("Month", exact=True).click()
    marked = page.locator(".mantine-MonthView-monthViewDay[data-today]")
    await expect(marked).to_have_count(1)
    await expect(marked).to_have_text(re.compile(rf"^{today.day}\b"))
    await page.locator(".calendar button:has(svg)").nth(1).click()
    await page.get_by_role("button", name="Today").click()
    await expect(marked).to_have_count(1)

    await views.get_by_text("Week", exact=True).click()
    columns = page.locator(".mantine-WeekView-weekViewDay")
    await expect(columns.nth(today.weekday())).to_have_attribute("data-today", "true")


async def test_reminder_in_a_skipped_hour_is_moved_forward(visitors: Visitors):
    home = await enter_from(visitors, "Leila", "America/New_York")
    await say(home, "remind me on 2031-03-03 at 09:00 to water the ficus")
    await expect(card_of(home)).to_be_visible()
    page = await (await visitors.open_window(is_single_use=True)).new_page()
    await page.clock.set_fixed_time(datetime(2031, 3, 5, 17, tzinfo=UTC))
    await visitors.go(page, "/reminders", "Leila")
    await page.get_by_role("radiogroup", name="View").get_by_text("Week", exact=True).click()
    await page.locator(".mantine-WeekView-weekViewDaySlot").nth(6 * 24 + 2).click()
    await page.get_by_label("What").fill("call the bank")
    await page.get_by_role("button", name="Add").last.click()

    await expect(page.locator(".calendar [data-event-id]", has_text="call the bank")).to_contain_text("03:00")


async def test_yesterday_after_a_night_in_which_clocks_change_is_the_day_before(visitors: Visitors):
    page = await (await visitors.open_window(is_single_use=True, zone="Europe/Madrid")).new_page()
    await page.clock.set_fixed_time(datetime(2031, 3, 30, 22, 30, tzinfo=UTC))  # 00:30 of the day after a short one
    days = [message(day, person("Lin"), "hello", 0) | {"ts": f"2031-03-{day}T11:00:00Z"} for day in (29, 30)]

    await open_room(visitors, days, page)

    await expect(page.locator(".day-line")).to_have_text([re.compile("Saturday"), "Yesterday"])
