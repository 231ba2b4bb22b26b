"""Calls made from tagged requests for reminders."""

import pytest

from function_calls.understanding.open_questions import OpenQuestion
from function_calls.understanding.reading.lexicon import load_lexicon
from function_calls.understanding.reading.repair.tag_repair import cut_names
from services.time_expressions import parse_all
from tests.unit.understanding.tagged_sentences import NOW, arguments_of, interpret_tagged, make_message, read_tagged

EVERY_DAY = {"type": "daily", "time": "09:00", "content": "stretch"}
TOMORROW = {"type": "once", "time": "2026-11-25 15:00", "content": "water the ferns"}


def times_and_contents(sentence, language="en", **before):
    """Return time and content of each reminder that is set."""
    return [(each["time"], each["content"]) for each in arguments_of(sentence, "set", language, **before)]


@pytest.mark.parametrize(
    ("sentence", "language", "expected"),
    [
        (
            "remind {PERSON:me} {WHEN:at 5} to {CONTENT:call mum} || and {WHEN:at 6} to {CONTENT:feed the cat}",
            "en",
            [("2026-11-24 17:00", "call mum"), ("2026-11-24 18:00", "feed the cat")],
        ),
        (
            "remind {PERSON:me} to {CONTENT:call Ada} {WHEN:tomorrow at 5pm} || and {CONTENT:pack} {WHEN:at 6pm}",
            "en",
            [("2026-11-25 17:00", "call Ada"), ("2026-11-25 18:00", "pack")],
        ),
        (
            "remind {PERSON:Ruby} to {CONTENT:walk Rex} {WHEN:at 5} || and {PERSON:Jo} to {CONTENT:feed the cats at 6}",
            "en",
            [("2026-11-24 17:00", "walk Rex"), ("2026-11-24 18:00", "feed the cats")],
        ),
        (
            "{WHEN:三点}提醒{PERSON:我}{CONTENT:开会}，|| {WHEN:五点}{CONTENT:交表}",
            "zh",
            [("2026-11-24 15:00", "开会"), ("2026-11-24 17:00", "交表")],
        ),
    ],
)
def test_alternating_times_and_contents_are_several_reminders(sentence, language, expected):
    assert times_and_contents(sentence, language) == expected


@pytest.mark.parametrize(
    ("sentence", "times"),
    [
        ("remind {PERSON:me} {WHEN:at 5pm, 6pm and 7pm} to {CONTENT:drink}", ["17:00", "18:00", "19:00"]),
        ("remind {PERSON:me} {WHEN:in 5, 10 and 15 minutes} to {CONTENT:look}", ["10:05", "10:10", "10:15"]),
        ("remind {PERSON:me} {WHEN:at 5pm} and again {LEAD:10 minutes} before to {CONTENT:leave}", ["17:00", "16:50"]),
    ],
)
def test_several_times_of_one_content_are_several_reminders(sentence, times):
    assert [time[-5:] for time, _ in times_and_contents(sentence)] == times


def test_second_name_has_the_verb_of_the_first():
    sentence = "remind {PERSON:me} to {CONTENT:call Ann} {WHEN:at 5pm} || and {CONTENT:Bob} {WHEN:at 6pm}"

    assert [content for _, content in times_and_contents(sentence)] == ["call Ann", "call Bob"]


@pytest.mark.parametrize(
    ("sentence", "language", "time"),
    [
        ("remind {PERSON:me} {WHEN:at 5pm}, sorry, {WHEN:at 6pm} to {CONTENT:pack}", "en", "2026-11-24 18:00"),
        ("remind {PERSON:me} {WHEN:tomorrow at 5pm} to {CONTENT:pack}, no, {WHEN:at 4pm}", "en", "2026-11-25 16:00"),
        ("remind {PERSON:me} {WHEN:tomorrow at 5pm} to {CONTENT:pack, make it 4}", "en", "2026-11-25 16:00"),
        (
            "remind {PERSON:me} {OLD:tomorrow at six}, I mean {WHEN:seven pm} to {CONTENT:pack}",
            "en",
            "2026-11-25 19:00",
        ),
        ("{WHEN:五分钟后}提醒{PERSON:我}{CONTENT:关火}，不对，{WHEN:十分钟后}", "zh", "2026-11-24 10:10"),
        ("{OLD:今晚十点}，哦不，{WHEN:十点半}提醒{PERSON:我}{CONTENT:锁门}", "zh", "2026-11-24 22:30"),
    ],
)
def test_corrected_time_replaces_the_earlier_one(sentence, language, time):
    assert [each for each, _ in times_and_contents(sentence, language)] == [time]


