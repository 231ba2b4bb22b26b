"""Clock times and parts of the day. It is Friday 20 November 2026, 10:00."""

from datetime import datetime, time
from zoneinfo import ZoneInfo

import pytest

from services.time_expressions import DateOrder, DayParts, TimeReader, parse, parse_all


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("at 5pm", "20 17:00"),
        ("at 5", "20 17:00"),
        ("at 11", "20 11:00"),
        ("at 9", "21 09:00"),
        ("at 8", "20 20:00"),
        ("5 o'clock", "20 17:00"),
        ("15:30", "20 15:30"),
        ("3.30 pm", "20 15:30"),
        ("15h05", "20 15:05"),
        ("at 1530", "20 15:30"),
        ("at 7p", "20 19:00"),
        ("noon", "20 12:00"),
        ("midnight", "21 00:00"),
        ("saturday around tea time", "21 17:00"),
        ("teatime-ish", "20 17:00"),
        ("ten minutes before tea", "20 16:50"),
        ("that afternoon at 2.45", "20 14:45"),
        ("at 8.15 that same morning", "21 08:15"),
        ("later that night", "20 21:00"),
        ("right before 7.30", "20 19:30"),
        ("shortly after noon", "20 12:00"),
        ("将近五点半", "20 17:30"),
        ("差半个钟头五点", "20 16:30"),
        ("三点四个字", "20 15:20"),
        ("以后晚上十点", "20 22:00"),
        ("half past six", "20 18:30"),
        ("a quarter to noon", "20 11:45"),
        ("ten to five in the evening", "20 16:50"),
        ("quarter to five tonight", "20 16:45"),
        ("by 4 in the evening", "20 16:00"),
        ("no later than half past three in the evening", "20 15:30"),
        ("tomorrow around 4:30 in the evening", "21 16:30"),
        ("at 4 at night", "21 04:00"),
        ("明天傍晚四点", "21 16:00"),
        ("明天半夜四点", "22 04:00"),
        ("20 past 3pm", "20 15:20"),
        ("ten thirty am", "20 10:30"),
        ("today at eleven-fifteen", "20 11:15"),
        ("tomorrow at 8:30", "21 08:30"),
        ("tomorrow at 4", "21 16:00"),
        ("9 tomorrow evening", "21 21:00"),
        ("water plant 1 tomorrow at 9:00", "21 09:00"),
        ("feed cat two tonight at 9:30", "20 21:30"),
        ("tomorrow morning at 5:30", "21 05:30"),
        ("tonight at 11", "20 23:00"),
        ("tonight at 2", "21 02:00"),
        ("this afternoon at 3:20", "20 15:20"),
        ("tuesday in the morning", "24 09:00"),
        ("tonight", "20 21:00"),
        ("tomorrow evening", "21 19:00"),
        ("monday at half nine", "23 09:30"),
        ("到下午六点叫我", "20 18:00"),
        ("下午五点", "20 17:00"),
        ("午饭后给妈妈打电话", "20 14:00"),
        ("明儿个早上九点", "21 09:00"),
        ("三点", "20 15:00"),
        ("十二点半", "20 12:30"),
        ("下午三点一刻", "20 15:15"),
        ("下午三点搭九", "20 15:45"),
        ("晏昼两点踏半", "20 14:30"),
        ("晚上九点三刻", "20 21:45"),
        ("下午三点零五分", "20 15:05"),
        ("差五分六点", "20 17:55"),
        ("明晚9点", "21 21:00"),
        ("明天早上八点半", "21 08:30"),
        ("今晚12点", "21 00:00"),
        ("凌晨两点", "21 02:00"),
        ("16时40分", "20 16:40"),
        ("下午6:42", "20 18:42"),
        ("明早", "21 09:00"),
        ("傍晚", "20 18:00"),
        ("12 noon", "20 12:00"),
        ("monday 11 at night", "23 23:00"),
        ("six-thirty pm", "20 18:30"),
        ("at nineteen hundred", "20 19:00"),
        ("at 7 on the dot", "20 19:00"),
        ("no later than 6pm", "20 18:00"),
        ("early tomorrow morning", "21 07:00"),
        ("sun pm", "22 15:00"),
        ("tomorrow morning 8", "21 08:00"),
        ("after dinner", "20 19:00"),
        ("tomorrow before bed", "21 22:00"),
        ("by lunch", "20 12:00"),
        ("2026-11-23T09:00:00Z", "23 09:00"),
        ("明天睡前", "21 22:00"),
        ("晚饭前给外婆打电话", "20 18:00"),
        ("今晚半夜12点", "21 00:00"),
        ("在十一点半", "20 11:30"),
        ("午夜12点", "21 00:00"),
        ("下个工作日上午9点", "23 09:00"),
        ("next business day at 9", "23 09:00"),
        ("next friday, november 27, at 4pm", "27 16:00"),
        ("11月27日（下周五）下午四点", "27 16:00"),
    ],
)
def test_clock_time_is_the_next_such_time(read, text, clock):
    assert f"{read(text).start:%d %H:%M}" == clock


