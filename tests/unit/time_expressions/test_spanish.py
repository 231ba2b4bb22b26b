"""Times in Spanish, which is a lexicon and no code."""

import pytest


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
        ("a las 17:30 hs", "20 17:30"),
        ("el próximo lunes", "23 09:00"),
        ("después de comer", "20 14:00"),
        ("el primero de enero", "01 09:00"),
        ("el jueves 26 a las 19:30", "26 19:30"),
        ("mañana a las 21.45 h", "21 21:45"),
    ],
)
def test_moments(read, text, moment):
    assert f"{read(text, language='es').start:%d %H:%M}" == moment


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("de lunes a viernes", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("los fines de semana", "FREQ=WEEKLY;BYDAY=SA,SU"),
        ("todas las noches a las 10", "FREQ=DAILY;BYHOUR=22;BYMINUTE=0"),
        ("cada media hora", "FREQ=MINUTELY;INTERVAL=30"),
        ("una vez a la semana", "FREQ=WEEKLY"),
        ("los días 15 y 30 a las 10 am", "FREQ=MONTHLY;BYMONTHDAY=15,30;BYHOUR=10;BYMINUTE=0"),
        ("todos los días a las 8 de la mañana y a las 8 de la noche", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"),
    ],
)
def test_repetitions(read, text, rule):
    assert read(text, language="es").rrule == rule