@pytest.mark.parametrize(
    ("sentence", "language", "time"),
    [
        ("remind {PERSON:me} {LEAD:20 minutes} before my {CONTENT:exam} {EVENT:at 2pm}", "en", "2026-11-24 13:40"),
        ("remind {PERSON:me} {LEAD:the night} before my {CONTENT:exam} {EVENT:on Friday}", "en", "2026-11-26 21:00"),
        ("{EVENT:12月3号}{CONTENT:我生日}，提前{WHEN:一天晚上八点}提醒{PERSON:我}", "zh", "2026-12-02 20:00"),
        ("{EVENT:明天下午两点}{CONTENT:开会}，提前{LEAD:10分钟}提醒{PERSON:我}", "zh", "2026-11-25 13:50"),
        ("remind {PERSON:me} {LEAD:half an hour} to {CONTENT:check the oven}", "en", "2026-11-24 10:30"),
        (
            "{WHEN:next tuesday 2pm} {CONTENT:dentist}, remind {PERSON:me} {WHEN:the day before at 6pm}",
            "en",
            "2026-11-30 18:00",
        ),
        (
            "{CONTENT:exam} {EVENT:Friday at 9}, remind {PERSON:me} {WHEN:at 8pm} to {CONTENT:pack}",
            "en",
            "2026-11-26 20:00",
        ),
    ],
)
def test_lead_counts_back_from_the_event(sentence, language, time):
    assert [each for each, _ in times_and_contents(sentence, language)] == [time]


def test_day_may_be_excluded_from_a_repetition():
    sentence = "remind {PERSON:me} {WHEN:every friday at 4pm} to {CONTENT:send timesheets, but not on 25 December}"
    made, left_out = arguments_of(sentence)

    assert (made["content"], left_out) == ("send timesheets", {"reminder_id": "it", "skip": "25 december"})


@pytest.mark.parametrize(
    ("sentence", "language", "time"),
    [
        ("remind {PERSON:me} {WHEN:sat 10} to {CONTENT:call Ada}", "en", "2026-11-28 10:00"),
        ("remind {PERSON:me} {WHEN:friday 4} to {CONTENT:call Ada}", "en", "2026-11-27 16:00"),
        ("remind {PERSON:me} {WHEN:friday 27} to {CONTENT:call Ada}", "en", "2026-11-27 09:00"),
        ("recuérda{PERSON:me} {WHEN:el sábado 10} {CONTENT:llamar a Ada}", "es", "2026-11-28 10:00"),
        ("recuérda{PERSON:me} {WHEN:el viernes 4} {CONTENT:llamar a Ada}", "es", "2026-12-04 09:00"),
    ],
)
def test_number_after_a_weekday_is_an_hour_unless_it_is_its_date(sentence, language, time):
    assert [each for each, _ in times_and_contents(sentence, language)] == [time]


@pytest.mark.parametrize(
    ("sentence", "language", "expected"),
    [
        (
            "{WHEN:thursday} {CONTENT:school play 6pm}, ping {PERSON:me} {WHEN:wednesday at 8pm}",
            "en",
            [("2026-11-25 20:00", "school play 6pm")],
        ),
        (
            "{CONTENT:sailing} {WHEN:Thursday at 7pm}, remind {PERSON:us} {WHEN:at 6:30} || and again {WHEN:at 6:55}",
            "en",
            [("2026-11-26 18:30", "sailing"), ("2026-11-26 18:55", "sailing")],
        ),
        (
            "{CONTENT:our flight} leaves {EVENT:on the 3rd at 7:40}, wake {PERSON:us} {WHEN:at 4}",
            "en",
            [("2026-12-03 04:00", "our flight")],
        ),
        (
            "the match is on saturday at 5, remind {PERSON:us} {WHEN:in the morning}",
            "en",
            [("2026-11-28 09:00", "the match")],
        ),
        (
            "I land {WHEN:on the 30th at 3pm}, {PERSON:steve} needs a reminder {WHEN:at 1pm} to {CONTENT:head out}",
            "en",
            [("2026-11-30 13:00", "head out")],
        ),
        (
            "{PERSON:Babs} has to {CONTENT:send the sheet} {WHEN:by 8pm}, nudge her {WHEN:at 7:30pm}",
            "en",
            [("2026-11-24 19:30", "send the sheet")],
        ),
        (
            "{CONTENT:vet is out} {WHEN:Friday at 2pm}. || get {PERSON:me and Mo} to {CONTENT:eat} {WHEN:at 1:15}",
            "en",
            [("2026-11-27 13:15", "eat")],
        ),
        (
            "提醒{PERSON:我们}{WHEN:出发前一天晚上九点}{CONTENT:检查行李}，我们{WHEN:12月10号早上}走",
            "zh",
            [("2026-12-09 21:00", "检查行李")],
        ),
        (
            "remind {PERSON:us} {WHEN:on Friday at 6pm} that {CONTENT:the meeting starts at 7}",
            "en",
            [("2026-11-27 18:00", "the meeting starts at 7")],
        ),
        (
            "{WHEN:miércoles} {CONTENT:inspección a las 10}, {PERSON:avísame} {WHEN:el martes a las 21}",
            "es",
            [("2026-11-24 21:00", "inspección a las 10")],
        ),
        (
            "{EVENT:周四上午十点}消防检查，{LEAD:头天}{WHEN:晚上九点}提醒{PERSON:我}",
            "zh",
            [("2026-11-25 21:00", "消防检查")],
        ),
    ],
)
def test_event_before_the_request_is_no_separate_reminder(sentence, language, expected):
    assert times_and_contents(sentence, language) == expected