def test_midnight_of_a_day_is_its_beginning(read):
    assert f"{read('midnight on 24 november').start:%m-%d %H:%M}" == "11-24 00:00"


def test_clock_time_of_a_past_date_is_not_moved(read):
    assert f"{read('2027-01-05 at 9:00').start:%Y-%m-%d %H:%M}" == "2027-01-05 09:00"


def test_settings_change_the_hour_of_a_part_of_the_day(read):
    reading = read("tomorrow evening", day_parts=DayParts(evening=time(20, 30)))

    assert f"{reading.start:%H:%M}" == "20:30"
    assert not reading.has_clock


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("from 3 to 4pm", "15:00", "16:00"),
        ("3-5pm", "15:00", "17:00"),
        ("11am to 1pm tomorrow", "11:00", "13:00"),
        ("between 2 and 4 pm on tuesday", "14:00", "16:00"),
        ("tomorrow between 3-4", "15:00", "16:00"),
        ("下午2-4点", "14:00", "16:00"),
        ("from 10 till 12 tomorrow", "10:00", "12:00"),
        ("下午3点到5点", "15:00", "17:00"),
        ("明天上午9点到11点", "09:00", "11:00"),
        ("between 11pm and 7", "23:00", "07:00"),
        ("from 2pm to 5", "14:00", "17:00"),
        ("from 9am to 12", "09:00", "12:00"),
    ],
)
def test_an_interval_has_an_end(read, text, start, end):
    reading = read(text)

    assert (f"{reading.start:%H:%M}", f"{reading.end:%H:%M}") == (start, end)


def test_duration_after_a_time_gives_its_end(read):
    reading = read("a meeting for 30 minutes on tuesday at 9am")

    assert f"{reading.start:%a %H:%M}-{reading.end:%H:%M}" == "Tue 09:00-09:30"


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("on 2020-01-05 at 9:00", "2020-01-05 09:00"),
        ("yesterday at 9", "2026-11-19 09:00"),
        ("昨天9点", "2026-11-19 09:00"),
        ("yesterday at 5", "2026-11-19 17:00"),
        ("last night at 9", "2026-11-19 21:00"),
        ("尋日九點", "2026-11-19 09:00"),
    ],
)
def test_past_day_keeps_the_usual_half_of_the_day(now, text: str, clock: str) -> None:
    (past,) = parse(text, now).past

    assert f"{past.start:%Y-%m-%d %H:%M}" == clock


@pytest.mark.parametrize(
    ("text", "has_day", "part"),
    [
        ("at 5pm", False, ""),
        ("tomorrow at 5pm", True, ""),
        ("in the morning", False, "morning"),
        ("明天早上", True, "morning"),
        ("in 10 minutes", True, ""),
        ("from 3pm to 5pm", False, ""),
        ("from friday 3pm to 5pm", True, ""),
    ],
)
def test_reading_tells_if_a_day_and_a_part_were_named(read, text: str, has_day: bool, part: str) -> None:
    reading = read(text)

    assert (reading.has_day, reading.part) == (has_day, part)


def test_a_reader_keeps_its_conventions(now) -> None:
    reader = TimeReader(order=DateOrder.DMY, day_parts=DayParts(morning=time(7, 30)))

    assert f"{reader.parse('tomorrow morning', now).best.start:%H:%M}" == "07:30"
    assert [f"{each.start:%m-%d}" for each in reader.parse("on 5/6", now).readings] == ["06-05"]


