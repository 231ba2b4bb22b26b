import { ActionIcon } from '@mantine/core'
import { IconHash } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import { useWords } from '../language/language'
import { plural } from '../language/words'
import { newsIn, useRooms } from '../rooms/api'
import { RoomSettingsButton } from '../settings/RoomSettingsButton'
import { AfterLoad } from '../shell/AfterLoad'
import { LinkBanner } from '../shell/LinkState'
import { loadedLater } from '../shell/loadedLater'
import { TopBar } from '../shell/TopBar'
import { Composer } from './Composer'
import { Facepile } from './Face'
import { MessageList } from './MessageList'
import { useRoom } from './store'
import { TypingRow } from './TypingRow'

const SidePanel = loadedLater(() => import('./SidePanel').then((module) => module.SidePanel))
const RoomList = loadedLater(() => import('../rooms/RoomList').then((module) => module.RoomList))
const Sheet = loadedLater(() => import('./Sheet').then((module) => module.Sheet))

/** Opens the list of rooms; a dot says that there is something new in others. */
function RoomsButton({ onPress }: { onPress: () => void }): ReactNode {
  const words = useWords()
  const rooms = useRooms()
  const mentions = rooms.reduce((sum, room) => sum + room.mentions, 0)
  const unread = rooms.reduce((sum, room) => sum + room.unread, 0)
  return (
    <ActionIcon
      className="rooms-button"
      variant="subtle"
      color="gray"
      size={36}
      aria-label={[words.rooms.show, newsIn({ mentions, unread }, words)].filter(Boolean).join(', ')}
      data-news={mentions ? 'mentions' : unread ? 'unread' : undefined}
      onClick={onPress}
    >
      <IconHash size={20} />
    </ActionIcon>
  )
}

/** The room: the log, the composer, and the panel beside it (a sheet on a phone). */
export function Room(): ReactNode {
  const words = useWords()
  const room = useRoom((state) => state.identity?.room ?? '')
  const members = useRoom((state) => state.members)
  const [isSheetOpen, setSheetOpen] = useState(false)
  const [isListOpen, setListOpen] = useState(false)
  const hasList = useMediaQuery('(min-width: 1180px)', true, { getInitialValueInEffect: false })
  const hasEntered = useRoom((state) => state.epoch !== '')
  const isNarrow = useMediaQuery('(max-width: 1000px)', false, { getInitialValueInEffect: false })
  return (
    <>
      <TopBar
        title={hasList ? `# ${room}` : room}
        before={!hasList && <RoomsButton onPress={() => setListOpen(true)} />}
        aside={
          <>
            <Facepile members={members} label={plural(words.bar.people, members.length)} />
            <RoomSettingsButton room={room} />
          </>
        }
        onPanel={() => setSheetOpen(true)}
      />
      <div className="room" data-list={hasList || undefined}>
        {hasList ? (
          <nav className="rooms" aria-label={words.rooms.title}>
            <h2>{words.rooms.title}</h2>
            <AfterLoad isDue={hasEntered}>
              <RoomList />
            </AfterLoad>
          </nav>
        ) : (
          <Sheet isOpen={isListOpen} onClose={() => setListOpen(false)} title={words.rooms.title} position="left" size={300}>
            <RoomList onEntered={() => setListOpen(false)} />
          </Sheet>
        )}
        <main className="room-main" id="content" tabIndex={-1}>
          <LinkBanner />
          <MessageList key={room} />
          <div className="room-foot">
            <TypingRow />
            <Composer key={room} room={room} />
          </div>
        </main>
        {isNarrow ? (
          <Sheet isOpen={isSheetOpen} onClose={() => setSheetOpen(false)} title={words.panel.title} position="bottom" size="72%">
            <SidePanel />
          </Sheet>
        ) : (
          <aside className="panel" aria-label={words.panel.label}>
            <AfterLoad isDue={hasEntered}>
              <SidePanel />
            </AfterLoad>
          </aside>
        )}
      </div>
    </>
  )
}