@pytest.mark.parametrize(
    ("sentence", "content"),
    [
        ("能不能{WHEN:明天晚上八点}提醒{PERSON:我}{CONTENT:浇花}吗", "浇花"),
        ("{WHEN:明天晚上八点}提醒{PERSON:我}{CONTENT:问妈妈吃药了}吗", "问妈妈吃药了吗"),
    ],
)
def test_particle_of_a_question_to_the_bot_is_no_content(sentence, content):
    assert [made["content"] for made in arguments_of(sentence, "set", "zh")] == [content]


@pytest.mark.parametrize(
    ("sentence", "language", "content"),
    [
        (
            "remind {PERSON:me} {WHEN:every sunday at 8pm} to {CONTENT:feed the cats till the play on dec 14}",
            "en",
            "feed the cats",
        ),
        (
            "{WHEN:every monday at 9} until the show on 14 dec remind {PERSON:me} to {CONTENT:water it}",
            "en",
            "water it",
        ),
        (
            "recuérda{PERSON:me} {WHEN:cada lunes a las 9} {CONTENT:regar hasta la boda el 14 de diciembre}",
            "es",
            "regar",
        ),
    ],
)
def test_repetition_ends_on_the_day_of_a_named_event(sentence, language, content):
    (made,) = arguments_of(sentence, "set", language)

    assert made["content"] == content
    assert made["rrule"].endswith("UNTIL=20261214T235959Z")


def test_lead_before_a_date_of_every_year_is_yearly():
    (made,) = arguments_of(
        "{CONTENT:Ada's birthday} is {EVENT:12 June}, remind {PERSON:me} {LEAD:a week} before {WHEN:every year}"
    )

    assert made["time"] == "2027-06-05 09:00"
    assert "FREQ=YEARLY" in made["rrule"]
    assert "BYMONTHDAY=5" in made["rrule"]


@pytest.mark.parametrize(
    ("sentence", "language", "minutes", "time"),
    [
        (
            "remind {PERSON:me} {WHEN:at 8pm} to {CONTENT:take pills every 5 minutes} {UNTILDONE:until I say done}",
            "en",
            5,
            "20:00",
        ),
        (
            "remind {PERSON:me} {WHEN:every 10 minutes} {UNTILDONE:until I say done} to {CONTENT:stretch}",
            "en",
            10,
            "10:10",
        ),
        ("{WHEN:每隔5分钟}催{PERSON:我}一次{CONTENT:交作业}，{UNTILDONE:直到我说交了}", "zh", 5, "10:05"),
        ("remind {PERSON:me} {WHEN:at 8pm} to {CONTENT:take pills} {UNTILDONE:until I say done}", "en", 10, "20:00"),
    ],
)
def test_interval_until_it_is_done_is_an_argument(sentence, language, minutes, time):
    (made,) = arguments_of(sentence, "set", language)

    assert (made["until_done"], made["time"][-5:], made.get("rrule")) == (minutes, time, None)


def test_a_content_between_an_interval_and_its_end_is_kept():
    (made,) = arguments_of("remind {PERSON:me} {WHEN:every hour} to {CONTENT:drink water} {UNTILDONE:until I say done}")

    assert (made["content"], made["until_done"]) == ("drink water", 60)


@pytest.mark.parametrize(
    ("words", "is_urgent"),
    [("urgent: remind {PERSON:me} {WHEN:at 5pm} to {CONTENT:pack}", True), ("not {URGENT:urgent}", False)],
)
def test_urgent_may_be_denied(words, is_urgent):
    sentence = words if "remind" in words else f"remind {{PERSON:me}} {{WHEN:at 5pm}} to {{CONTENT:pack}}, {words}"

    assert arguments_of(sentence)[0].get("urgent") == is_urgent


@pytest.mark.parametrize(
    ("sentence", "language", "answer"),
    [
        ("remind {PERSON:me} {WHEN:on 30 February} to {CONTENT:pay}", "en", "There is no such time as"),
        ("{WHEN:25:00}提醒{PERSON:我}{CONTENT:睡觉}", "zh", "没有“25:00”这个时间"),
        ("remind {PERSON:me} to {CONTENT:pay rent}", "en", "When should I remind you of “pay rent”?"),
        ("remind {PERSON:me} {WHEN:mañana at 8} to {CONTENT:call}", "en", "When should I remind you of “call”?"),
        ("remind {PERSON:me} {WHEN:at 5pm}", "en", "What should I remind you of then?"),
        ("remind {PERSON:me}", "en", "When should I remind you, and of what?"),
    ],
)
def test_missing_time_or_content_is_asked_for(sentence, language, answer):
    made = interpret_tagged(sentence, "set", language)

    assert made.calls == ()
    assert made.answer.startswith(answer)


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("remind {PERSON:me} {WHEN:Tuesday evening}: {CONTENT:vet for Mabel} on {WHEN:Wednesday 2:15pm}", "en"),
        ("{WHEN:coming Sundays 5pm} I {CONTENT:ring Bet}. Nag {PERSON:me} {WHEN:weekly}, not {WHEN:today}", "en"),
        ("{WHEN:26号上午十点}{CONTENT:拆线}，{WHEN:八点}先打个招呼给{PERSON:我}", "zh"),
    ],
)
def test_contradictory_times_are_asked_about(sentence, language):
    made = interpret_tagged(sentence, "set", language)

    assert made.calls == ()
    assert made.answer


