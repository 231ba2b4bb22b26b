import { Button, Skeleton } from '@mantine/core'
import { IconArrowDown } from '@tabler/icons-react'
import { Fragment, startTransition, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode, type WheelEvent } from 'react'
import { useClock } from '../format/clock'
import { dayName, isSameDay } from '../format/time'
import { useWords } from '../language/language'
import { plural } from '../language/words'
import type { Message } from '../wire/frames'
import { ask, withQuery } from '../wire/rest'
import { pressesOf } from '../cards/answer'
import { complain, useAlerts } from './alerts'
import { loadedLater } from '../shell/loadedLater'
import { MessageRow, ToolCards } from './MessageRow'
import { PendingRow } from './PendingRow'
import { useRoom } from './store'
import { Welcome } from './Welcome'

const Missed = loadedLater(() => import('./Missed').then((module) => module.Missed))

const GROUP_MS = 5 * 60_000
const SHOWN = 300
const SHOWN_FIRST = 40
const NEAR_END_PX = 80
const LEAVING_MS = 400
const PAGE = 50
const PAGE_ON_THE_WAY = 200
const MAX_PAGES = 100
const PRELOAD_MS = 1000
const FLASH_MS = 2000
const MAX_FRAMES = 12

function beginsGroup(message: Message, before: Message | undefined): boolean {
  if (!before || before.author.id !== message.author.id) return true
  return Date.parse(message.ts) - Date.parse(before.ts) > GROUP_MS || !!message.reminder || !!before.reminder
}

/** Keeps the end in view while one is at it, and says how many came meanwhile when one is not. */
function useFollowing(newest: string | undefined, pending: number) {
  const box = useRef<HTMLDivElement>(null)
  const size = useRef('')
  const leftAt = useRef(-LEAVING_MS)
  const pendingBefore = useRef(0)
  const [isAtEnd, setAtEnd] = useState(true)
  const [arrived, setArrived] = useState(0)
  const toEnd = () => {
    const element = box.current
    if (!element) return
    // Said before the browser reports the scrolling: what grows meanwhile, such as a picture, is followed too.
    element.dataset.following = 'yes'
    leftAt.current = -LEAVING_MS
    element.scrollTop = element.scrollHeight
  }
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const follow = new ResizeObserver(() => {
      if (element.dataset.following !== 'no') toEnd()
    })
    follow.observe(element)
    if (element.firstElementChild) follow.observe(element.firstElementChild)
    return () => follow.disconnect()
  }, [])
  useLayoutEffect(() => {
    // A confirmation makes them fewer; it does not lead away from where somebody has scrolled to meanwhile.
    if (pending > pendingBefore.current) toEnd()
    pendingBefore.current = pending
  }, [pending])
  useEffect(() => {
    if (isAtEnd) setArrived(0)
    else if (newest) setArrived((count) => count + 1)
    // Only a new message counts, not the scrolling itself.
  }, [newest])
  const onScroll = () => {
    const element = box.current
    if (!element) return
    const isLeaving = performance.now() - leftAt.current < LEAVING_MS
    const near = element.scrollHeight - element.scrollTop - element.clientHeight < (isLeaving ? 1 : NEAR_END_PX)
    // Rows that are laid out, pictures that arrive and a higher composer move the end away; that is nobody's scrolling.
    const measured = `${element.scrollHeight} ${element.clientHeight}`
    const isMoved = measured !== size.current
    size.current = measured
    if (!near && isMoved && element.dataset.following !== 'no') return
    element.dataset.following = near ? 'yes' : 'no'
    setAtEnd(near)
    if (near) setArrived(0)
  }
  // Up with the wheel is somebody's scrolling, whatever arrives in the same moment.
  const onWheel = ({ deltaY, currentTarget }: WheelEvent<HTMLDivElement>) => {
    if (deltaY >= 0 || currentTarget.scrollTop === 0) return
    leftAt.current = performance.now()
    currentTarget.dataset.following = 'no'
  }
  return { box, isAtEnd, arrived, toEnd, onScroll, onWheel }
}

function Earlier({ first, isHere, onShow }: {
  first: Message | undefined
  isHere: boolean
  onShow: (added: number) => void
}): ReactNode {
  const words = useWords()
  const room = useRoom((state) => state.identity?.room ?? '')
  const hasEarlier = useRoom((state) => state.hasEarlier)
  const [state, setState] = useState<'more' | 'loading' | 'failed'>('more')
  const load = async () => {
    setState('loading')
    try {
      onShow(await loadEarlier(room, first?.id))
      setState('more')
    } catch {
      setState('failed')
    }
  }
  if (!hasEarlier && !isHere) return <p className="beginning">{words.room.beginning}</p>
  return (
    <div className="earlier">
      {state === 'failed' && <span role="alert">{words.notLoaded} </span>}
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        loading={state === 'loading'}
        onClick={() => (isHere ? onShow(PAGE) : void load())}
      >
        {state === 'failed' ? words.retry : words.room.earlier}
      </Button>
    </div>
  )
}

