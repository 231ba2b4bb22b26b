import { Highlight, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { keepPreviousData, queryOptions, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useClock } from '../format/clock'
import { shortTime } from '../format/time'
import { useWords } from '../language/language'
import { wordsOf } from '../cards/answer'
import { Answer } from '../shell/Answer'
import type { Author } from '../wire/frames'
import { visitedRooms } from '../wire/identity'
import { ask, withQuery } from '../wire/rest'
import { useRoom } from './store'

const MIN_QUERY_LENGTH = 2
const WAIT_MS = 250
const MAX_ROOMS = 6

export interface Found {
  id: string
  content: string
  created_at: string
  author: Author
}

function foundIn(room: string, wanted: string) {
  return queryOptions({
    queryKey: ['found', room, wanted],
    queryFn: ({ signal }) => ask<Found[]>(withQuery(`/api/chat/sessions/${encodeURIComponent(room)}/search`, { q: wanted }), { signal }),
    enabled: room !== '' && wanted.length >= MIN_QUERY_LENGTH,
  })
}

/** The messages of the room that fit `wanted` best; nothing is asked for a single letter. */
export function useFound(wanted: string): UseQueryResult<Found[]> {
  const room = useRoom((state) => state.identity?.room ?? '')
  const [settled] = useDebouncedValue(wanted.trim(), WAIT_MS)
  return useQuery({ ...foundIn(room, settled), placeholderData: keepPreviousData })
}

export interface FoundInRoom extends Found {
  room: string
}

/** The messages that fit `wanted` of this room, and after them those of the other rooms that this browser was in last. */
export function useFoundInRooms(wanted: string): FoundInRoom[] {
  const here = useRoom((state) => state.identity?.room ?? '')
  const [settled] = useDebouncedValue(wanted.trim(), WAIT_MS)
  const rooms = [here, ...visitedRooms().filter((room) => room !== here)].slice(0, MAX_ROOMS)
  return useQueries({
    queries: rooms.map((room) => foundIn(room, settled)),
    combine: (answers) => answers.flatMap(({ data = [] }, at) => data.map((found) => ({ ...found, room: rooms[at] ?? here }))),
  })
}

/** Search the messages of the room; each result leads to its message. */
export function Find(): ReactNode {
  const words = useWords()
  const clock = useClock()
  const jump = useRoom((room) => room.jump)
  const [wanted, setWanted] = useState('')
  const query = useFound(wanted)
  return (
    <>
      <TextInput
        type="search"
        aria-label={words.find.title}
        placeholder={words.find.placeholder}
        leftSection={<IconSearch size={16} />}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
      />
      {wanted.trim().length < MIN_QUERY_LENGTH ? (
        <p className="panel-empty">{words.find.hint}</p>
      ) : (
        <Answer query={query} isEmpty={(found) => !found.length} empty={<p className="panel-empty">{words.find.nothing}</p>}>
          {(found) => (
            <ul className="found-list">
              {found.map((message) => (
                <li key={message.id}>
                  <button type="button" className="found" data-found={message.id} onClick={() => jump(message.id)}>
                    <span>
                      <b dir="auto">{message.author.name}</b> <span className="muted figures">{shortTime(message.created_at, clock)}</span>
                    </span>
                    <Highlight component="span" inherit className="found-text" dir="auto" highlight={wanted.trim().split(/\s+/)}>
                      {wordsOf({ author: message.author, text: message.content })}
                    </Highlight>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </Answer>
      )}
    </>
  )
}
