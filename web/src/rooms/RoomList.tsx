import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { useRoom } from '../room/store'
import { loadedLater } from '../shell/loadedLater'
import { newsIn, useRooms, type RoomOverview } from './api'
import { CopyLink } from './CopyLink'
import './rooms.css'

const NewRoom = loadedLater(() => import('./NewRoom').then((module) => module.NewRoom))
const MAX_SHOWN = 99

function Badge({ room }: { room: RoomOverview }): ReactNode {
  const words = useWords()
  const count = room.mentions || room.unread
  if (!count) return null
  return (
    <span className="room-badge figures" data-mentions={room.mentions || undefined} data-unread={room.unread}>
      <span aria-hidden="true">
        {room.mentions > 0 && '@'}
        {count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}
      </span>
      <span className="unseen">{newsIn(room, words)}</span>
    </span>
  )
}

/** The rooms with their unread messages and mentions, and a way to make one. */
export function RoomList({ onEntered }: { onEntered?: () => void }): ReactNode {
  const words = useWords()
  const identity = useRoom((state) => state.identity)
  const rooms = useRooms()
  const [isNew, setNew] = useState(false)
  const enter = (room: string) => {
    if (identity && room !== identity.room) useRoom.getState().enter({ ...identity, room })
    setNew(false)
    onEntered?.()
  }
  return (
    <>
      <ul className="room-list">
        {rooms.map((room) => (
          <li key={room.id}>
            <button
              type="button"
              className="room-link"
              data-room={room.id}
              data-new={room.unread > 0 || undefined}
              aria-current={room.id === identity?.room ? 'true' : undefined}
              onClick={() => enter(room.id)}
            >
              <span className="muted" aria-hidden="true">
                #
              </span>
              <span className="room-name" dir="auto">
                {room.id}
              </span>
              <Badge room={room} />
            </button>
            {room.id === identity?.room && <CopyLink room={room.id} />}
          </li>
        ))}
      </ul>
      {isNew ? (
        <NewRoom onOpen={enter} onCancel={() => setNew(false)} />
      ) : (
        <Button variant="subtle" color="gray" size="compact-md" justify="flex-start" leftSection={<IconPlus size={16} />} onClick={() => setNew(true)}>
          {words.rooms.create}
        </Button>
      )}
    </>
  )
}
