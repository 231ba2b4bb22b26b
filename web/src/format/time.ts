import { localeOf } from '../language/language'
import { fill, type Words } from '../language/words'
import { isKnownZone, zoneLabel, type Clock } from './clock'

const DAY_MS = 86_400_000

// To make one takes a hundred times as long as to use it, and a long room needs four for each message.
const formats = new Map<string, Intl.DateTimeFormat>()

function format(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options])
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  formats.set(key, known)
  return known
}

function made({ language, zone }: Clock, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return format(localeOf(language).dates, { ...options, timeZone: zone })
}

/** The clock time, 14:05. */
export function clockTime(at: string | number | Date, clock: Clock): string {
  return made(clock, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(at))
}

/** Weekday, date, clock time and zone, for tooltips. */
export function wholeTime(at: string | number | Date, clock: Clock): string {
  return made(clock, { dateStyle: 'full', timeStyle: 'long' }).format(new Date(at))
}

/** Date and clock time as short as is clear: only the clock time for today. */
export function shortTime(at: string | number | Date, clock: Clock, now = Date.now()): string {
  const date = new Date(at)
  if (isSameDay(date, now, clock)) return clockTime(date, clock)
  const options: Intl.DateTimeFormatOptions = { weekday: 'short', day: 'numeric', month: 'short' }
  return `${made(clock, options).format(date)} ${clockTime(date, clock)}`
}

/** Date and clock time on the clocks of `zone`, as the bot reads them: 2026-11-30 08:00. */
export function wallTime(at: string | number | Date, zone: string): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'short', timeStyle: 'short', timeZone: zone }
  return format('sv-SE', options).format(new Date(at))
}

/** A day as a line in the chat: today, yesterday, or the date. */
export function dayName(at: string, words: Words, clock: Clock, now = Date.now()): string {
  if (isSameDay(at, now, clock)) return words.room.today
  // The day before by the calendar: a day on which clocks change has not 24 hours.
  const yesterday = new Date(Date.parse(dateIn(now, clock.zone)) - DAY_MS).toISOString().slice(0, 10)
  if (dateIn(at, clock.zone) === yesterday) return words.room.yesterday
  return longDate(at, clock)
}

/** Weekday and date in full. */
export function longDate(at: string | number | Date, clock: Clock): string {
  return made(clock, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(new Date(at))
}

/** From one date to another, on the clocks of the viewer: 23–29 Nov 2026. */
export function dateSpan(from: Date, to: Date, { language }: Pick<Clock, 'language'>): string {
  return new Intl.DateTimeFormat(localeOf(language).dates, { day: 'numeric', month: 'short', year: 'numeric' }).formatRange(from, to)
}

export function isSameDay(one: string | number | Date, other: string | number | Date, { zone }: Clock): boolean {
  return dateIn(one, zone) === dateIn(other, zone)
}

/** The date in `zone`: 2026-11-30. */
export function dateIn(at: string | number | Date, zone: string): string {
  return wallTime(at, zone).slice(0, 10)
}

/** Whether clocks in both zones show the same, now and in summer and winter. */
export function isSameZone(one: string, other: string): boolean {
  const year = new Date().getFullYear()
  const times = [Date.now(), Date.UTC(year, 0, 1), Date.UTC(year, 6, 1)]
  return one === other || times.every((at) => wallTime(at, one) === wallTime(at, other))
}

/** The time on the clocks of `zone` with its name, where they show another than the viewer's: 09:00 (Europe/Madrid). */
export function timeElsewhere(at: string, zone: string, clock: Clock): string | null {
  if (!isKnownZone(zone) || wallTime(at, zone) === wallTime(at, clock.zone)) return null
  const there = { ...clock, zone }
  const isOtherDay = dateIn(at, zone) !== dateIn(at, clock.zone)
  return `${isOtherDay ? shortTime(at, there) : clockTime(at, there)} (${zoneLabel(zone)})`
}

/** The first instant at which clocks in `zone` show `wall` (YYYY-MM-DD HH:mm); one that is skipped there counts on. */
export function instantAt(wall: string, zone: string): Date {
  const utc = Date.parse(`${wall.replace(' ', 'T')}Z`)
  const offset = (at: number) => Date.parse(`${wallTime(at, zone).replace(' ', 'T')}Z`) - at
  const [before, after] = [utc - offset(utc - DAY_MS), utc - offset(utc + DAY_MS)]
  return new Date(wallTime(before, zone) !== wall && wallTime(after, zone) === wall ? after : before)
}

/** A span in its greatest unit, rounded up, so that a countdown never shows 0 before its time: 21m, 3h. */
export function spanShort(milliseconds: number, words: Words): string {
  const seconds = Math.ceil(Math.max(0, milliseconds) / 1000)
  if (seconds < 60) return fill(words.units.seconds, { n: seconds })
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return fill(words.units.minutes, { n: minutes })
  const hours = Math.round(minutes / 60)
  return hours < 48 ? fill(words.units.hours, { n: hours }) : fill(words.units.days, { n: Math.round(hours / 24) })
}

/** A duration of machines: 601 ms, 12.3 s, 4 m. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`
  return `${Math.round(milliseconds / 60_000)} min`
}

/** How late something was, honestly: +34 ms, +2.1 s, +3 h. */
export function lateness(milliseconds: number): string {
  if (milliseconds < 3_600_000) return `+${duration(milliseconds)}`
  return `+${Math.round(milliseconds / 3_600_000)} h`
}
