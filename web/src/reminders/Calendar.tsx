import '@mantine/dates/styles.layer.css'
import '@mantine/schedule/styles.layer.css'
import 'dayjs/locale/zh-cn'
import { Schedule, type ScheduleEventData, type ScheduleLabelsOverride } from '@mantine/schedule'
import { useQuery } from '@tanstack/react-query'
import dayjs from 'dayjs'
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { clockTime } from '../format/time'
import { useLanguage, useWords } from '../language/language'
import { Answer } from '../shell/Answer'
import type { Reminder } from '../wire/frames'
import { Agenda } from './Agenda'
import { fetchOccurrences, type Occurrence } from './api'
import { rangeOf } from './ranges'
import type { View } from './Reminders'
import { useViewpoint } from './useReminderActions'

// A reminder has no length; this is only how high its label is in a grid of hours.
const LABEL_MINUTES = 30
const HOURS_BEFORE = 2
// The views are chosen above, together with the list.
const NO_SELECT = { viewSelectProps: { style: { display: 'none' } } }
const HOURS = {
  ...NO_SELECT,
  withAllDaySlots: false,
  slotHeight: 48,
  startScrollTime: `${String(Math.max(0, dayjs().hour() - HOURS_BEFORE)).padStart(2, '0')}:00:00`,
  scrollAreaProps: { mah: 560 },
}
// The calendar's own forms put Chinese dates together as English ones: "十一月 21, 2026".
const CHINESE = {
  day: { headerFormat: 'YYYY年M月D日 dddd' },
  week: { weekLabelFormat: 'M月D日' },
  month: { monthYearSelectProps: { labelFormat: 'YYYY年M月' } },
}
const FORM = 'YYYY-MM-DD HH:mm:ss'

/** An occurrence as the calendar draws it: a label that begins at its time and ends before midnight. */
function eventOf(one: Occurrence): ScheduleEventData {
  const start = dayjs(one.at)
  const wanted = start.add(LABEL_MINUTES, 'minute')
  const end = wanted.isSame(start, 'day') ? wanted : start.endOf('day')
  return {
    id: `${one.reminder_id} ${one.at}`,
    title: one.text,
    start: start.format(FORM),
    end: end.format(FORM),
    color: one.is_sent ? 'gray' : 'amber',
    payload: one,
  }
}

function useLabels(): ScheduleLabelsOverride {
  const language = useLanguage((state) => state.language)
  const words = useWords()
  if (language === 'en') return { agenda: words.reminders.agenda }
  return {
    day: '日', week: '周', month: '月', year: '年', allDay: '全天', weekday: '星期', timeSlot: '时段', today: '今天', next: '下一个',
    previous: '上一个', more: '更多', selectMonth: '选择月份', selectYear: '选择年份', switchToDayView: '日视图',
    switchToWeekView: '周视图', switchToMonthView: '月视图', switchToYearView: '年视图', viewSelectLabel: '视图',
    noEvents: '没有提醒', moreLabel: (count) => `还有 ${count} 条`, agenda: '日程',
  }
}

function EventBody({ event }: { event: ScheduleEventData }): ReactNode {
  const words = useWords()
  const language = useLanguage((state) => state.language)
  const one = event.payload as Occurrence
  return (
    <span className="event-body" data-sent={one.is_sent || undefined}>
      <span className="event-time figures">{clockTime(one.at, language)}</span> <bdi>{one.text}</bdi>
      {one.is_sent && <span className="unseen"> {words.reminders.sent}</span>}
    </span>
  )
}

/** Let the days of a week be named by what they show: the calendar names them "Weekday 2026-11-23". */
function useDayNames(box: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    for (const day of box.current?.querySelectorAll('.mantine-WeekView-weekViewDayLabel') ?? []) day.removeAttribute('aria-label')
  })
}

interface CalendarProps {
  reminders: Reminder[]
  /** Whether `reminders` are all of the room, so that delivered ones that are older than the list are shown too. */
  isWhole: boolean
  view: Exclude<View, 'list'>
  onPick: (reminder: Reminder) => void
}

/** The reminders by their times: every occurrence of the range that is shown. */
export function Calendar({ reminders, isWhole, view, onPick }: CalendarProps): ReactNode {
  const language = useLanguage((state) => state.language)
  const words = useWords()
  const labels = useLabels()
  const viewpoint = useViewpoint()
  const [date, setDate] = useState(() => dayjs().format('YYYY-MM-DD'))
  const box = useRef<HTMLDivElement>(null)
  useDayNames(box)
  const { since, until } = rangeOf(view, date)
  const query = useQuery({
    queryKey: ['reminders', 'occurrences', view, viewpoint, since, until],
    queryFn: () => fetchOccurrences(viewpoint, since, until),
    // While another week loads, the grid stays; another view begins empty.
    placeholderData: (before, asked) => (asked?.queryKey[2] === view ? before : undefined),
  })
  const byId = new Map(reminders.map((one) => [one.id, one]))
  const pick = (one: Occurrence) => {
    const reminder = byId.get(one.reminder_id)
    if (reminder && (reminder.status === 'active' || reminder.status === 'paused')) onPick(reminder)
  }
  const forms = language === 'zh' ? CHINESE : { day: {}, week: {}, month: {} }
  const renderEventBody = (event: ScheduleEventData) => <EventBody event={event} />
  return (
    <div className="calendar card" data-view={view} ref={box}>
      <Answer query={query}>
        {({ occurrences, is_complete }) => {
          const shown = occurrences.filter((one) => byId.has(one.reminder_id) || (isWhole && one.is_sent))
          return (
            <>
              {!is_complete && <p role="status">{words.reminders.notAll}</p>}
              {view === 'agenda' ? (
                <Agenda occurrences={shown} onPick={pick} />
              ) : (
                <Schedule
                  events={shown.map(eventOf)}
                  labels={labels}
                  locale={language === 'zh' ? 'zh-cn' : 'en'}
                  renderEventBody={renderEventBody}
                  onEventClick={(event) => pick(event.payload as Occurrence)}
                  view={view}
                  onViewChange={() => undefined}
                  date={date}
                  onDateChange={setDate}
                  dayViewProps={{ ...HOURS, ...forms.day }}
                  weekViewProps={{ ...HOURS, ...forms.week }}
                  monthViewProps={{ ...NO_SELECT, ...forms.month }}
                />
              )}
            </>
          )
        }}
      </Answer>
    </div>
  )
}
