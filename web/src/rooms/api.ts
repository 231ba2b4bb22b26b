import { useQuery } from '@tanstack/react-query'
import { plural, type FirstWords } from '../language/words'
import { useNotices } from '../room/notices'
import { useViewpoint } from '../reminders/useReminderActions'
import { ask, withQuery } from '../wire/rest'
import { visitedRooms } from '../wire/identity'

export interface RoomOverview {
  id: string
  people_here: number
  unread: number
  mentions: number
}

const REFRESH_MS = 8000

/** Count the mentions of this person in words, or the unread messages if there are none; empty without either. */
export function newsIn({ mentions, unread }: Pick<RoomOverview, 'mentions' | 'unread'>, words: FirstWords): string {
  if (mentions) return plural(words.rooms.mentions, mentions)
  return unread ? plural(words.rooms.unread, unread) : ''
}

/** The rooms of this person with what they have not read there, the last used first; rooms visited here are among them. */
async function fetchRooms(name: string, words: string): Promise<RoomOverview[]> {
  const { sessions } = await ask<{ sessions: RoomOverview[] }>(withQuery('/api/chat/sessions', { name, words }))
  const known = new Set(sessions.map((room) => room.id))
  const others = visitedRooms().filter((room) => !known.has(room))
  return [...sessions, ...others.map((id) => ({ id, people_here: 0, unread: 0, mentions: 0 }))]
}

/** The rooms, asked for again while the page is seen; the room that is open has nothing unread. */
export function useRooms(): RoomOverview[] {
  const { name, session_id: here } = useViewpoint()
  const ownWords = useNotices((state) => state.ownWords)
  const { data = [] } = useQuery({
    queryKey: ['rooms', name, ownWords],
    queryFn: () => fetchRooms(name, ownWords),
    enabled: name !== '',
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
    refetchIntervalInBackground: true,
  })
  return data.map((room) => (room.id === here ? { ...room, unread: 0, mentions: 0 } : room))
}

/** The address that leads others to a room. */
export function linkTo(room: string): string {
  return `${location.origin}/?${new URLSearchParams({ room })}`
}