/** The part of a long room that is shown: at most 300 rows, so that typing stays quick; `later` are after it.
 *
 * The last rows come first, the others when the page has time for them.
 */
function useWindow(all: Message[]) {
  const [later, setLater] = useState(0)
  const [most, setMost] = useState(SHOWN_FIRST)
  const hasAny = all.length > 0
  useEffect(() => {
    if (hasAny) startTransition(() => setMost(SHOWN))
  }, [hasAny])
  const start = Math.max(0, all.length - later - most)
  const shown = useMemo(() => all.slice(start, all.length - later), [all, start, later])
  const first = shown[0]?.id
  const back = (added: number) => {
    const { messages } = useRoom.getState()
    setLater(Math.max(0, Math.min(messages.length - SHOWN, later + added)))
    // The row that was the first stays where it was, under those that are new above it.
    requestAnimationFrame(() => document.getElementById(`message-${first}`)?.scrollIntoView({ block: 'start' }))
  }
  const showAround = (id: string) => {
    const { shown: messages, pressed } = threadsOf(useRoom.getState().messages)
    const host = [...pressed].find(([, presses]) => presses.some((press) => press.id === id || press.answer?.id === id))?.[0]
    const row = host ?? id
    const after = messages.length - 1 - messages.findIndex((message) => message.id === row)
    if (after < later || after >= later + SHOWN) setLater(Math.max(0, Math.min(messages.length - SHOWN, after - SHOWN / 2)))
    return row
  }
  return {
    shown,
    later,
    isEarlierHere: start > 0,
    back,
    forth: () => setLater(Math.max(0, later - PAGE)),
    toNewest: () => setLater(0),
    showAround,
  }
}

/** What the log shows of `messages`: without those that only press a button, and with the replies of each. */
function threadsOf(messages: Message[]) {
  const { pressed, hidden } = pressesOf(messages)
  const shown = messages.filter((message) => !hidden.has(message.id))
  const replies = new Map<string, string[]>()
  for (const { id, author, reply_to } of shown) {
    if (reply_to && author.kind === 'person') replies.set(reply_to, [...(replies.get(reply_to) ?? []), id])
  }
  return { shown, hidden, pressed, replies }
}

function useThreads() {
  const messages = useRoom((room) => room.messages)
  const unreadFrom = useRoom((room) => room.unreadFrom)
  return useMemo(() => {
    const threads = threadsOf(messages)
    const from = messages.findIndex((message) => message.id === unreadFrom)
    const firstUnread = from < 0 ? undefined : messages.find((message, at) => at >= from && !threads.hidden.has(message.id))?.id
    return { ...threads, firstUnread }
  }, [messages, unreadFrom])
}

async function loadEarlier(room: string, before: string | undefined, limit = PAGE): Promise<number> {
  const path = withQuery(`/api/chat/sessions/${encodeURIComponent(room)}/log`, { before, limit })
  const page = await ask<{ messages: Message[]; before: string | null }>(path)
  const { messages, addEarlier } = useRoom.getState()
  if (!messages.some((message) => message.id === before)) return 0 // another room was entered meanwhile
  addEarlier(page.messages, page.before !== null)
  return page.messages.length
}

/** Load earlier messages until `id` is among them; false where it is not. */
async function reach(id: string): Promise<boolean> {
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const { messages, hasEarlier, identity } = useRoom.getState()
    if (messages.some((message) => message.id === id)) return true
    if (!hasEarlier || !identity) return false
    await loadEarlier(identity.room, messages[0]?.id, PAGE_ON_THE_WAY)
  }
  return false
}

/** Bring the message that somebody asked for into view and mark it for a moment, loading it where necessary. */
function useTarget(hasEntered: boolean, showAround: (id: string) => string): void {
  const words = useWords()
  const target = useRoom((room) => room.target)
  useEffect(() => {
    if (!target || !hasEntered) return
    const show = async () => {
      const isThere = await reach(target).catch(() => false)
      useRoom.getState().jump(null)
      if (!isThere) {
        complain(words.message.gone)
        return
      }
      flash(showAround(target))
    }
    void show()
  }, [target, hasEntered])
}

/** Scroll to a message as soon as it is rendered, and again while the rows around it are laid out, up to the next key or click. */
function flash(id: string): void {
  const next = new AbortController()
  for (const event of ['keydown', 'pointerdown']) {
    window.addEventListener(event, () => next.abort(), { capture: true, signal: next.signal })
  }
  const show = (frames: number) => {
    if (next.signal.aborted) return
    const row = document.getElementById(`message-${id}`)
    const log = row?.closest<HTMLElement>('.log')
    if (row && log) {
      log.dataset.following = 'no'
      row.scrollIntoView({ block: 'center' })
      if (document.activeElement !== row) row.focus({ preventScroll: true })
      if (!row.hasAttribute('data-flash')) {
        row.setAttribute('data-flash', '')
        window.setTimeout(() => row.removeAttribute('data-flash'), FLASH_MS)
      }
    }
    if (frames > 0) requestAnimationFrame(() => show(frames - 1))
    else next.abort()
  }
  show(MAX_FRAMES)
}