@pytest.mark.parametrize(
    ("sentence", "language", "times"),
    [
        ("{WHEN:at 5pm} and again {WHEN:at 7pm} {CONTENT:feed the cat}", "en", ["17:00", "19:00"]),
        ("{WHEN:明早五点半}叫{PERSON:我}{CONTENT:上山}，{WHEN:后天}也叫", "zh", ["05:30", "05:30"]),
    ],
)
def test_list_of_times_sets_a_reminder_for_each(sentence, language, times):
    assert [time[-5:] for time, _ in times_and_contents(sentence, language)] == times


def test_clock_time_joined_to_a_repetition_repeats_too():
    first, second = arguments_of("{CONTENT:BP tablet} {WHEN:9 am daily and night 9 pm}")

    assert (first["type"], first["time"]) == ("daily", "09:00")
    assert (second["type"], second["time"]) == ("daily", "21:00")


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        *((f"{{WHEN:{time}}}提醒{{PERSON:我}}{{CONTENT:拉伸}}", "zh") for time in ("每逢双号九点", "考试前一晚九点")),
        ("{WHEN:其他日子晚上九点}提醒{PERSON:我}{CONTENT:拉伸}", "zh"),
        ("{WHEN:every evening bar sundays, 6.30}, {CONTENT:rinse wetsuits}", "en"),
        ("remind {PERSON:me} {WHEN:tomorrow morning, 20 past} to {CONTENT:pick up scrubs}", "en"),
        ("{CONTENT:stall rent}, {WHEN:first of jan apr sep, 10am}, remind {PERSON:me}", "en"),
    ],
)
def test_unparsed_part_of_a_time_sets_no_reminder(sentence, language):
    assert interpret_tagged(sentence, "set", language).calls == ()


def test_count_without_a_repetition_stays_in_the_content():
    sentence = "remind {PERSON:me} {UNTIL:3 times} {WHEN:tomorrow} to {CONTENT:email Joe}"

    assert [content for _, content in times_and_contents(sentence, "en")] == ["3 times to email Joe"]


def test_past_time_is_left_to_the_check_of_times():
    assert times_and_contents("{WHEN:今天早上8点}提醒{PERSON:我}{CONTENT:吃药}", "zh") == [("2026-11-24 08:00", "吃药")]


@pytest.mark.parametrize(
    ("sentence", "language", "expected"),
    [
        ("wake {PERSON:me} up {WHEN:at 7}", "en", ("2026-11-25 07:00", "wake up")),
        ("{WHEN:明天六点半}叫醒{PERSON:我}", "zh", ("2026-11-25 06:30", "起床")),
        ("set a {WHEN:10 minute} timer", "en", ("2026-11-24 10:10", "Reminder")),
    ],
)
def test_request_without_a_content_has_a_default_content(sentence, language, expected):
    assert times_and_contents(sentence, language) == [expected]


def test_alarm_at_a_bare_hour_may_be_in_either_half_of_the_day():
    answer = interpret_tagged("set an alarm {WHEN:for 5:45 tomorrow}").answer

    assert ("tomorrow at 05:45" in answer, "tomorrow at 17:45" in answer) == (True, True)


@pytest.mark.parametrize(
    ("sentence", "language", "person"),
    [
        ("remind {PERSON:everyone but Kim} {WHEN:at 5pm} to {CONTENT:leave}", "en", "everyone except Kim"),
        ("remind {PERSON:me and ann} {WHEN:at 5pm} to {CONTENT:leave}", "en", "me and ann"),
        ("{WHEN:五点}提醒{PERSON:@小本@小齐}{CONTENT:上线}", "zh", "@小本, @小齐"),
        ("{WHEN:五点}提醒{PERSON:業主們}{CONTENT:交费}", "zh", "everyone"),
        ("{WHEN:五点}提醒{PERSON:我遛狗}", "zh", None),
    ],
)
def test_full_names_are_kept(sentence, language, person):
    assert arguments_of(sentence, "set", language)[0].get("person") == person