def test_offset_is_rounded_up():
    now = datetime(2026, 11, 20, 10, 0, 0, 600_000, tzinfo=ZoneInfo("Europe/Berlin"))

    assert parse("in 2 seconds", now).best.start == datetime(2026, 11, 20, 10, 0, 3, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize("text", ["every day at 1930", "daily 1930", "at 1930 every day", "every day at 2130"])
def test_four_figures_beside_a_repetition_are_a_clock_time(read, text):
    clock = text.rpartition(" ")[2] if text[-1].isdecimal() else "1930"

    found = read(text)

    assert f"{found.start:%H%M}" == clock
    assert found.rrule.startswith("FREQ=DAILY;BYHOUR=")


def test_list_of_chinese_hours_and_clock_times_is_read(now):
    """ "一点十、五点十" compared an hour with a clock, and nothing was read."""
    found = [each.best.start.strftime("%H:%M") for each in parse_all("A一点十、五点十", now, language="zh")]

    assert found == ["13:10", "17:10"]


@pytest.mark.parametrize(
    "text", ["remind me 0630 to go", "bubbles 0630 meds round", "0630提醒我出门", "recuérdame 0630 salir"]
)
def test_four_figures_with_a_leading_zero_are_a_clock(read, text):
    assert f"{read(text).start:%d %H:%M}" == "21 06:30"


@pytest.mark.parametrize(
    "text",
    [
        "my pin is 0420",
        "ring 0207 946 09587",
        "密码是0420",
        "ab0420",
        "it was 0000",
        "my number +44 0720",
    ],
)
def test_codes_and_telephone_numbers_are_no_clock(now, text):
    assert parse_all(text, now) == ()


def test_spanish_code_is_no_clock(now):
    assert parse_all("mi clave es 0420", now, language="es") == ()


@pytest.mark.parametrize(
    ("sent", "text", "due"),
    [
        ("20:40", "at 9", "21:00"),
        ("20:40", "九点提醒我", "21:00"),
        ("20:40", "a las 9", "21:00"),
        ("21:10", "at half past ten", "22:30"),
        ("18:05", "a las 9", "21:00"),
        ("05:10", "at 6", "06:00"),
        ("05:30", "六点提醒我", "06:00"),
        ("23:20", "at 12:15", "00:15"),
        ("02:00", "at 5", "05:00"),
        ("16:00", "at 9", "09:00"),
        ("22:00", "at 1", "13:00"),
        ("20:10", "10:30", "10:30"),
    ],
)
def test_a_bare_hour_shortly_ahead_is_the_next_one(now, sent, text, due):
    hour, minute = map(int, sent.split(":"))
    found = parse(text, now.replace(hour=hour, minute=minute), language="es" if text.startswith("a ") else None)

    assert f"{found.best.start:%H:%M}" == due
    assert not found.ambiguous


@pytest.mark.parametrize(
    ("sent", "text", "hour"),
    [
        (5, "every weekday 5:45", 5),
        (5, "每个工作日六点", 6),
        (5, "todos los días a las 6", 6),
        (10, "every weekday 5:45", 17),
        (1, "every day at 4", 16),
        (20, "every day at 9", 9),
    ],
)
def test_recurring_hour_shortly_ahead_in_the_morning_is_in_the_morning(now, sent, text, hour):
    found = parse(text, now.replace(hour=sent, minute=30), language="es" if text.startswith("todos") else None)

    assert found.best.wall.hour == hour
    assert not found.ambiguous


@pytest.mark.parametrize(
    ("text", "language", "due"),
    [
        ("in an hr and 20", "en", "20 11:20"),
        ("in 2 hours and 15", "en", "20 12:15"),
        ("quarter tae nine on Saturday mornin", "en", "21 08:45"),
        ("the morra at 9 in the mornin", "en", "21 09:00"),
        ("en 1h 20", "es", "20 11:20"),
        ("en una hora y 20", "es", "20 11:20"),
        ("a cuarto pa las 6 de la tarde", "es", "20 17:45"),
        ("cuando sean las 12", "es", "20 12:00"),
        ("拜六晚上八点", "zh", "21 20:00"),
        ("半个点后", "zh", "20 10:30"),
    ],
)
def test_regional_and_short_words_are_read(now, text, language, due):
    (found,) = parse_all(text, now, language=language)

    assert f"{found.best.start:%d %H:%M}" == due


@pytest.mark.parametrize(
    ("text", "language", "due"),
    [
        ("says HR - quarter past 3", "en", "20 15:15"),
        ("on Saturday at 11am each time", "en", "21 11:00"),
        ("明天放学早，三点半", "zh", "21 15:30"),
    ],
)
def test_word_beside_a_clock_does_not_change_it(now, text, language, due):
    (found,) = parse_all(text, now, language=language)

    assert f"{found.best.start:%d %H:%M}" == due
