import { localeOf, type Language } from '../language/language'
import { fill, type Words } from '../language/words'

function made(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(localeOf(language).dates, options)
}

/** The clock time, 14:05. */
export function clockTime(at: string | number | Date, language: Language): string {
  return made(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(at))
}

/** Weekday, date, clock time and zone, for tooltips. */
export function wholeTime(at: string | number | Date, language: Language): string {
  return made(language, { dateStyle: 'full', timeStyle: 'long' }).format(new Date(at))
}

/** Date and clock time as short as is clear: only the clock time for today. */
export function shortTime(at: string | number | Date, language: Language, now = Date.now()): string {
  const date = new Date(at)
  if (isSameDay(date, new Date(now))) return clockTime(date, language)
  const options: Intl.DateTimeFormatOptions = { weekday: 'short', day: 'numeric', month: 'short' }
  return `${made(language, options).format(date)} ${clockTime(date, language)}`
}

/** Date and clock time on the clocks of `zone`, as the bot reads them: 2026-11-30 08:00. */
export function wallTime(at: string | number | Date, zone: string): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'short', timeStyle: 'short', timeZone: zone }
  return new Intl.DateTimeFormat('sv-SE', options).format(new Date(at))
}

/** A day as a line in the chat: today, yesterday, or the date. */
export function dayName(at: string, words: Words, language: Language, now = Date.now()): string {
  const date = new Date(at)
  if (isSameDay(date, new Date(now))) return words.room.today
  if (isSameDay(date, new Date(now - 86_400_000))) return words.room.yesterday
  return longDate(date, language)
}

/** Weekday and date in full. */
export function longDate(at: string | number | Date, language: Language): string {
  return made(language, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(new Date(at))
}

export function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString()
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