function Loading(): ReactNode {
  const words = useWords()
  return (
    <div className="skeletons" role="status" aria-label={words.loading}>
      {[340, 220, 420].map((width) => (
        <div key={width} className="row">
          <Skeleton circle height={34} />
          <Skeleton height={58} width={width} radius={14} />
        </div>
      ))}
    </div>
  )
}

/** Move the focus from message to message with the arrow keys, Home and End; from the log itself to the last one in view. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const log = event.currentTarget
  const rows = [...log.querySelectorAll<HTMLElement>('[data-message]')]
  const at = rows.indexOf(event.target as HTMLElement)
  if (event.ctrlKey || event.metaKey || event.altKey || (at < 0 && event.target !== log) || !rows.length) return
  const end = log.getBoundingClientRect().bottom
  const lastInView = rows.findLastIndex((row) => row.getBoundingClientRect().top < end)
  const next = {
    ArrowUp: at < 0 ? lastInView : at - 1,
    ArrowDown: at < 0 ? lastInView : at + 1,
    Home: 0,
    End: rows.length - 1,
  }[event.key]
  const row = next === undefined ? undefined : rows[next]
  if (!row) return
  event.preventDefault()
  row.focus({ preventScroll: true })
  row.scrollIntoView({ block: 'nearest' })
}

/** The log: groups, day lines, the line above what is new, and what waits to be sent. */
export function MessageList(): ReactNode {
  const words = useWords()
  const clock = useClock()
  const { shown: all, pressed, replies, firstUnread } = useThreads()
  const pending = useRoom((room) => room.pending)
  const me = useRoom((room) => room.me.id)
  const hasEntered = useRoom((room) => room.epoch !== '')
  const { shown, later, isEarlierHere, back, forth, toNewest, showAround } = useWindow(all)
  const { box, isAtEnd, arrived, toEnd, onScroll, onWheel } = useFollowing(all.at(-1)?.id, pending.length)
  useTarget(hasEntered, showAround)
  useEffect(() => {
    // A failure is tried again where they are shown.
    const timer = window.setTimeout(() => void ToolCards.preload().catch(() => undefined), PRELOAD_MS)
    return () => window.clearTimeout(timer)
  }, [])
  const jump = () => {
    toNewest()
    requestAnimationFrame(toEnd)
  }
  // End leads to the newest message, also from those that were loaded around a found one.
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    moveFocus(event)
    if (event.key !== 'End' || !event.isDefaultPrevented() || later === 0) return
    box.current?.focus({ preventScroll: true })
    jump()
  }
  useEffect(() => {
    const read = () => {
      if (!isAtEnd || document.hidden) return
      useRoom.getState().markRead()
      useAlerts.getState().seen()
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [all, isAtEnd])
  return (
    <div className="log-frame">
      <div className="log" ref={box} onScroll={onScroll} onWheel={onWheel} role="log" aria-live="off" aria-label={words.room.log} tabIndex={0} onKeyDown={onKeyDown}>
        <div className="column">
          {!hasEntered && <Loading />}
          {hasEntered && shown.length > 0 && <Earlier first={shown[0]} isHere={isEarlierHere} onShow={back} />}
          {hasEntered && shown.length === 0 && pending.length === 0 && <Welcome />}
          {shown.map((message, at) => {
            const before = shown[at - 1]
            const isNewDay = !before || !isSameDay(before.ts, message.ts, clock)
            const isUnread = message.id === firstUnread
            return (
              <Fragment key={message.id}>
                {isNewDay && (
                  <p className="day-line">
                    <span>{dayName(message.ts, words, clock)}</span>
                  </p>
                )}
                {isUnread && (
                  <>
                    <p className="unread-line" data-unread-line>
                      <span>{words.room.unread}</span>
                    </p>
                    <Missed from={at} shown={shown} />
                  </>
                )}
                <MessageRow
                  message={message}
                  isFirst={isNewDay || isUnread || beginsGroup(message, before)}
                  isMine={message.author.id === me}
                  presses={pressed.get(message.id)}
                  replies={replies.get(message.id)?.join(' ')}
                />
              </Fragment>
            )
          })}
          {later > 0 && (
            <Button variant="subtle" color="gray" size="compact-sm" onClick={forth}>
              {words.room.later}
            </Button>
          )}
          {pending.map((one) => (
            <PendingRow key={one.client_id} one={one} />
          ))}
        </div>
      </div>
      {(!isAtEnd || later > 0) && (
        <Button className="jump" size="compact-md" radius="xl" onClick={jump} leftSection={<IconArrowDown size={15} />}>
          {arrived > 0 ? plural(words.room.newMessages, arrived) : words.room.jump}
        </Button>
      )}
    </div>
  )
}
