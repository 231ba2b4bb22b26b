import { ActionIcon, Button, Group } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import dayjs from 'dayjs'
import { Fragment, type ReactNode } from 'react'
import { useClock } from '../format/clock'
import { clockTime, dateIn, dateSpan, isSameDay, longDate } from '../format/time'
import { useWords } from '../language/language'
import type { Occurrence } from './api'

/** The coming days as a list, day by day. */
export function Agenda({ occurrences, onPick }: { occurrences: Occurrence[]; onPick: (one: Occurrence) => void }): ReactNode {
  const words = useWords()
  const clock = useClock()
  if (!occurrences.length) return <p className="nothing">{words.reminders.nothingPlanned}</p>
  return (
    <ul className="agenda">
      {occurrences.map((one, at) => {
        const before = occurrences[at - 1]
        const isNewDay = !before || !isSameDay(before.at, one.at, clock)
        return (
          <Fragment key={`${one.reminder_id} ${one.at}`}>
            {isNewDay && <li className="agenda-day">{longDate(one.at, clock)}</li>}
            <li>
              <button type="button" className="agenda-line" data-occurrence={one.reminder_id} data-sent={one.is_sent || undefined} onClick={() => onPick(one)}>
                <time className="event-time figures" dateTime={one.at}>
                  {clockTime(one.at, clock)}
                </time>
                <bdi>{one.text}</bdi>
                {one.is_sent && <span className="muted">{words.reminders.sent}</span>}
              </button>
            </li>
          </Fragment>
        )
      })}
    </ul>
  )
}

interface WeekProps {
  occurrences: Occurrence[]
  /** A day of the week that is shown, as YYYY-MM-DD. */
  date: string
  onDate: (date: string) => void
  onPick: (one: Occurrence) => void
}

/** A week as a list, for screens that are too narrow for seven columns. */
export function WeekList({ occurrences, date, onDate, onPick }: WeekProps): ReactNode {
  const { calendar } = useWords().reminders
  const clock = useClock()
  const { language, zone } = clock
  const begin = dayjs(date).locale(language).startOf('week')
  const end = begin.add(7, 'day')
  const go = (weeks: number) => onDate(begin.add(weeks, 'week').format('YYYY-MM-DD'))
  const isInWeek = ({ at }: Occurrence) => {
    const day = dayjs(dateIn(at, zone))
    return !day.isBefore(begin) && day.isBefore(end)
  }
  return (
    <>
      <Group gap={4} p={8} wrap="nowrap">
        <ActionIcon variant="default" size={44} aria-label={calendar.previous} onClick={() => go(-1)}>
          <IconChevronLeft size={18} aria-hidden="true" />
        </ActionIcon>
        <ActionIcon variant="default" size={44} aria-label={calendar.next} onClick={() => go(1)}>
          <IconChevronRight size={18} aria-hidden="true" />
        </ActionIcon>
        <strong className="week-name" aria-live="polite">
          {dateSpan(begin.toDate(), end.subtract(1, 'day').toDate(), clock)}
        </strong>
        <Button variant="default" h={44} ml="auto" onClick={() => onDate(dateIn(Date.now(), zone))}>
          {calendar.today}
        </Button>
      </Group>
      <Agenda occurrences={occurrences.filter(isInWeek)} onPick={onPick} />
    </>
  )
}
