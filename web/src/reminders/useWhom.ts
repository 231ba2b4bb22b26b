import { useWords } from '../language/language'
import { useRoom } from '../room/store'
import type { Reminder } from '../wire/frames'

/** Whom a reminder is for, as mentions: the bot knows people by ids, the room knows their names. */
export function useWhom(reminder: Reminder): string {
  const words = useWords()
  const members = useRoom((room) => room.members)
  const nameOf = (id: string) => {
    if (id === '@all') return words.room.everyone
    if (id === reminder.created_by && reminder.created_by_name) return reminder.created_by_name
    return members.find((member) => member.id === id)?.name ?? id
  }
  const people = reminder.mentions.length ? reminder.mentions : [reminder.created_by]
  return people.map((id) => `@${nameOf(id)}`).join(' ')
}
