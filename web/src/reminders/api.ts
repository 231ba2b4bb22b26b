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

export function createReminder(viewpoint: Viewpoint, text: string): Promise<Reminder> {
  return ask(withQuery('/api/reminders', { ...viewpoint }), { method: 'POST', body: { text } })
}

export function editReminder(viewpoint: Viewpoint, id: string, change: { text?: string; time?: string }): Promise<Reminder> {
  return ask(at(id, '', viewpoint), { method: 'PATCH', body: change })
}

export function snoozeReminder(viewpoint: Viewpoint, id: string, minutes: number): Promise<Reminder> {
  return ask(at(id, '/snooze', viewpoint), { method: 'POST', body: { minutes } })
}

export function pauseReminder(viewpoint: Viewpoint, id: string, verb: 'pause' | 'resume'): Promise<Reminder> {
  return ask(at(id, `/${verb}`, viewpoint), { method: 'POST', body: {} })
}

export function deleteReminder(viewpoint: Viewpoint, id: string): Promise<unknown> {
  return ask(at(id, '', viewpoint), { method: 'DELETE' })
}

export function restoreReminder(viewpoint: Viewpoint, id: string): Promise<Reminder> {
  return ask(at(id, '/restore', viewpoint), { method: 'POST', body: {} })
}