@pytest.mark.parametrize(
    ("sentence", "language", "member", "expected"),
    [
        (
            "it's on the 24th, {PERSON:mum}. remind {PERSON:ilse} {WHEN:at 5pm} about {CONTENT:the dentist}",
            "en",
            "",
            ("ilse", "the dentist"),
        ),
        ("{PERSON:细胞}要{CONTENT:换液}，{WHEN:八点}喊{PERSON:我}", "zh", "", (None, "换液")),
        (
            "remind {PERSON:me n neha} {WHEN:at 5pm} of {CONTENT:lunch} for {PERSON:sherwani}",
            "en",
            "neha",
            ("me n neha", "lunch for sherwani"),
        ),
        ("{PERSON:get kev and me} to {CONTENT:fill it in} {WHEN:at 6pm}", "en", "kev", ("kev and me", "fill it in")),
        ("remind {PERSON:me n} {CONTENT:wilf vet's coming} {WHEN:at 8pm}", "en", "wilf", ("me n wilf", "vet's coming")),
        (
            "{CONTENT:concrete} {WHEN:at 6pm}, remind {PERSON:me} {CONTENT:and bill}",
            "en",
            "bill",
            ("me and bill", "concrete"),
        ),
        ("{CONTENT:work party} {WHEN:at 6pm}, remind {PERSON:all plot holders}", "en", "", ("everyone", "work party")),
        ("remind {PERSON:me} too, about {CONTENT:ken's slip} {WHEN:at 8pm}", "en", "", (None, "ken's slip")),
        ("{CONTENT:timesheets for everybody} {WHEN:at 4pm}", "en", "", ("everyone", "timesheets")),
        ("{CONTENT:retro para todos} {WHEN:a las 16}", "es", "", ("everyone", "retro")),
        (
            "{PERSON:recuérdame} {WHEN:a las 20} {CONTENT:bañar} a {PERSON:don Hernán}",
            "es",
            "",
            (None, "bañar a don Hernán"),
        ),
        (
            "{PERSON:Ana y a la Seño Tere} {WHEN:a las 20} que {CONTENT:sale el bus}",
            "es",
            "",
            ("Ana y Seño Tere", "sale el bus"),
        ),
        ("{PERSON:ponme a mi} {WHEN:a las 20} {CONTENT:la tambora}", "es", "", (None, "la tambora")),
        ("{WHEN:九点}提醒{PERSON:老杨头和}{CONTENT:桂芝浇水}", "zh", "桂芝", ("老杨头和桂芝", "浇水")),
    ],
)
def test_recipients_are_the_people_to_be_reminded(sentence, language, member, expected):
    recent = (make_message("ready", by=member),) if member else ()
    (made,) = arguments_of(sentence, "set", language, recent=recent)

    assert (made.get("person"), made["content"]) == expected


def test_verb_behind_everyone_is_no_name():
    reading = read_tagged("avisa a {PERSON:todos despejar} {CONTENT:el patio} a las 20", "set", "es")

    assert cut_names(reading, load_lexicon("es"), ()).pieces("PERSON") == ["todos"]


def test_both_of_us_are_the_sender_and_the_previous_writer():
    (made,) = arguments_of(
        "remind {PERSON:both of us} {WHEN:at 5pm} to {CONTENT:leave}", recent=(make_message("ready?", by="bob"),)
    )

    assert made["person"] == "ann, bob"


def test_content_behind_its_own_clock_is_not_the_event_in_front():
    (made,) = arguments_of(
        "{WHEN:12月11号}{CONTENT:运动会}，{WHEN:早上七点}提醒{PERSON:大家}{CONTENT:出发}", "set", "zh"
    )

    assert made["content"] == "出发"


@pytest.mark.parametrize(
    ("sentence", "content", "language"),
    [
        (
            "{WHEN:at 8pm} remind {PERSON:me}: {CONTENT:backup the campaign} {WHEN:wiki}",
            "backup the campaign wiki",
            "en",
        ),
        ("remind {PERSON:me} to {CONTENT:buy shoes} {WHEN:at Target at 5pm}", "buy shoes at Target", "en"),
        ("recuérda{PERSON:me} {CONTENT:comprar pan} {WHEN:en Lidl a las 17}", "comprar pan en Lidl", "es"),
        (
            "remind {PERSON:us} {WHEN:at 9:55} that {CONTENT:standup} {WHEN:starts in 5 minutes}",
            "standup starts in 5 minutes",
            "en",
        ),
    ],
)
def test_words_behind_a_content_that_are_no_time_belong_to_it(sentence, content, language):
    (made,) = arguments_of(sentence, language=language)

    assert made["content"] == content


def test_number_used_for_the_word_for_is_no_name():
    (made,) = arguments_of("reminder {PERSON:4 all parents} {WHEN:at 8pm}: {CONTENT:park in lot B}")

    assert (made["person"], made["content"]) == ("everyone", "park in lot B")


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("bob and i meet the bank {EVENT:on friday}, tell {PERSON:us both} {WHEN:at 2pm} to {CONTENT:pack}", "en"),
        ("我和bob{WHEN:九点}去银行，提醒{PERSON:我们俩}{CONTENT:带存折}", "zh"),
    ],
)
def test_both_of_us_are_the_two_named_people(sentence, language):
    recent = (make_message("ready?", by="bob"), make_message("soon", by="cleo"))

    assert arguments_of(sentence, "set", language, recent=recent)[0]["person"] == "ann, bob"


def test_member_who_is_joined_to_another_is_reminded_as_well():
    recent = (make_message("好的", by="阿玲"), make_message("行", by="杰克"))
    (made,) = arguments_of("{WHEN:九点}提醒{PERSON:阿玲}{CONTENT:和杰克浇水}", "set", "zh", recent=recent)

    assert (made["person"], made["content"]) == ("阿玲和杰克", "浇水")


