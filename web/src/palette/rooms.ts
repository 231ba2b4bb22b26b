import { ask } from '../wire/rest'

interface Session {
  id: string
}

/** The names of the rooms that the bot knows. */
export async function fetchRooms(): Promise<string[]> {
  const answer = await ask<{ sessions: Session[] }>('/api/chat/sessions')
  return answer.sessions.map((session) => session.id)
}
