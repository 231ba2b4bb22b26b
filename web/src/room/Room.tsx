import { useState, type ReactNode } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import { useWords } from '../language/language'
import { plural } from '../language/words'
import { LinkBanner } from '../shell/LinkState'
import { loadedLater } from '../shell/loadedLater'
import { TopBar } from '../shell/TopBar'
import { Composer } from './Composer'
import { Facepile } from './Face'
import { MessageList } from './MessageList'
import { useRoom } from './store'
import { TypingRow } from './TypingRow'

const SidePanel = loadedLater(() => import('./SidePanel').then((module) => module.SidePanel))
const Sheet = loadedLater(() => import('./Sheet').then((module) => module.Sheet))

/** The room: the log, the composer, and the panel beside it (a sheet on a phone). */
export function Room(): ReactNode {
  const words = useWords()
  const room = useRoom((state) => state.identity?.room ?? '')
  const members = useRoom((state) => state.members)
  const [isSheetOpen, setSheetOpen] = useState(false)
  const isNarrow = useMediaQuery('(max-width: 1000px)', false, { getInitialValueInEffect: false })
  return (
    <>
      <TopBar
        title={`# ${room}`}
        aside={<Facepile members={members} label={plural(words.bar.people, members.length)} />}
        onPanel={() => setSheetOpen(true)}
      />
      <div className="room">
        <main className="room-main" id="content" tabIndex={-1}>
          <LinkBanner />
          <MessageList />
          <div className="room-foot">
            <TypingRow />
            <Composer key={room} room={room} />
          </div>
        </main>
        {isNarrow ? (
          <Sheet isOpen={isSheetOpen} onClose={() => setSheetOpen(false)} />
        ) : (
          <aside className="panel" aria-label={words.panel.label}>
            <SidePanel />
          </aside>
        )}
      </div>
    </>
  )
}
