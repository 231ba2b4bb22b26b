/** Tells of new mentions in rooms that are not open. */

import { useEffect, useRef } from 'react'
import { useWords } from '../language/language'
import { plural } from '../language/words'
import { showNotice } from '../room/notices'
import { useRooms } from './api'

/** How many mentions there are in other rooms; a new one is told as a mention in this room is. */
export function useMentionsElsewhere(): number {
  const words = useWords()
  const rooms = useRooms()
  const known = useRef<Map<string, number> | null>(null)
  useEffect(() => {
    if (!rooms.length) return
    const before = known.current
    known.current = new Map(rooms.map((room) => [room.id, room.mentions]))
    for (const { id, mentions } of before ? rooms : []) {
      if (mentions > (before?.get(id) ?? 0)) showNotice(`# ${id}`, plural(words.rooms.mentioned, mentions, { room: id }), `room-${id}`)
    }
  })
  return rooms.reduce((sum, room) => sum + room.mentions, 0)
}
