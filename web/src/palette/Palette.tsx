import '@mantine/spotlight/styles.layer.css'

import { Modal } from '@mantine/core'
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { LANGUAGES, useLanguage, useWords } from '../language/language'
import { fill } from '../language/words'
import { useClock } from '../format/clock'
import { shortTime } from '../format/time'
import { useViewpoint } from '../reminders/useReminderActions'
import { useRoom } from '../room/store'
import { usePages } from '../shell/pages'
import { useThemeSwitch } from '../shell/TopBar'
import { fetchTools } from '../tools/api'
import { useToolHelp } from '../tools/help'
import { wordsOf } from '../cards/answer'
import { newsIn, useRooms, type RoomOverview } from '../rooms/api'
import { useFoundInRooms } from '../room/Find'
import { SecondTab } from './SecondTab'
import { Shortcuts } from './Shortcuts'

function isTypingIn(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
}

const MAX_LABEL_LENGTH = 120
const MAX_SHOWN = 250

/** The first room with something new after or before the present one, in the order of the list. */
function nextUnread(rooms: RoomOverview[], here: string, isForward: boolean): string | undefined {
  const at = rooms.findIndex((room) => room.id === here)
  const unread = [...rooms.slice(at + 1), ...rooms.slice(0, Math.max(0, at))].filter((room) => room.unread + room.mentions > 0)
  return unread.at(isForward ? 0 : -1)?.id
}

type Open = 'shortcuts' | 'second' | null

function useCommands(open: (what: Open) => void, wanted: string): SpotlightActionGroupData[] {
  const words = useWords()
  const clock = useClock()
  const [, go] = useLocation()
  const { flip } = useThemeSwitch()
  const identity = useRoom((room) => room.identity)
  const viewpoint = useViewpoint()
  const { language, choose } = useLanguage()
  const helpOf = useToolHelp()
  const tools = useQuery({ queryKey: ['tools', viewpoint], queryFn: () => fetchTools(viewpoint), staleTime: 60_000 })
  const rooms = useRooms()
  const found = useFoundInRooms(wanted)
  const pages: SpotlightActionData[] = usePages().map(({ path, key, icon: Icon }) => ({
    id: `page-${key}`,
    label: words.nav[key],
    leftSection: <Icon size={18} aria-hidden="true" />,
    onClick: () => go(path),
  }))
  const { enter, leave, jump } = useRoom.getState()
  const messages: SpotlightActionData[] = (wanted.trim() ? found : []).map((message) => ({
    id: `message-${message.room}-${message.id}`,
    label: `${message.author.name}: ${wordsOf({ author: message.author, text: message.content }).slice(0, MAX_LABEL_LENGTH)}`,
    description: `# ${message.room} · ${shortTime(message.created_at, clock)}`,
    // Messages fit the words although they may not have them.
    keywords: wanted,
    onClick: () => {
      go('/')
      jump(message.id, message.room)
    },
  }))
  return [
    { group: words.palette.pages, actions: pages },
    {
      group: words.palette.commands,
      actions: [
        { id: 'theme', label: words.palette.theme, onClick: flip },
        ...Object.entries(LANGUAGES)
          .filter(([code]) => code !== language)
          .map(([code, { name }]) => ({
            id: `language-${code}`,
            label: fill(words.palette.language, { name }),
            onClick: () => void choose(code),
          })),
        { id: 'second', label: words.palette.secondTab, onClick: () => open('second') },
        { id: 'leave', label: words.link.leave, onClick: leave },
        { id: 'shortcuts', label: words.palette.shortcuts, onClick: () => open('shortcuts') },
      ],
    },
    {
      group: words.palette.rooms,
      actions: rooms
        .filter((room) => room.id !== identity?.room)
        .map((room) => ({
          id: `room-${room.id}`,
          label: `# ${room.id}`,
          description: newsIn(room, words) || undefined,
          onClick: () => {
            if (identity) enter({ ...identity, room: room.id })
            go('/')
          },
        })),
    },
    { group: words.find.group, actions: messages },
    {
      group: words.palette.tools,
      actions: (tools.data ?? []).map((tool) => ({
        id: `tool-${tool.name}`,
        label: tool.name,
        description: helpOf(tool).split('\n')[0],
        onClick: () => go(`/tools?tool=${encodeURIComponent(tool.name)}`),
      })),
    },
  ]
}

/** Ctrl+K: everything by name, from anywhere, also while typing. */
export function Palette(): ReactNode {
  const words = useWords()
  const [open, setOpen] = useState<Open>(null)
  const [wanted, setWanted] = useState('')
  const actions = useCommands(setOpen, wanted)
  const queries = useQueryClient()
  const [, go] = useLocation()
  const rooms = useRef<RoomOverview[]>([])
  rooms.current = useRooms()
  // Rooms and tools come and go while the page is open.
  const refresh = () => {
    for (const key of ['rooms', 'tools']) void queries.invalidateQueries({ queryKey: [key] })
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === '?' && !event.ctrlKey && !isTypingIn(event.target)) setOpen('shortcuts')
      if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
        event.preventDefault()
        const { identity, enter } = useRoom.getState()
        const room = event.shiftKey && identity ? nextUnread(rooms.current, identity.room, event.key === 'ArrowDown') : undefined
        if (room && identity) {
          enter({ ...identity, room })
          go('/')
        }
        if (!event.shiftKey) document.querySelector('[data-unread-line]')?.scrollIntoView({ block: 'center' })
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [go])
  return (
    <>
      <Spotlight
        actions={actions}
        shortcut={null}
        highlightQuery
        onQueryChange={setWanted}
        scrollable
        maxHeight={420}
        limit={MAX_SHOWN}
        nothingFound={words.palette.nothing}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': words.palette.title } }}
        attributes={{ content: { 'aria-label': words.palette.title } }}
        onSpotlightOpen={refresh}
        searchProps={{ placeholder: words.palette.placeholder, 'aria-label': words.palette.placeholder }}
      />
      <Modal
        opened={open !== null}
        onClose={() => setOpen(null)}
        title={open === 'second' ? words.palette.secondTab : words.keys.title}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        {open === 'second' ? <SecondTab onDone={() => setOpen(null)} /> : <Shortcuts />}
      </Modal>
    </>
  )
}