def test_words_between_everybody_and_a_content_belong_to_the_content():
    reading = read_tagged("remind {PERSON:everybody officers} {CONTENT:meeting} {WHEN:at 7pm}")

    assert cut_names(reading, load_lexicon("en"), ()).pieces("CONTENT") == ["officers meeting"]


@pytest.mark.parametrize(
    ("sentence", "language", "content"),
    [
        ("remind {PERSON:me} {WHEN:at 5pm} of the {CONTENT:standup}", "en", "the standup"),
        (
            "remind {PERSON:me} to {CONTENT:email the landlord} {WHEN:tomorrow} about {CONTENT:the sink}",
            "en",
            "email the landlord about the sink",
        ),
        ("remind {PERSON:me} {WHEN:at 3pm} to pack", "en", "pack"),
        (
            "remind {PERSON:me} {WHEN:at 4pm} to {CONTENT:leave, the doctor closes} {WHEN:at 5pm}",
            "en",
            "leave, the doctor closes at 5pm",
        ),
        (
            "remind {PERSON:me} {WHEN:at 4pm} to {CONTENT:read https://example.org/a}?b=1#top",
            "en",
            "read https://example.org/a?b=1#top",
        ),
        ("{WHEN:三点}提醒{PERSON:我}{CONTENT:签合同}", "zh", "签合同"),
        ("{WHEN:三点}提醒{PERSON:我}{CONTENT:跟女儿视频}", "zh", "跟女儿视频"),
        ("{WHEN:三点}提醒{CONTENT:我妈生日}", "zh", "我妈生日"),
        ("{WHEN:三点}提醒{PERSON:我}一声{CONTENT:买菜}", "zh", "买菜"),
    ],
)
def test_content_is_complete_and_has_no_other_words(sentence, language, content):
    assert times_and_contents(sentence, language)[0][1] == content


def test_time_at_an_edge_of_the_content_is_used_if_there_is_no_other():
    assert times_and_contents("提醒{PERSON:我}{CONTENT:五点开会}", "zh") == [("2026-11-24 17:00", "开会")]


@pytest.mark.parametrize(
    ("sentence", "before", "time"),
    [
        ("remind {PERSON:me} again {WHEN:on Friday}", TOMORROW, "2026-11-27 15:00"),
        ("{WHEN:friday at 9am} too", TOMORROW, "2026-11-27 09:00"),
        ("and {LEAD:a day} before as well", TOMORROW, "2026-11-24 15:00"),
        ("add another one {WHEN:at 4:15}", TOMORROW, "2026-11-25 16:15"),
        ("the same {WHEN:at 9}", {**TOMORROW, "time": "2026-11-25 20:00"}, "2026-11-25 21:00"),
    ],
)
def test_repeated_reminder_keeps_the_content_and_the_clock_time(sentence, before, time):
    (made,) = arguments_of(sentence, "repeat_last", last_set=before)

    assert (made["time"], made["content"]) == (time, "water the ferns")


def test_further_day_is_added_to_a_recurring_reminder():
    assert arguments_of("also {WHEN:on saturday}", "repeat_last", last_set=EVERY_DAY) == [
        {"days": "+saturday", "reminder_id": "it"}
    ]


def test_content_in_an_answer_is_set_at_each_time():
    options = tuple(each.readings[0] for each in parse_all("at 5pm and at 6pm", NOW, language="en"))
    question = OpenQuestion(asks="content", options=options)

    assert [each["time"][-5:] for each in arguments_of("to {CONTENT:drink}", "answer_content", question=question)] == [
        "17:00",
        "18:00",
    ]


def test_lead_without_an_amount_is_asked_about():
    answer = interpret_tagged("{CONTENT:exam} {EVENT:friday at 9am}, remind {PERSON:me} {LEAD:somewhat} before").answer

    assert answer == "When should I remind you of “exam”?"


def test_answer_without_a_day_is_on_the_offered_day():
    options = parse_all("tomorrow at 6:45", NOW, language="en")[0].readings
    question = OpenQuestion(asks="option", content="get up", options=options)
    (made,) = arguments_of("{WHEN:6:15pm}", "answer_when", question=question)

    assert made["time"] == "2026-11-25 18:15"


@pytest.mark.parametrize(
    ("sentence", "language", "expected"),
    [
        (
            "I have {CONTENT:the gym} {WHEN:on Thursday}, {WHEN:at 1pm} remind {PERSON:me} to {CONTENT:bring a towel}",
            "en",
            [("2026-11-26 13:00", "bring a towel")],
        ),
        (
            "{PERSON:我}{WHEN:周四}要{CONTENT:上私教}，{WHEN:下午一点}提醒{PERSON:我}{CONTENT:带毛巾}",
            "zh",
            [("2026-11-26 13:00", "带毛巾")],
        ),
    ],
)
def test_sentence_before_the_request_is_its_event(sentence, language, expected):
    assert times_and_contents(sentence, language) == expected


