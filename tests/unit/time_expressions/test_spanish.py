"""Times in Spanish: single cases, and a table of expressions with a score."""

import tomllib
from pathlib import Path

import pytest

from services.time_expressions import Reading, parse, parse_all

TABLES = tomllib.loads(Path(__file__).with_name("spanish.toml").read_text(encoding="utf-8"))
MIN_SHARE = 0.98


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("mañana a las 5 de la tarde", "21 17:00"),
        ("el 24 de diciembre a las 10 de la mañana", "24 10:00"),
        ("manana a las 7 am", "21 07:00"),
        ("a las cinco menos cuarto", "20 16:45"),
        ("en hora y media", "20 11:30"),
        ("dentro de un cuarto de hora", "20 10:15"),
        ("pasado mañana por la noche", "22 21:00"),
        ("hoy a la tarde", "20 15:00"),
        ("mañana de tarde", "21 15:00"),
        ("el domingo de noche", "22 21:00"),
        ("a las 17:30 hs", "20 17:30"),
        ("el próximo lunes", "23 09:00"),
        ("después de comer", "20 14:00"),
        ("el primero de enero", "01 09:00"),
        ("el jueves 26 a las 19:30", "26 19:30"),
        ("mañana a las 21.45 h", "21 21:45"),
        ("el último jueves de mes a las 10", "26 10:00"),
        ("el lunes 1015", "23 10:15"),
        ("aquella tarde a las 4", "20 16:00"),
        ("cena para todos jueves 14 ene 20:30", "14 20:30"),
        ("el primer martes después de navidad a las 10", "29 10:00"),
    ],
)
def test_spanish_time_is_read(read, text, moment):
    assert f"{read(text, language='es').start:%d %H:%M}" == moment


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("de lunes a viernes", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("los fines de semana", "FREQ=WEEKLY;BYDAY=SA,SU"),
        ("todas las noches a las 10", "FREQ=DAILY;BYHOUR=22;BYMINUTE=0"),
        ("cada media hora", "FREQ=MINUTELY;INTERVAL=30"),
        ("una vez a la semana", "FREQ=WEEKLY"),
        ("cada hora de acá a las 5", "FREQ=HOURLY;UNTIL=20261120T170000Z"),
        ("los días 15 y 30 a las 10 am", "FREQ=MONTHLY;BYMONTHDAY=15,30;BYHOUR=10;BYMINUTE=0"),
        ("todos los días a las 8 de la mañana y a las 8 de la noche", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"),
    ],
)
def test_spanish_repetition_is_read(read, text, rule):
    assert read(text, language="es").rrule == rule


def format_reading(reading: Reading | None) -> str:
    """Return a reading as the table has it: start, end of an interval, rule."""
    if reading is None:
        return ""
    start = f"{reading.start:%Y-%m-%d %H:%M:%S}".removesuffix(":00")
    if reading.rrule is not None:
        return f"{start} {reading.rrule}"
    return f"{start} to {reading.end:%Y-%m-%d %H:%M}" if reading.end else start


def test_expressions_of_the_table_are_read(now):
    rows = [(text, expected) for table in TABLES.values() for text, expected in table.items()]

    misread = [text for text, expected in rows if format_reading(parse(text, now, language="es").best) != expected]

    assert len(misread) <= (1 - MIN_SHARE) * len(rows), misread


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "los lunes a las 9 y los viernes a las 5 de la tarde",
            ["FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=17;BYMINUTE=0"],
        ),
        ("los lunes a las 9 y los viernes", ["FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9;BYMINUTE=0"]),
    ],
)
def test_clock_time_belongs_to_the_preceding_day(now, text, expected):
    assert [each.best.rrule for each in parse_all(text, now, language="es")] == expected


@pytest.mark.parametrize("text", ["compra 3 mar", "son tres más", "más o menos bien"])
def test_spanish_words_similar_to_times_are_no_time(now, text):
    assert parse(text, now, language="es").best is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("antes del viernes 27", "26 09:00"),
        ("el penúltimo día del mes", "29 09:00"),
        ("más o menos el lunes", "23 09:00"),
        ("ya he pasado a las 5", "20 17:00"),
        ("el 3 de mar", "03 09:00"),
    ],
)
def test_spanish_time_beside_other_words_is_read(read, text, moment):
    assert f"{read(text, language='es').start:%d %H:%M}" == moment
