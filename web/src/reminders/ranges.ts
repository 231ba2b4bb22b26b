import dayjs, { type Dayjs } from 'dayjs'
import { dateIn, instantAt } from '../format/time'
import type { View } from './Reminders'

const AGENDA_DAYS = 30

/** The days that a view of `date` shows, as instants: those of the neighbouring months in the grid of a month included. */
export function rangeOf(view: Exclude<View, 'list'>, date: string, zone: string): { since: string; until: string } {
  const today = dayjs(dateIn(Date.now(), zone))
  const day = dayjs(date).startOf('day')
  const [since, until] = {
    day: () => [day, day.add(1, 'day')] as const,
    week: () => [day.subtract(7, 'day'), day.add(8, 'day')] as const,
    month: () => [day.startOf('month').subtract(7, 'day'), day.startOf('month').add(1, 'month').add(14, 'day')] as const,
    agenda: () => [today, today.add(AGENDA_DAYS, 'day')] as const,
  }[view]()
  const instant = (midnight: Dayjs) => instantAt(midnight.format('YYYY-MM-DD HH:mm'), zone).toISOString()
  return { since: instant(since), until: instant(until) }
}