def test_second_time_without_a_deadline_is_one_more_reminder():
    sentence = "remind {PERSON:us} to {CONTENT:stretch} {WHEN:at 5pm}, remind us again {WHEN:at 6pm}"

    assert [time for time, _ in times_and_contents(sentence)] == ["2026-11-24 17:00", "2026-11-24 18:00"]


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("remind {PERSON:me} to {CONTENT:bring the shield} on that day {WHEN:at 9am}", "en"),
        ("remind {PERSON:Ken} {WHEN:at 3pm} his time to {CONTENT:send the invoice}", "en"),
        ("remind {PERSON:me} to {CONTENT:charge the drone that same day} {WHEN:at 8am}", "en"),
        ("那天{WHEN:上午九点}提醒{PERSON:我}{CONTENT:带伞}", "zh"),
        ("{WHEN:明晚同一时间}再提醒{PERSON:我}{CONTENT:下副本}", "zh"),
    ],
)
def test_time_known_only_from_other_messages_is_asked_for(sentence, language):
    made = interpret_tagged(sentence, "set", language)

    assert not made.calls
    assert made.answer


@pytest.mark.parametrize(
    ("sentence", "language", "content"),
    [
        ("remind {PERSON:me} {WHEN:at 5pm} to {CONTENT:print the sheet pls bubbles}", "en", "print the sheet"),
        ("{WHEN:下午三点}提醒{PERSON:我}{CONTENT:发版 bubbles}", "zh", "发版"),
        ("bubbles remind {PERSON:me} {WHEN:at 5pm} to {CONTENT:read about bubbles}", "en", "read about bubbles"),
    ],
)
def test_name_of_the_bot_at_the_end_is_no_content(sentence, language, content):
    assert [each for _, each in times_and_contents(sentence, language)] == [content]


def test_lead_with_its_own_date_gets_a_separate_clock_time():
    sentence = "remind {PERSON:me} {WHEN:a week before 15 December} to {CONTENT:pick up my suit}, {WHEN:9am}"

    assert times_and_contents(sentence) == [("2026-12-08 09:00", "pick up my suit")]


def test_another_reminder_with_its_own_content_keeps_it():
    made = arguments_of("and another one {WHEN:at 10pm} to upload it", "repeat_last", last_set=TOMORROW, may_point=True)

    assert [each["content"] for each in made] == ["upload it"]


def test_untagged_everyone_is_the_recipient():
    made = arguments_of("{WHEN:daily} {CONTENT:standup} reminder for everyone {WHEN:at 9:30am}")

    assert [each["person"] for each in made] == ["everyone"]


@pytest.mark.parametrize(
    ("sentence", "language", "expected"),
    [
        ("remind {PERSON:me} {WHEN:on Friday at closing, 6pm}, to {CONTENT:mop}", "en", "2026-11-27 18:00"),
        ("{WHEN:every evening after plating, 18:45}, remind {PERSON:me} to {CONTENT:mop}", "en", "18:45"),
        ("{WHEN:once the clock strikes noon tomorrow} remind {PERSON:me} to {CONTENT:mop}", "en", "2026-11-25 12:00"),
        (
            "{PERSON:recuérdame} {WHEN:el sábado antes del desfile}, {WHEN:8:30 am}, {CONTENT:barrer}",
            "es",
            "2026-11-28 08:30",
        ),
        ("{WHEN:todos los viernes al cerrar, 10 de la noche}, {PERSON:recuérdame} {CONTENT:barrer}", "es", "22:00"),
        ("{WHEN:每天礼拜}结束后{WHEN:下午一点}提醒{PERSON:我}{CONTENT:扫地}", "zh", "13:00"),
        ("{EVENT:周五收工后}，即{WHEN:下午五点半}，提醒{PERSON:我}{CONTENT:锁门}", "zh", "2026-11-27 17:30"),
        ("{EVENT:明晚打烊那会儿}，{WHEN:大概十点}，提醒{PERSON:我}{CONTENT:锁门}", "zh", "2026-11-25 22:00"),
    ],
)
def test_day_and_clock_time_are_read_beside_other_words(sentence, language, expected):
    assert [time for time, _ in times_and_contents(sentence, language)] == [expected]


@pytest.mark.parametrize("when", ["mañana at 8", "on zorgday at 6pm", "on Fridays until the trip at 6pm"])
def test_unknown_day_or_end_sets_no_reminder(when):
    assert not any("time" in each for each in arguments_of(f"remind {{PERSON:me}} {{WHEN:{when}}} to {{CONTENT:mop}}"))


