import '@mantine/dates/styles.layer.css'
import '@mantine/schedule/styles.layer.css'
import { Schedule, type ScheduleEventData, type ScheduleLabelsOverride } from '@mantine/schedule'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import dayjs, { type Dayjs } from 'dayjs'
import { useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react'
import { useClock, useZone } from '../format/clock'
import { clockTime, dateIn, dateSpan, instantAt, shortTime, wallTime } from '../format/time'
import { localeOf, useWords, type Language } from '../language/language'
import { plural, type Words } from '../language/words'
import { Answer } from '../shell/Answer'
import type { Reminder } from '../wire/frames'
import { Agenda, WeekList } from './Agenda'
import { fetchOccurrences, type Occurrence } from './api'
import { rangeOf } from './ranges'
import type { View } from './Reminders'
import { useReminderActions, useViewpoint } from './useReminderActions'

// A reminder has no length; this is only how high its label is in a grid of hours.
const LABEL_MINUTES = 30
const HOURS_BEFORE = 2
// The views are chosen above, together with the list.
const NO_SELECT = { viewSelectProps: { style: { display: 'none' } } }
const HOUR_OF_A_DAY = 9
const WALL = 'YYYY-MM-DD HH:mm'
const FORM = 'YYYY-MM-DD HH:mm:ss'

// The present of the calendar's date library, and so its "today", is that of the clocks in the zone of the page.
interface Parsed {
  parse: (given: { date?: unknown }) => void
}
dayjs.extend((_, { prototype }) => {
  const { parse } = prototype as unknown as Parsed
  ;(prototype as unknown as Parsed).parse = function (given) {
    const now = () => wallTime(Date.now(), useZone.getState().zone)
    parse.call(this, given.date === undefined ? { ...given, date: now() } : given)
  }
})

/** An occurrence as the calendar draws it: a label that begins at its time and ends before midnight. */
function eventOf(one: Occurrence, zone: string): ScheduleEventData {
  const start = dayjs(wallTime(one.at, zone))
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

function labelsOf({ reminders: { calendar, day, week, month, agenda, view, empty } }: Words): ScheduleLabelsOverride {
  const { moreLabel, dayFormat: _day, monthFormat: _month, ...labels } = calendar
  return {
    ...labels, day, week, month, agenda, noEvents: empty, viewSelectLabel: view, switchToDayView: day, switchToWeekView: week,
    switchToMonthView: month, switchToYearView: calendar.year, moreLabel: (count) => plural(moreLabel, count),
  }
}

/** The grid of hours, which begins a little before the present hour in `zone`. */
function hoursIn(zone: string) {
  const first = Math.max(0, dayjs(wallTime(Date.now(), zone)).hour() - HOURS_BEFORE)
  return {
    ...NO_SELECT,
    withAllDaySlots: false,
    slotHeight: 48,
    startScrollTime: `${String(first).padStart(2, '0')}:00:00`,
    scrollAreaProps: { mah: 560 },
  }
}

/** Tell the calendar's date library the names of days and months, which the browser knows in every language. */
function defineDates(language: Language): void {
  const names = (options: Intl.DateTimeFormatOptions, dates: Date[]) => {
    const form = new Intl.DateTimeFormat(localeOf(language).dates, options)
    return dates.map((date) => form.format(date))
  }
  const days = Array.from({ length: 7 }, (_, at) => new Date(2023, 0, 1 + at)) // a Sunday first
  const months = Array.from({ length: 12 }, (_, at) => new Date(2023, at, 1))
  const locale: Partial<ILocale> & { name: string } = {
    name: language,
    weekdays: names({ weekday: 'long' }, days),
    weekdaysShort: names({ weekday: 'short' }, days),
    weekdaysMin: names({ weekday: 'narrow' }, days),
    months: names({ month: 'long' }, months),
    monthsShort: names({ month: 'short' }, months),
    weekStart: 1,
    ordinal: (n: number) => n,
  }
  dayjs.locale(locale as ILocale, undefined, true)
}

function EventBody({ event }: { event: ScheduleEventData }): ReactNode {
  const words = useWords()
  const clock = useClock()
  const one = event.payload as Occurrence
  return (
    <span className="event-body" data-sent={one.is_sent || undefined}>
      <span className="event-time figures">{clockTime(one.at, clock)}</span> <bdi>{one.text}</bdi>
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
  /** Called with the time of a new reminder, as the bot reads it. */
  onAdd: (time: string) => void
}

/** The reminders by their times: every occurrence of the range that is shown. */
export function Calendar({ reminders, isWhole, view, onPick, onAdd }: CalendarProps): ReactNode {
  const clock = useClock()
  const words = useWords()
  const labels = labelsOf(words)
  const { move } = useReminderActions()
  const viewpoint = useViewpoint()
  const [picked, setDate] = useState<string | null>(null)
  const date = picked ?? dateIn(Date.now(), clock.zone)
  const isPhone = useMediaQuery('(max-width: 640px)', false, { getInitialValueInEffect: false })
  const isLow = useMediaQuery('(max-height: 920px)', false, { getInitialValueInEffect: false })
  const box = useRef<HTMLDivElement>(null)
  useDayNames(box)
  const { since, until } = rangeOf(view, date, clock.zone)
  const query = useQuery({
    queryKey: ['reminders', 'occurrences', view, viewpoint, since, until],
    queryFn: () => fetchOccurrences(viewpoint, since, until),
    // While another week loads, the grid stays; another view begins empty.
    placeholderData: (before, asked) => (asked?.queryKey[2] === view ? before : undefined),
  })
  const byId = new Map(reminders.map((one) => [one.id, one]))
  const openOf = (one: Occurrence): Reminder | null => {
    const reminder = byId.get(one.reminder_id)
    return reminder && (reminder.status === 'active' || reminder.status === 'paused') ? reminder : null
  }
  const pick = (one: Occurrence) => {
    const reminder = openOf(one)
    if (reminder) onPick(reminder)
  }
  const drop = (one: Occurrence, at: Date, zone: string) => {
    const reminder = openOf(one)
    if (!reminder || at.getTime() === Date.parse(one.at)) return
    const occurrence = reminder.repeat ? { occurrence: wallTime(one.at, zone).slice(0, 10) } : {}
    void move(reminder, { time: wallTime(at, zone), ...occurrence }, shortTime(at, clock))
  }
  useMemo(() => defineDates(clock.language), [clock.language])
  const hours = useMemo(() => hoursIn(clock.zone), [clock.zone])
  const { dayFormat, monthFormat } = words.reminders.calendar
  const weekLabel = ({ weekStart, weekEnd }: { weekStart: string; weekEnd: string }) =>
    dateSpan(dayjs(weekStart).toDate(), dayjs(weekEnd).toDate(), clock)
  const instantOf = (wall: Dayjs) => instantAt(wall.format(WALL), clock.zone)
  const renderEventBody = (event: ScheduleEventData) => <EventBody event={event} />
  return (
    <div className="calendar card" data-view={view} ref={box}>
      <Answer query={query}>
        {({ occurrences, is_complete, tz }) => {
          const shown = occurrences.filter((one) => byId.has(one.reminder_id) || (isWhole && one.is_sent))
          return (
            <>
              {!is_complete && <p role="status">{words.reminders.notAll}</p>}
              {view === 'agenda' ? (
                <Agenda occurrences={shown} onPick={pick} />
              ) : view === 'week' && isPhone ? (
                <WeekList occurrences={shown} date={date} onDate={setDate} onPick={pick} />
              ) : (
                <Schedule
                  events={shown.map((one) => eventOf(one, clock.zone))}
                  labels={labels}
                  locale={clock.language}
                  renderEventBody={renderEventBody}
                  onEventClick={(event) => pick(event.payload as Occurrence)}
                  withEventsDragAndDrop
                  canDragEvent={(event) => !(event.payload as Occurrence).is_sent && openOf(event.payload as Occurrence) !== null}
                  onEventDrop={({ event, newStart }) => drop(event.payload as Occurrence, instantOf(dayjs(newStart)), tz)}
                  onTimeSlotClick={({ slotStart }) => onAdd(wallTime(instantOf(dayjs(slotStart)), tz))}
                  onDayClick={(day) => onAdd(wallTime(instantOf(dayjs(day).hour(HOUR_OF_A_DAY)), tz))}
                  view={view}
                  onViewChange={() => undefined}
                  date={date}
                  onDateChange={setDate}
                  dayViewProps={{ ...hours, headerFormat: dayFormat }}
                  weekViewProps={{ ...hours, renderWeekLabel: weekLabel }}
                  monthViewProps={{ ...NO_SELECT, maxEventsPerDay: isPhone || isLow ? 1 : 2, monthYearSelectProps: { labelFormat: monthFormat } }}
                />
              )}
            </>
          )
        }}
      </Answer>
    </div>
  )
}
