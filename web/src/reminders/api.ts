import type { Reminder } from '../wire/frames'
import { ask, withQuery } from '../wire/rest'

export interface Viewpoint {
  session_id: string
  name: string
}

async function fetchOf(viewpoint: Viewpoint, state: string): Promise<Reminder[]> {
  const path = withQuery('/api/reminders', { session_id: viewpoint.session_id, state })
  return (await ask<{ reminders: Reminder[] }>(path)).reminders
}

/** The open reminders of the room, soonest first, and then those that are over. */
export async function fetchReminders(viewpoint: Viewpoint): Promise<Reminder[]> {
  const [open, over] = await Promise.all([fetchOf(viewpoint, ''), fetchOf(viewpoint, 'done')])
  return [...open, ...over]
}

/** A new secret address of this room's calendar. */
export async function makeFeed(viewpoint: Viewpoint): Promise<string> {
  const path = withQuery('/api/reminders/feed', { session_id: viewpoint.session_id })
  return (await ask<{ url: string }>(path, { method: 'POST' })).url
}

const at = (id: string, verb: string, viewpoint: Viewpoint) =>
  withQuery(`/api/reminders/${encodeURIComponent(id)}${verb}`, { ...viewpoint })

/** What sets a reminder: words, or the fields that a choice of the bot has. */
export type NewReminder = { text: string } | Record<string, unknown>

/** One answer to the bot's question which time was meant. */
export interface TimeChoice {
  label: string
  body: NewReminder
}

/** Set a reminder. Throws `Refused`; the body of a question (409) has `choices`. */
export function createReminder(viewpoint: Viewpoint, body: NewReminder): Promise<Reminder> {
  return ask(withQuery('/api/reminders', { ...viewpoint }), { method: 'POST', body })
}

/** One time of a reminder, in UTC. */
export interface Occurrence {
  reminder_id: string
  text: string
  at: string
  is_sent: boolean
}

/** The occurrences of a range; `is_complete` is false where there are too many, `tz` is the zone of the person. */
export interface Occurrences {
  occurrences: Occurrence[]
  is_complete: boolean
  tz: string
}

export function fetchOccurrences(viewpoint: Viewpoint, since: string, until: string): Promise<Occurrences> {
  return ask(withQuery('/api/reminders/occurrences', { ...viewpoint, since, until }))
}

/** A reminder as the bot reads its words; `due_at` is null where no time is certain, `choices` are those that may be meant. */
export interface Preview {
  text: string
  due_at: string | null
  repeat_words: Record<string, string>
  detail: string
  choices: TimeChoice[]
}

/** Read words as a reminder without setting it. */
export function previewReminder(viewpoint: Viewpoint, text: string, signal: AbortSignal): Promise<Preview> {
  return ask(withQuery('/api/reminders/preview', { ...viewpoint }), { method: 'POST', body: { text }, signal })
}

/** A reminder after a change, which `undoChange` takes back by its id. */
export type Changed = Reminder & { change_id: string | null }

/** What is to be different; `occurrence` is the day of the one occurrence that moves. */
export interface Change {
  text?: string
  time?: string
  occurrence?: string
}

export function editReminder(viewpoint: Viewpoint, id: string, change: Change): Promise<Changed> {
  return ask(at(id, '', viewpoint), { method: 'PATCH', body: change })
}

export function undoChange(viewpoint: Viewpoint, changeId: string): Promise<unknown> {
  return ask(withQuery('/api/reminders/undo', { ...viewpoint, change_id: changeId }), { method: 'POST', body: {} })
}

export function snoozeReminder(viewpoint: Viewpoint, id: string, minutes: number): Promise<Changed> {
  return ask(at(id, '/snooze', viewpoint), { method: 'POST', body: { minutes } })
}

export function pauseReminder(viewpoint: Viewpoint, id: string, verb: 'pause' | 'resume'): Promise<Changed> {
  return ask(at(id, `/${verb}`, viewpoint), { method: 'POST', body: {} })
}

export function deleteReminder(viewpoint: Viewpoint, id: string): Promise<Changed> {
  return ask(at(id, '', viewpoint), { method: 'DELETE' })
}

export function restoreReminder(viewpoint: Viewpoint, id: string): Promise<Reminder> {
  return ask(at(id, '/restore', viewpoint), { method: 'POST', body: {} })
}