@pytest.mark.parametrize(
    ("sentence", "language", "rule"),
    [
        (
            "{CONTENT:rent} is due {EVENT:the 28th of every month}, remind {PERSON:me} {LEAD:at noon the day} before",
            "en",
            "FREQ=MONTHLY;BYMONTHDAY=27",
        ),
        (
            "{CONTENT:the report} is due by the 10th of every month, remind {PERSON:me} {WHEN:on the 9th at 4pm}",
            "en",
            "FREQ=MONTHLY;BYMONTHDAY=9;BYHOUR=16;BYMINUTE=0",
        ),
        (
            "{CONTENT:房租}{EVENT:每个月5号前}要转，{WHEN:4号晚上八点}提醒{PERSON:我}",
            "zh",
            "FREQ=MONTHLY;BYMONTHDAY=4;BYHOUR=20;BYMINUTE=0",
        ),
        (
            "{CONTENT:el informe} se entrega {EVENT:el 10 de cada mes}, {PERSON:recuérdame} {WHEN:el 9 a las 16:00}",
            "es",
            "FREQ=MONTHLY;BYMONTHDAY=9;BYHOUR=16;BYMINUTE=0",
        ),
    ],
)
def test_day_of_the_month_of_a_monthly_event_repeats(sentence, language, rule):
    assert [each.get("rrule") for each in arguments_of(sentence, "set", language)] == [rule]


def test_date_beside_a_monthly_event_does_not_repeat():
    made = times_and_contents(
        "{CONTENT:rent} is due {EVENT:the 28th of every month}, remind {PERSON:me} {WHEN:on 26 December at 4pm}"
    )

    assert [time for time, _ in made] == ["2026-12-26 16:00"]


def test_days_of_an_event_share_the_clock_time_of_the_reminder():
    made = times_and_contents("{CONTENT:房租}{EVENT:5號、12號、19號}各一次，{WHEN:中午}提醒{PERSON:我}", "zh")

    assert [time for time, _ in made] == ["2026-12-05 12:00", "2026-12-12 12:00", "2026-12-19 12:00"]


@pytest.mark.parametrize(
    ("sentence", "language", "expected"),
    [
        ("{EVENT:明天七点}开门，{WHEN:六点半}叫{PERSON:我}{CONTENT:占场}", "zh", "2026-11-25 06:30"),
        (
            "{EVENT:tomorrow at 7} is breakfast, remind {PERSON:me} {WHEN:at half past six} to {CONTENT:iron}",
            "en",
            "2026-11-25 06:30",
        ),
        (
            "{EVENT:mañana a las 7} abre el museo, {PERSON:recuérdame} {WHEN:a las 6 y media} {CONTENT:salir}",
            "es",
            "2026-11-25 06:30",
        ),
        ("remind {PERSON:me} {WHEN:every school day at 8:20} to {CONTENT:pack lunch}", "en", "2026-11-25 08:20"),
    ],
)
def test_hour_beside_a_morning_event_is_in_the_morning(sentence, language, expected):
    assert [time for time, _ in times_and_contents(sentence, language)] == [expected]


@pytest.mark.parametrize(
    ("sentence", "language", "made"),
    [
        (
            "remind {PERSON:me} {WHEN:tomorrow at 6am} to {CONTENT:eat}, and {WHEN:Friday} as well",
            "en",
            [("2026-11-25 06:00", None), ("2026-11-27 06:00", None)],
        ),
        (
            "{WHEN:明早五点半}喊{PERSON:大家}{CONTENT:采茶}，{WHEN:后天}也喊",
            "zh",
            [("2026-11-25 05:30", None), ("2026-11-26 05:30", None)],
        ),
        (
            "{WHEN:每月14号上午九点半}提醒{PERSON:我}{CONTENT:办F24}，{WHEN:15号}也来一遍",
            "zh",
            [
                ("2026-12-14 09:30", "FREQ=MONTHLY;BYMONTHDAY=14;BYHOUR=9;BYMINUTE=30"),
                ("2026-12-15 09:30", "FREQ=MONTHLY;BYMONTHDAY=15;BYHOUR=9;BYMINUTE=30"),
            ],
        ),
        (
            "{WHEN:每月1号上午10点}提醒{PERSON:我}{CONTENT:转}，{WHEN:下周五}也提醒一次",
            "zh",
            [("2026-12-01 10:00", "FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=10;BYMINUTE=0"), ("2026-12-04 10:00", None)],
        ),
    ],
)
def test_day_after_a_time_has_its_clock_time_and_repetition(sentence, language, made):
    assert [(call["time"], call.get("rrule")) for call in arguments_of(sentence, language=language)] == made


OF_BOB = {"type": "once", "time": "2026-11-26 18:00", "content": "the ball"}
OWN = {"type": "once", "time": "2026-11-25 21:30", "content": "the bins"}


@pytest.mark.parametrize(
    ("sentence", "language", "time"),
    [
        ("remind {PERSON:me} as well, about {CONTENT:the bottles}, {WHEN:same time}", "en", "2026-11-26 18:00"),
        ("{PERSON:我}也要，{WHEN:同样时间}，{CONTENT:带球衣}", "zh", "2026-11-26 18:00"),
        ("also remind {PERSON:Tim} to {CONTENT:bring a cord} {WHEN:same time}", "en", "2026-11-25 21:30"),
        (
            "{CONTENT:play} {EVENT:on the 28th at 17:30}, {LEAD:a day} before {WHEN:at the same time}",
            "en",
            "2026-11-27 17:30",
        ),
    ],
)
def test_same_time_refers_to_the_last_reminder_or_the_event(sentence, language, time):
    assert arguments_of(sentence, language=language, last_set=OWN, last_here=OF_BOB)[0]["time"] == time
