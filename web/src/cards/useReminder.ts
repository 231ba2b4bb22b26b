/** Reminders of cards, those that are over too: asked for together, once. */

import { useEffect } from 'react'
import { useRoom } from '../room/store'
import type { Reminder } from '../wire/frames'
import { ask } from '../wire/rest'

const GATHER_MS = 60
const MAX_REMINDERS = 100

const wanted = new Set<string>()
const asked = new Set<string>()
let timer = 0

async function fetchWanted(): Promise<void> {
  const { identity } = useRoom.getState()
  const ids = [...wanted].slice(0, MAX_REMINDERS)
  for (const id of ids) wanted.delete(id)
  timer = wanted.size ? window.setTimeout(() => void fetchWanted(), GATHER_MS) : 0
  if (!identity || !ids.length) return
  const query = new URLSearchParams([['session_id', identity.room], ...ids.map((id) => ['ids', id])])
  try {
    const { reminders } = await ask<{ reminders: Reminder[] }>(`/api/reminders?${query}`)
    const room = useRoom.getState()
    if (room.identity === identity) room.learnReminders(reminders)
  } catch {
    asked.clear()
  }
}

/** The reminder with this id as the room knows it; undefined until it is known, or where there is none. */
export function useReminder(id: string): Reminder | undefined {
  const reminder = useRoom((room) => room.reminders[id])
  const visits = useRoom((room) => room.visits)
  const isKnown = reminder !== undefined
  useEffect(() => {
    const key = `${useRoom.getState().epoch} ${visits} ${id}`
    if (isKnown || !visits || asked.has(key)) return
    asked.add(key)
    wanted.add(id)
    if (!timer) timer = window.setTimeout(() => void fetchWanted(), GATHER_MS)
  }, [id, visits, isKnown])
  return reminder
}
