"""Recurrences as rules of RFC 5545. It is Friday 20 November 2026, 10:00."""

import time
from datetime import UTC, timedelta

import pytest
from dateutil.rrule import rrulestr

from services.time_expressions import parse, parse_all

WORKDAYS = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("every day", "FREQ=DAILY"),
        ("from next week on wednesday nights", "FREQ=WEEKLY;BYDAY=WE;BYHOUR=21;BYMINUTE=0"),
        ("every day at 7am", "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"),
        ("3pm each day", "FREQ=DAILY;BYHOUR=15;BYMINUTE=0"),
        ("daily at noon", "FREQ=DAILY;BYHOUR=12;BYMINUTE=0"),
        ("every morning", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("at 9am and 5pm every day", "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0"),
        ("every day at 9:15am and 5:45pm", "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=15,45;BYSETPOS=1,4"),
        ("every other day", "FREQ=DAILY;INTERVAL=2"),
        ("every weekday at 8:30", WORKDAYS + ";BYHOUR=8;BYMINUTE=30"),
        ("monday to friday at 7am", WORKDAYS + ";BYHOUR=7;BYMINUTE=0"),
        ("every weekend", "FREQ=WEEKLY;BYDAY=SA,SU"),
        ("on weekdays but not fridays at 9:30", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH;BYHOUR=9;BYMINUTE=30"),
        ("每天九点半打卡，周末除外", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=30"),
        ("for the next 5 days at 9am", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;COUNT=5"),
        ("the next 5 days at 9am", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;COUNT=5"),
        ("at 9am for the next 2 weeks", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;COUNT=14"),
        ("8am 12pm 4pm and 8pm every day", "FREQ=DAILY;BYHOUR=8,12,16,20;BYMINUTE=0"),
        ("at 8 in the morning and 8 at night every day", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"),
        ("every morning and every evening", "FREQ=DAILY;BYHOUR=9,19;BYMINUTE=0"),
        ("every weekday at 9:30 except holidays", WORKDAYS + ";BYHOUR=9;BYMINUTE=30"),
        ("at 9:30 every weekday except public holidays", WORKDAYS + ";BYHOUR=9;BYMINUTE=30"),
        ("every day half an hour before bedtime", "FREQ=DAILY;BYHOUR=21;BYMINUTE=30"),
        ("the next 3 mondays at 9am", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;COUNT=3"),
        ("every 4 hours from 8am", "FREQ=HOURLY;INTERVAL=4"),
        ("every hour until 6", "FREQ=HOURLY;UNTIL=20261120T180000Z"),
        ("every single day at 8am", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0"),
        ("every month on day 1, 15 at 9am", "FREQ=MONTHLY;BYMONTHDAY=1,15;BYHOUR=9;BYMINUTE=0"),
        ("every month on the last weekday at 9am", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=9;BYMINUTE=0"),
        ("从早上8点到上午11点每隔1小时", "FREQ=DAILY;BYHOUR=8,9,10,11;BYMINUTE=0"),
        ("fortnightly on thursdays at 9", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH;BYHOUR=9;BYMINUTE=0"),
        ("every working day at 9", WORKDAYS + ";BYHOUR=9;BYMINUTE=0"),
        ("each business day at 5pm", WORKDAYS + ";BYHOUR=17;BYMINUTE=0"),
        ("daily at 22:30 until the end of March to stretch", "FREQ=DAILY;BYHOUR=22;BYMINUTE=30;UNTIL=20270331T225959Z"),
        ("三月底之前每天晚上十点半", "FREQ=DAILY;BYHOUR=22;BYMINUTE=30;UNTIL=20270331T225959Z"),
        ("每天九点之前", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("every monday at 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("every mon wed and fri at 6am", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=6;BYMINUTE=0"),
        ("mon/wed/fri 7am", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=7;BYMINUTE=0"),
        ("tue thu at 9am", "FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=9;BYMINUTE=0"),
        ("周六日早上九点", "FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0"),
        ("周四六日下午两点半", "FREQ=WEEKLY;BYDAY=TH,SA,SU;BYHOUR=14;BYMINUTE=30"),
        ("以后周五周六晚上七点", "FREQ=WEEKLY;BYDAY=FR,SA;BYHOUR=19;BYMINUTE=0"),
        ("周一、三、五早上七点", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=7;BYMINUTE=0"),
        ("二四六晚上八点", "FREQ=WEEKLY;BYDAY=TU,TH,SA;BYHOUR=20;BYMINUTE=0"),
        ("下周一到周五每天早上八点", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0;UNTIL=20261127T235959Z"),
        ("every 1st and 15th at 9am", "FREQ=MONTHLY;BYMONTHDAY=1,15;BYHOUR=9;BYMINUTE=0"),
        ("双周周五", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
        ("每周135早上七点", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=7;BYMINUTE=0"),
        ("每周12点", "FREQ=WEEKLY;BYHOUR=12;BYMINUTE=0"),
        ("每年的今天", "FREQ=YEARLY"),
        ("tuesdays and thursdays at 3:15", "FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=15;BYMINUTE=15"),
        ("every other tuesday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ("on weekdays at 8:30 except friday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH;BYHOUR=8;BYMINUTE=30"),
        ("每周一三五早上九点，周三除外", "FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9;BYMINUTE=0"),
        ("every day except sunday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA"),
        ("every hour on weekdays", "FREQ=HOURLY;BYDAY=MO,TU,WE,TH,FR"),
        ("every second tuesday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ("last workday of every month", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
        ("on the 1st and 15th of every month at 9am", "FREQ=MONTHLY;BYMONTHDAY=1,15;BYHOUR=9;BYMINUTE=0"),
        ("twice a week on tuesday and friday", "FREQ=WEEKLY;BYDAY=TU,FR"),
        ("every 4th of the month", "FREQ=MONTHLY;BYMONTHDAY=4"),
        ("last day of every month at 6pm", "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=18;BYMINUTE=0"),
        ("2nd and last friday of each month", "FREQ=MONTHLY;BYDAY=2FR,-1FR"),
        ("every 3rd friday", "FREQ=MONTHLY;BYDAY=3FR"),
        ("first and last instance of wed and fri monthly", "FREQ=MONTHLY;BYDAY=WE,FR;BYSETPOS=1,-1"),
        ("every year on march 5", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=5"),
        ("quarterly", "FREQ=MONTHLY;INTERVAL=3"),
        ("once every two weeks", "FREQ=WEEKLY;INTERVAL=2"),
        ("every monday and every thursday", "FREQ=WEEKLY;BYDAY=MO,TH"),
        ("every monday, wednesday, & friday", "FREQ=WEEKLY;BYDAY=MO,WE,FR"),
        ("every quarter hour", "FREQ=MINUTELY;INTERVAL=15"),
        ("every alternate day", "FREQ=DAILY;INTERVAL=2"),
        ("every monday until dec", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20261130T235959Z"),
        ("first of every month at 9", "FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0"),
        ("the first Monday and the third Friday of the month", "FREQ=MONTHLY;BYDAY=1MO,3FR"),
        ("every 2nd tuesday and last friday at 9am", "FREQ=MONTHLY;BYDAY=2TU,-1FR;BYHOUR=9;BYMINUTE=0"),
        (
            "every month on the first monday, the third friday at 09:00",
            "FREQ=MONTHLY;BYDAY=1MO,3FR;BYHOUR=9;BYMINUTE=0",
        ),
        ("first of jan apr jul oct, 10am", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYMONTHDAY=1;BYHOUR=10;BYMINUTE=0"),
        ("Feb, May, Aug and Nov on the 1st", "FREQ=YEARLY;BYMONTH=2,5,8,11;BYMONTHDAY=1"),
        ("next thursday-friday at 8am", "FREQ=WEEKLY;BYDAY=TH,FR;BYHOUR=8;BYMINUTE=0;UNTIL=20261129T235959Z"),
        ("first monday of the month", "FREQ=MONTHLY;BYDAY=1MO"),
        ("second-last friday of the month at 6pm", "FREQ=MONTHLY;BYDAY=-2FR;BYHOUR=18;BYMINUTE=0"),
        ("every day until the last friday of the month", "FREQ=DAILY;UNTIL=20261127T235959Z"),
        ("first and third tuesday of the month at 7pm", "FREQ=MONTHLY;BYDAY=1TU,3TU;BYHOUR=19;BYMINUTE=0"),
        ("First Sunday of the month, 10am", "FREQ=MONTHLY;BYDAY=1SU;BYHOUR=10;BYMINUTE=0"),
        ("last friday of the month 5pm", "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;BYMINUTE=0"),
        ("every noon", "FREQ=DAILY;BYHOUR=12;BYMINUTE=0"),
        ("every day at 7:30 and 19:30", "FREQ=DAILY;BYHOUR=7,19;BYMINUTE=30"),
        ("每天7点和19点", "FREQ=DAILY;BYHOUR=7,19;BYMINUTE=0"),
        ("every second sunday of the month at 3", "FREQ=MONTHLY;BYDAY=2SU;BYHOUR=15;BYMINUTE=0"),
        ("every month end", "FREQ=MONTHLY;BYMONTHDAY=-1"),
        ("every day at 3 and 6 and 9", "FREQ=DAILY;BYHOUR=15,18,21;BYMINUTE=0"),
        ("every day at 9 and 21", "FREQ=DAILY;BYHOUR=9,21;BYMINUTE=0"),
        ("5 mondays in a row", "FREQ=WEEKLY;BYDAY=MO;COUNT=5"),
        ("every day from december 1 to 5", "FREQ=DAILY;UNTIL=20261205T235959Z"),
        ("3 days in a row at 9am", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;COUNT=3"),
        ("daily from tuesday to thursday", "FREQ=WEEKLY;BYDAY=TU,WE,TH"),
        ("每周1、3、5", "FREQ=WEEKLY;BYDAY=MO,WE,FR"),
        ("每周一/三/五早上八点", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=8;BYMINUTE=0"),
        ("每周二/周四", "FREQ=WEEKLY;BYDAY=TU,TH"),
        ("每月1号/15号", "FREQ=MONTHLY;BYMONTHDAY=1,15"),
        ("每逢一、四、七、十月的第三个周三11点", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYDAY=3WE;BYHOUR=11;BYMINUTE=0"),
        ("每月逢五号和二十号", "FREQ=MONTHLY;BYMONTHDAY=5,20"),
        ("every friday by 4 in the evening", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16;BYMINUTE=0"),
        ("每周五傍晚四点之前", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16;BYMINUTE=0"),
        (
            "from Monday to Thursday next week at 8pm",
            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH;BYHOUR=20;BYMINUTE=0;UNTIL=20261129T235959Z",
        ),
        ("每月5、15、25号", "FREQ=MONTHLY;BYMONTHDAY=5,15,25"),
        ("每月5号15号25号", "FREQ=MONTHLY;BYMONTHDAY=5,15,25"),
        ("每月十五", "FREQ=MONTHLY;BYMONTHDAY=15"),
        ("隔周五", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
        ("two-thirty every tues n fri", "FREQ=WEEKLY;BYDAY=TU,FR;BYHOUR=14;BYMINUTE=30"),
        ("15th and 30th of the month 10am", "FREQ=MONTHLY;BYMONTHDAY=15,30;BYHOUR=10;BYMINUTE=0"),
        ("每月中旬", "FREQ=MONTHLY;BYMONTHDAY=15"),
        ("周四早中晚sync", "FREQ=WEEKLY;BYDAY=TH;BYHOUR=9,12,19;BYMINUTE=0"),
        ("接下来三个周一", "FREQ=WEEKLY;BYDAY=MO;COUNT=3"),
        ("每天吃三次药", "FREQ=DAILY;BYHOUR=9,12,19;BYMINUTE=0"),
        ("every 15 minutes", "FREQ=MINUTELY;INTERVAL=15"),
        ("every hour and a half", "FREQ=MINUTELY;INTERVAL=90"),
        ("every 3 hours from 9am to 5pm", "FREQ=DAILY;BYHOUR=9,12,15;BYMINUTE=0"),
        ("every day for 5 times", "FREQ=DAILY;COUNT=5"),
        ("daily for 30 days", "FREQ=DAILY;COUNT=30"),
        ("every other tuesday until december", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;UNTIL=20261130T235959Z"),
        ("从明天开始一周内每天早上八点", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0;COUNT=7"),
        ("从今天开始的一周晚上九点", "FREQ=DAILY;BYHOUR=21;BYMINUTE=0;COUNT=7"),
        ("每天晚上十点睡觉，除了周末", WORKDAYS + ";BYHOUR=22;BYMINUTE=0"),
        ("每天，除了周日", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA"),
        ("every day at 9 to stretch, except on weekends", WORKDAYS + ";BYHOUR=9;BYMINUTE=0"),
        ("每天", "FREQ=DAILY"),
        ("每天早上七点", "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"),
        ("每晚十点", "FREQ=DAILY;BYHOUR=22;BYMINUTE=0"),
        ("每天早晚", "FREQ=DAILY;BYHOUR=9,19;BYMINUTE=0"),
        ("每天早上8点、中午12点和晚上6点", "FREQ=DAILY;BYHOUR=8,12,18;BYMINUTE=0"),
        ("每个工作日下午三点", WORKDAYS + ";BYHOUR=15;BYMINUTE=0"),
        ("周一到周五每天早上七点半", WORKDAYS + ";BYHOUR=7;BYMINUTE=30"),
        ("每周一九点", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("每周一三五晚上七点", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=19;BYMINUTE=0"),
        ("每周二和周四", "FREQ=WEEKLY;BYDAY=TU,TH"),
        ("每两周的周五下午三点", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=15;BYMINUTE=0"),
        ("隔周周一", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
        ("每隔一天", "FREQ=DAILY;INTERVAL=2"),
        ("每隔两天", "FREQ=DAILY;INTERVAL=2"),
        ("每月4号", "FREQ=MONTHLY;BYMONTHDAY=4"),
        ("每月15号和30号", "FREQ=MONTHLY;BYMONTHDAY=15,30"),
        ("每月最后一天", "FREQ=MONTHLY;BYMONTHDAY=-1"),
        ("每月底", "FREQ=MONTHLY;BYMONTHDAY=-1"),
        ("每月第一个周一上午9点", "FREQ=MONTHLY;BYDAY=1MO;BYHOUR=9;BYMINUTE=0"),
        ("每月最后一个周五", "FREQ=MONTHLY;BYDAY=-1FR"),
        ("每年1月5日", "FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=5"),
        ("每两天一次", "FREQ=DAILY;INTERVAL=2"),
        ("工作日每天早上8点", WORKDAYS + ";BYHOUR=8;BYMINUTE=0"),
        ("周一至周五早上七点", WORKDAYS + ";BYHOUR=7;BYMINUTE=0"),
        ("除了周日每天早上七点", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=7;BYMINUTE=0"),
        ("每月最后一个工作日", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
        ("每天上午九点到下午六点每隔两小时", "FREQ=DAILY;BYHOUR=9,11,13,15,17;BYMINUTE=0"),
        ("接下来三天每天早上九点", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;COUNT=3"),
        ("每15分钟", "FREQ=MINUTELY;INTERVAL=15"),
        ("每半小时", "FREQ=MINUTELY;INTERVAL=30"),
        ("每隔三小时", "FREQ=HOURLY;INTERVAL=3"),
        ("每3个月", "FREQ=MONTHLY;INTERVAL=3"),
        ("每天晚上九点，共5次", "FREQ=DAILY;BYHOUR=21;BYMINUTE=0;COUNT=5"),
        ("每天早上七点直到12月31日", "FREQ=DAILY;BYHOUR=7;BYMINUTE=0;UNTIL=20261231T235959Z"),
        ("each weekday but friday at 9", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH;BYHOUR=9;BYMINUTE=0"),
        ("semi-monthly", "FREQ=MONTHLY;BYMONTHDAY=1,15"),
        ("every friday the 13th", "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR"),
        ("every 100th day of the year", "FREQ=YEARLY;BYYEARDAY=100"),
        ("m/w/f at 5pm", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=17;BYMINUTE=0"),
        ("tu/th 7pm", "FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=19;BYMINUTE=0"),
        ("weeknights at 10", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=22;BYMINUTE=0"),
        ("at the start of each week", "FREQ=WEEKLY;BYDAY=MO"),
        ("every day from monday to friday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("every day until christmas at 7pm", "FREQ=DAILY;BYHOUR=19;BYMINUTE=0;UNTIL=20261225T190000Z"),
        ("12月1日到12月10日每天早上八点", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0;UNTIL=20261210T235959Z"),
        ("每月倒数第二个周三", "FREQ=MONTHLY;BYDAY=-2WE"),
        ("每个月第一个周一和第三个周五", "FREQ=MONTHLY;BYDAY=1MO,3FR"),
        ("每月第一个周一、最后一个周五上午九点", "FREQ=MONTHLY;BYDAY=1MO,-1FR;BYHOUR=9;BYMINUTE=0"),
        ("每月第一和第三个周二", "FREQ=MONTHLY;BYDAY=1TU,3TU"),
        ("每刻钟", "FREQ=MINUTELY;INTERVAL=15"),
        ("每逢初一十五", "LUNAR *-1,*-15"),
        ("每逢五号", "FREQ=MONTHLY;BYMONTHDAY=5"),
        ("每月前三天", "FREQ=MONTHLY;BYMONTHDAY=1,2,3"),
        ("on the 15th and the last day of each month", "FREQ=MONTHLY;BYMONTHDAY=15,-1"),
        ("the first three days of every month", "FREQ=MONTHLY;BYMONTHDAY=1,2,3"),
        ("every day of the week at 9", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("3 times a day for 5 days", "FREQ=DAILY;BYHOUR=9,12,19;BYMINUTE=0;COUNT=15"),
        ("once in two days", "FREQ=DAILY;INTERVAL=2"),
        ("semiannually on june 30", "FREQ=YEARLY;BYMONTH=6,12;BYMONTHDAY=30"),
        ("隔一天一次", "FREQ=DAILY;INTERVAL=2"),
        ("每年6月和12月的1号", "FREQ=YEARLY;BYMONTH=6,12;BYMONTHDAY=1"),
        ("每年的最后一天", "FREQ=YEARLY;BYYEARDAY=-1"),
        ("every single monday", "FREQ=WEEKLY;BYDAY=MO"),
        ("every second weekend", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU"),
        ("every day starting next monday at 8am", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0"),
        ("every day starting monday for 3 days", "FREQ=DAILY;COUNT=3"),
        ("every monday starting jan 4 for 2 weeks", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20270118T085959Z"),
        ("every first monday in june and december", "FREQ=YEARLY;BYMONTH=6,12;BYDAY=1MO"),
        ("every jan, apr, jul and oct 15", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYMONTHDAY=15"),
        ("once every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("every day, weekends excluded", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("bi-monthly", "FREQ=MONTHLY;INTERVAL=2"),
        ("every 5th day of the month", "FREQ=MONTHLY;BYMONTHDAY=5"),
        ("two days before the end of each month", "FREQ=MONTHLY;BYMONTHDAY=-3"),
        ("daily for the rest of the week", "FREQ=DAILY;UNTIL=20261122T235959Z"),
        ("the 1st to 5th of every month", "FREQ=MONTHLY;BYMONTHDAY=1,2,3,4,5"),
        ("每月1-5号", "FREQ=MONTHLY;BYMONTHDAY=1,2,3,4,5"),
        ("every month before the 15th", "FREQ=MONTHLY;BYMONTHDAY=14"),
        ("每月15日前", "FREQ=MONTHLY;BYMONTHDAY=14"),
        ("the first week of every month", "FREQ=MONTHLY;BYDAY=1MO"),
        ("每月第二周的周三", "FREQ=MONTHLY;BYDAY=2WE"),
        ("the monday before the 15th of every month", "FREQ=MONTHLY;BYMONTHDAY=8,9,10,11,12,13,14;BYDAY=MO"),
        ("the second to last business day of each month", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2"),
        ("每月倒数第二个工作日", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2"),
        ("every 5th business day", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=5"),
        ("每月首个周一", "FREQ=MONTHLY;BYDAY=1MO"),
        ("每月头一天", "FREQ=MONTHLY;BYMONTHDAY=1"),
        ("每季度第一个月5号", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYMONTHDAY=5"),
        ("每天中午和晚上八点", "FREQ=DAILY;BYHOUR=12,20;BYMINUTE=0"),
        ("every last weekday of the month", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
        ("每月6号还有21号晚上八点", "FREQ=MONTHLY;BYMONTHDAY=6,21;BYHOUR=20;BYMINUTE=0"),
        ("每周一以及周四早上七点", "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=7;BYMINUTE=0"),
        ("明后天晚上十点", "FREQ=DAILY;BYHOUR=22;BYMINUTE=0;UNTIL=20261122T235959Z"),
        ("今明后三天中午", "FREQ=DAILY;BYHOUR=12;BYMINUTE=0;UNTIL=20261122T235959Z"),
        ("today and tomorrow at 9:40", "FREQ=DAILY;BYHOUR=9;BYMINUTE=40;UNTIL=20261121T235959Z"),
        ("at 5 tomorrow and the day after", "FREQ=DAILY;BYHOUR=17;BYMINUTE=0;UNTIL=20261122T235959Z"),
        ("every hour between now and 5", "FREQ=HOURLY;UNTIL=20261120T170000Z"),
        ("every 20 minutes from now to 3pm", "FREQ=MINUTELY;INTERVAL=20;UNTIL=20261120T150000Z"),
        ("从现在到五点每小时", "FREQ=HOURLY;UNTIL=20261120T170000Z"),
        ("每月最后两天", "FREQ=MONTHLY;BYMONTHDAY=-2,-1"),
        ("每周六中午到两点每小时", "FREQ=WEEKLY;BYDAY=SA;BYHOUR=12,13,14;BYMINUTE=0"),
        ("mondays at 9, wednesdays and fridays", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=9;BYMINUTE=0"),
        ("every 15 minutes starting at 3pm for an hour", "FREQ=MINUTELY;INTERVAL=15;UNTIL=20261120T160000Z"),
        ("every 15 minutes from 3pm to 4pm tomorrow", "FREQ=MINUTELY;INTERVAL=15;UNTIL=20261121T160000Z"),
        ("every hour today", "FREQ=HOURLY;UNTIL=20261120T235959Z"),
        ("明天9点到17点每小时", "FREQ=HOURLY;UNTIL=20261121T170000Z"),
        ("tomorrow at 9 and every day after that", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("3 more times every hour", "FREQ=HOURLY;COUNT=3"),
        ("every monday through march", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20270331T225959Z"),
        ("every one minute", "FREQ=MINUTELY"),
        ("每月5号房贷", "FREQ=MONTHLY;BYMONTHDAY=5"),
        ("每月报销", "FREQ=MONTHLY"),
        ("每周一下单", "FREQ=WEEKLY;BYDAY=MO"),
        ("每周一早餐", "FREQ=WEEKLY;BYDAY=MO"),
        ("每周一季度汇报", "FREQ=WEEKLY;BYDAY=MO"),
        ("每天才艺表演", "FREQ=DAILY"),
        ("每周一开始健身", "FREQ=WEEKLY;BYDAY=MO"),
        ("工作日报名", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("every day twice", "FREQ=DAILY;BYHOUR=9,19;BYMINUTE=0"),
        ("every weekday at 9 and 3 others", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"),
        ("每月第一个和最后一个周五", "FREQ=MONTHLY;BYDAY=1FR,-1FR"),
        ("each third and fourth tuesday of month at noon", "FREQ=MONTHLY;BYDAY=3TU,4TU;BYHOUR=12;BYMINUTE=0"),
        ("every penultimate thursday in month", "FREQ=MONTHLY;BYDAY=-2TH"),
        ("every last day of month 8am", "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=8;BYMINUTE=0"),
        ("daily at 22:15 upto 5th feb", "FREQ=DAILY;BYHOUR=22;BYMINUTE=15;UNTIL=20270205T235959Z"),
        ("on the day 7 of every month", "FREQ=MONTHLY;BYMONTHDAY=7"),
        ("each month on the day 3, 21 at 8am", "FREQ=MONTHLY;BYMONTHDAY=3,21;BYHOUR=8;BYMINUTE=0"),
        ("all the days of the week at 7am", "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"),
        ("each and every monday at noon", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=12;BYMINUTE=0"),
        ("7a 1p and 9p every day", "FREQ=DAILY;BYHOUR=7,13,21;BYMINUTE=0"),
        (
            "tuesday to friday next week at 10",
            "FREQ=WEEKLY;BYDAY=TU,WE,TH,FR;BYHOUR=10;BYMINUTE=0;UNTIL=20261129T235959Z",
        ),
        ("下周二、四打球，晚上八点", "FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=20;BYMINUTE=0;UNTIL=20261129T235959Z"),
        ("each second working day of the month", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=2"),
        ("mon-fri 6am and 6pm", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=6,18;BYMINUTE=0"),
        ("周一到周五早上6点和晚上6点", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=6,18;BYMINUTE=0"),
        ("8am + 8pm every day", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"),
        ("每天早8点+晚8点", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"),
        ("8am + 8pm todos los días", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"),
        ("weekdays 0630 and 1830", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=6,18;BYMINUTE=30"),
        ("工作日0630和1830", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=6,18;BYMINUTE=30"),
        ("de lunes a viernes 0630 y 1830", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=6,18;BYMINUTE=30"),
    ],
)
def test_repetition_becomes_a_rule(read, text, rule):
    assert read(text).rrule == rule


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("10, 1, 4 and 7 every day", "10,13,16,19"),
        ("daily at 10, 1, 4 and 7", "10,13,16,19"),
        ("6, 10, 2 and 6 daily", "6,10,14,18"),
        ("8, 12 and 4pm each day", "8,12,16"),
        ("three times a day at 8, 2 and 8", "8,14,20"),
        ("twice a day at 8 and 8", "8,20"),
        ("every day at 6, 12, 6 and 12", "0,6,12,18"),
        ("每天6点10点2点6点", "6,10,14,18"),
        ("每天8点、12点和下午4点", "8,12,16"),
    ],
)
def test_hours_of_a_list_are_in_order_of_the_day(read, text, hours):
    assert read(text).rrule == f"FREQ=DAILY;BYHOUR={hours};BYMINUTE=0"


@pytest.mark.parametrize(
    "text", ["every day at 7, 7:30 and 8 in the evening", "todos los días a las 7, 7:30 y 8 de la noche"]
)
def test_part_of_the_day_holds_for_all_hours_of_a_list(read, text):
    assert read(text).rrule == "FREQ=DAILY;BYHOUR=19,20;BYMINUTE=0,30;BYSETPOS=1,2,3"


@pytest.mark.parametrize(
    ("text", "hours"), [("cada día a las 6, 10, 2 y 6", "6,10,14,18"), ("tres veces al día: 8, 14 y 20", "8,14,20")]
)
def test_hours_of_a_spanish_list_are_in_order_of_the_day(read, text, hours):
    assert read(text, language="es").rrule == f"FREQ=DAILY;BYHOUR={hours};BYMINUTE=0"


@pytest.mark.parametrize(
    ("text", "language"),
    [("tomorrow at 10, 1 and 4", "en"), ("明天10点、1点和4点", "zh"), ("mañana a las 10, 1 y 4", "es")],
)
def test_hours_of_a_single_day_are_in_order(now, text, language):
    starts = [each.best.start for each in parse_all(text, now, language=language)]

    assert [f"{start:%d %H:%M}" for start in starts] == ["21 10:00", "21 13:00", "21 16:00"]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("every day at 7am", "2026-11-21 07:00"),
        ("every day at 3pm", "2026-11-20 15:00"),
        ("every friday at 9", "2026-11-27 09:00"),
        ("every 15 minutes", "2026-11-20 10:15"),
        ("every month", "2026-12-20 09:00"),
        ("every 29 february", "2028-02-29 09:00"),
        ("every day at 8 starting next monday", "2026-11-23 08:00"),
        ("every 3 days at 7am, first time on Thursday", "2026-11-26 07:00"),
        ("every 2 weeks at 7am, the first one is this Tuesday", "2026-11-24 07:00"),
        ("每三天，今晚八点是第一次", "2026-11-20 20:00"),
        ("每三天早上七点，第一次是周四", "2026-11-26 07:00"),
        ("daily from december 1 to december 24", "2026-12-01 09:00"),
        ("从下周一开始每天早上六点", "2026-11-23 06:00"),
        ("每周五下午六点", "2026-11-20 18:00"),
    ],
)
def test_the_start_is_the_first_fire(read, text, first):
    assert f"{read(text).start:%Y-%m-%d %H:%M}" == first


@pytest.mark.parametrize("text", ["every day at 9:15am and 5:45pm", "every monday and friday at 8:30am and 6pm"])
def test_clock_times_with_different_minutes_fire_only_at_those_times(now, text):
    reading = parse(text, now).best

    rule = rrulestr(reading.rrule, dtstart=reading.start.replace(tzinfo=None))
    assert {f"{fire:%H:%M}" for fire in rule[:8]} in ({"09:15", "17:45"}, {"08:30", "18:00"})


def test_until_includes_the_named_day(read):
    reading = read("every day at 8 until sunday")

    fires = list(rrulestr(reading.rrule, dtstart=reading.start.astimezone(UTC)))
    assert [f"{fire:%a}" for fire in fires] == ["Sat", "Sun"]


@pytest.mark.parametrize("text", ["twice weekly", "every time i hear that", "每周三次"])
def test_repetition_without_definite_days_is_no_rule(now, text):
    assert parse(text, now).best is None


@pytest.mark.parametrize("text", ["every second", "every 30 seconds", "每隔10秒"])
def test_interval_below_a_minute_is_produced_only_on_request(now, text):
    assert parse(text, now).best is None
    assert parse(text, now, shortest_period=timedelta(seconds=1)).best.rrule.startswith("FREQ=SECONDLY")


def test_daily_interval_has_an_end(read):
    reading = read("every day from 3 to 4pm")

    assert reading.rrule == "FREQ=DAILY;BYHOUR=15;BYMINUTE=0"
    assert reading.end - reading.start == timedelta(hours=1)


def test_rule_that_ends_before_it_begins_is_no_rule(now):
    assert parse("every monday until tomorrow", now).best is None


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("every monday at 9 and friday at 5", ["BYDAY=MO;BYHOUR=9", "BYDAY=FR;BYHOUR=17"]),
        ("每周一9点和周五5点", ["BYDAY=MO;BYHOUR=9", "BYDAY=FR;BYHOUR=17"]),
        (
            "mondays at 9, tuesdays at 10 and fridays at 11",
            ["BYDAY=MO;BYHOUR=9", "BYDAY=TU;BYHOUR=10", "BYDAY=FR;BYHOUR=11"],
        ),
        ("工作日早上7点，周末9点", ["BYDAY=MO,TU,WE,TH,FR;BYHOUR=7", "BYDAY=SA,SU;BYHOUR=9"]),
        ("平时早上七点，周末九点叫我起床", ["BYDAY=MO,TU,WE,TH,FR;BYHOUR=7", "BYDAY=SA,SU;BYHOUR=9"]),
    ],
)
def test_further_days_of_a_weekly_rule_are_weekly(now, text, rules):
    found = [one.best.rrule for one in parse_all(text, now)]

    assert found == [f"FREQ=WEEKLY;{rule};BYMINUTE=0" for rule in rules]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("every day at 9, on weekends at 11", ["BYDAY=MO,TU,WE,TH,FR;BYHOUR=9", "BYDAY=SA,SU;BYHOUR=11"]),
        ("every day at 9 but at 11 on weekends", ["BYDAY=MO,TU,WE,TH,FR;BYHOUR=9", "BYDAY=SA,SU;BYHOUR=11"]),
        (
            "daily at 7am, Saturdays at 10 and Sundays at 11",
            ["BYDAY=MO,TU,WE,TH,FR;BYHOUR=7", "BYDAY=SA;BYHOUR=10", "BYDAY=SU;BYHOUR=11"],
        ),
        ("每天早上七点，但是周六八点", ["BYDAY=MO,TU,WE,TH,FR,SU;BYHOUR=7", "BYDAY=SA;BYHOUR=8"]),
        (
            "todos los días a las 9, los fines de semana a las 11",
            ["BYDAY=MO,TU,WE,TH,FR;BYHOUR=9", "BYDAY=SA,SU;BYHOUR=11"],
        ),
    ],
)
def test_weekdays_with_a_clock_of_their_own_are_excluded_from_a_daily_time(now, text, rules):
    found = [one.best.rrule for one in parse_all(text, now)]

    assert found == [f"FREQ=WEEKLY;{rule};BYMINUTE=0" for rule in rules]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("every morning at 9 on weekdays", ["FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"]),
        ("every day at 9 and on Sunday at 11", ["FREQ=DAILY;BYHOUR=9;BYMINUTE=0", None]),
    ],
)
def test_weekdays_with_the_daily_time_are_not_excluded(now, text, rules):
    assert [one.best.rrule for one in parse_all(text, now)] == rules


def test_date_after_a_yearly_date_is_yearly(now):
    found = [one.best.rrule for one in parse_all("yearly on aug 5 and dec 12", now)]

    assert found == ["FREQ=YEARLY;BYMONTH=8;BYMONTHDAY=5", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=12"]


@pytest.mark.parametrize("text", ["next saturday and sunday", "下周六、周日上午"])
def test_weekday_after_one_of_next_week_is_in_that_week(now, text):
    assert [one.best.start.day for one in parse_all(text, now)] == [28, 29]


def test_day_of_another_request_is_single(now):
    assert [one.best.rrule is None for one in parse_all("每周一9点提醒我开会，周五5点去接孩子", now)] == [False, True]


@pytest.mark.parametrize("text", ["every other weekday", "放假后第二个工作日交报告"])
def test_working_days_without_a_rule_are_no_time(now, text):
    assert parse(text, now).best is None


@pytest.mark.parametrize(
    "text",
    [
        "every month except december on the 1st",
        "every day except christmas",
        "daily except in july",
        "除了春节每天早上八点",
        "每天早上八点，春节除外",
        "every day except from dec 20 to 27",
    ],
)
def test_unsupported_exception_gives_no_reading(now, text):
    assert parse(text, now).best is None


@pytest.mark.parametrize("text", ["first and last day of every month", "每月第一天和最后一天"])
def test_first_and_last_days_are_one_rule(read, text):
    assert read(text).rrule == "FREQ=MONTHLY;BYMONTHDAY=1,-1"


@pytest.mark.parametrize(
    ("text", "language", "start", "rule"),
    [
        ("on Dec 3, then every 21 days, 10 in the morning", "en", "2026-12-03 10:00", "FREQ=DAILY;INTERVAL=21"),
        ("on 26 Feb, every 28 days, 11 in the morning", "en", "2027-02-26 11:00", "FREQ=DAILY;INTERVAL=28"),
        ("tomorrow at 9am and then every two weeks", "en", "2026-11-21 09:00", "FREQ=WEEKLY;INTERVAL=2"),
        ("daily 8am starting tomorrow, five days", "en", "2026-11-21 08:00", "FREQ=DAILY;COUNT=5"),
        ("6 hrly from 8pm", "en", "2026-11-20 20:00", "FREQ=HOURLY;INTERVAL=6"),
        ("all days at 3pm but no weekend", "en", "2026-11-20 15:00", WORKDAYS),
        ("el 3 de diciembre y luego cada 21 días a las 10", "es", "2026-12-03 10:00", "FREQ=DAILY;INTERVAL=21"),
        ("cada día a las 9 desde mañana, cinco días", "es", "2026-11-21 09:00", "FREQ=DAILY;COUNT=5"),
        ("tres días seguidos, desde mañana, a las 8 pm", "es", "2026-11-21 20:00", "FREQ=DAILY;COUNT=3"),
        (
            "el día 15 de los próximos tres meses a las 13:00",
            "es",
            "2026-12-15 13:00",
            "FREQ=MONTHLY;BYMONTHDAY=15;COUNT=3",
        ),
        ("todos los días 1 de mes a las 10 de la mañana", "es", "2026-12-01 10:00", "FREQ=MONTHLY;BYMONTHDAY=1"),
        ("cada día 8 de mes a las 10 de la mañana", "es", "2026-12-08 10:00", "FREQ=MONTHLY;BYMONTHDAY=8"),
        ("domingos alternos a las 21:00", "es", "2026-11-22 21:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU"),
        ("c/lunes 8:45am", "es", "2026-11-23 08:45", "FREQ=WEEKLY;BYDAY=MO"),
        ("los días de colegio a las 8:20 de la mañana", "es", "2026-11-23 08:20", WORKDAYS),
        ("六点开始，每隔四个小时", "zh", "2026-11-20 18:00", "FREQ=HOURLY;INTERVAL=4"),
        ("每季度末月20日上午10点", "zh", "2026-12-20 10:00", "FREQ=YEARLY;BYMONTH=3,6,9,12;BYMONTHDAY=20"),
        ("每周末（六日）早上八点半", "zh", "2026-11-21 08:30", "FREQ=WEEKLY;BYDAY=SA,SU"),
        ("每个拜五下午5点", "zh", "2026-11-20 17:00", "FREQ=WEEKLY;BYDAY=FR"),
    ],
)
def test_separated_parts_of_a_rule_are_one_repetition(now, text, language, start, rule):
    found = parse_all(text, now, language=language)

    assert [(f"{each.best.start:%Y-%m-%d %H:%M}", _remove_clock(each.best.rrule)) for each in found] == [(start, rule)]
    assert not found[0].ambiguous


@pytest.mark.parametrize(
    ("text", "language", "hours"),
    [
        ("every 3 hours from 8am to 8pm every day", "en", "8,11,14,17,20"),
        ("cada 3 horas de 8 de la mañana a 8 de la noche todos los días", "es", "8,11,14,17,20"),
        ("每隔三个小时，早8点到晚8点，每天", "zh", "8,11,14,17,20"),
    ],
)
def test_interval_between_two_hours_is_read(now, text, language, hours):
    found = parse_all(text, now, language=language)

    assert [each.best.rrule for each in found] == [f"FREQ=DAILY;BYHOUR={hours};BYMINUTE=0"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("every Tuesday and Thursday from Jan 5 through Feb 11 at half past six pm", "en"),
        ("todos los martes y jueves desde el 5 de enero hasta el 11 de febrero a las seis y media de la tarde", "es"),
        ("1月5号到2月11号，每周二和周四下午六点半", "zh"),
    ],
)
def test_days_start_end_and_clock_time_are_one_repetition(now, text, language):
    (found,) = parse_all(text, now, language=language)

    assert f"{found.best.start:%Y-%m-%d %H:%M}" == "2027-01-05 18:30"
    assert found.best.rrule.startswith("FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=18;BYMINUTE=30;UNTIL=20270211T")


def test_duration_before_a_recurring_time_is_not_its_length(now):
    found = parse_all("every 28th, two days before", now, language="en")

    assert [each.best.rrule for each in found] == ["FREQ=MONTHLY;BYMONTHDAY=28"]


def _remove_clock(rule):
    return ";".join(part for part in rule.split(";") if not part.startswith(("BYHOUR=", "BYMINUTE=")))


@pytest.mark.parametrize(
    "text",
    [
        "every 99th at 9",
        "the 100th day of every month",
        "every 31st of february and april",
        "every 50th of march",
        "the 99th weekday of every month",
        "every 400th day of the year",
    ],
)
def test_days_that_do_not_exist_are_searched_in_bounded_time(now, text):
    start = time.process_time()
    parse_all(text, now)

    assert time.process_time() - start < 1


@pytest.mark.parametrize("text", ["the 9th monday of every month", "每月第九个周一"])
def test_weekday_that_no_month_has_is_not_the_first_fire(now, text):
    for found in parse_all(text, now):
        assert "9MO" not in (found.best.rrule or "")


@pytest.mark.parametrize(("text", "hours"), [("every wednesday at 9", [9, 21]), ("每周三三点", [15, 3])])
def test_repeated_clock_without_half_of_day_has_both_and_is_not_asked_about(now, text, hours):
    [expression] = parse_all(text, now)

    assert [each.start.hour for each in expression.readings] == hours
    assert not expression.ambiguous
