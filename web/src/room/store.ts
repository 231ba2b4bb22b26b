/** The room as this tab sees it, and what can be done in it. */

import { create } from 'zustand'
import { showZone } from '../format/clock'
import type { Sample } from '../metrics/api'
import type { Attachment, Frame, Hello, Reminder } from '../wire/frames'
import { executed, offeredServers, useServers, type Execution } from '../servers/store'
import { useLanguage } from '../language/language'
import { isOutdated } from '../shell/version'
import { freshId } from '../wire/ids'
import { forget, remember, type Identity } from '../wire/identity'
import { Connection, type Link } from './connection'
import { alerted, complain } from './alerts'
import { forgetDrafts } from './draft'
import { EMPTY_ROOM, reduced, welcomed, type Pending, type RoomData } from './reduce'

interface RoomState extends RoomData {
  identity: Identity | null
  link: Link
  replyTo: string | null
  editing: string | null
  /** The message to bring into view, as soon as it is loaded. */
  target: string | null
  hasNewVersion: boolean
  enter: (identity: Identity) => void
  leave: () => void
  retryNow: () => void
  send: (text: string, replyTo?: string | null, attachments?: Attachment[]) => void
  watchMetrics: (heard: ((sample: Sample) => void) | null) => void
  resend: (clientId: string) => void
  discard: (clientId: string) => void
  stop: (messageId: string) => void
  react: (messageId: string, emoji: string) => void
  setTyping: (on: boolean) => void
  chooseZone: (zone: string) => void
  markRead: () => void
  startReply: (messageId: string | null) => void
  startEdit: (messageId: string | null) => void
  expireTyping: () => void
  forgetMissed: () => void
  addEarlier: (messages: RoomData['messages'], hasEarlier: boolean) => void
  edit: (messageId: string, text: string) => boolean
  remove: (messageId: string) => void
  learnReminders: (reminders: Reminder[]) => void
  jump: (messageId: string | null, room?: string) => void
}

let connection: Connection | null = null
let sampled: ((sample: Sample) => void) | null = null

// In a busy room the bot is told once a second how far this person has read.
const REPORT_MS = 1000
let reported = ''
let reportTimer = 0

function reportRead(): void {
  if (!reportTimer) return
  window.clearTimeout(reportTimer)
  reportTimer = 0
  connection?.say('read', { message_id: reported })
}

const readKey = (room: string, name: string) => `bubbles.read.${room}.${name}`

function lastRead(identity: Identity): string | null {
  return localStorage.getItem(readKey(identity.room, identity.name))
}

// What is not delivered outlives a reload of this tab.
const pendingKey = (identity: Identity) => `bubbles.pending.${identity.room}.${identity.name}`

function storedPending(identity: Identity): Pending[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(pendingKey(identity)) ?? '[]')
    return Array.isArray(stored) ? (stored as Pending[]) : []
  } catch {
    return []
  }
}

export const useRoom = create<RoomState>((set, get) => {
  function deliver(one: Pending): void {
    const servers = offeredServers()
    const said = {
      client_id: one.client_id,
      text: one.text,
      reply_to: one.reply_to,
      ...(one.attachments.length && { attachments: one.attachments }),
      ...(servers.length && { tool_servers: servers }),
    }
    connection?.say('send', said)
  }

  // What is written waits for the connection; everything else is said now or, as the person is told, not at all.
  function act(type: string, data: Record<string, unknown>): boolean {
    const isSaid = connection?.say(type, data) ?? false
    if (!isSaid) complain(useLanguage.getState().words.link.notNow)
    return isSaid
  }

  async function carryOut(asked: Execution): Promise<void> {
    const answer = await executed(asked)
    if (answer) connection?.say('execute:result', answer)
  }

  function heard(frame: Frame): void {
    const room = get()
    if (frame.type === 'hello') {
      if (!room.identity) return
      const isRestarted = room.epoch !== '' && room.epoch !== (frame.data as unknown as Hello).epoch
      if (isRestarted) void isOutdated().then((hasNewVersion) => set({ hasNewVersion }))
      showZone((frame.data as unknown as Hello).me.time_zone)
      const next = welcomed(room, frame.data as unknown as Hello, lastRead(room.identity))
      set(next)
      reported = ''
      useServers.getState().allow((frame.data as unknown as Hello).page_tool_servers ?? [])
      if (sampled) connection?.say('metrics', { on: true })
      return
    }
    if (frame.type === 'metrics') {
      sampled?.(frame.data as unknown as Sample)
      return
    }
    if (frame.type === 'time_zone') {
      showZone(String(frame.data.time_zone))
      return
    }
    if (frame.type === 'execute:tool') {
      void carryOut(frame.data as unknown as Execution)
      return
    }
    const next = reduced(room, frame)
    set(next)
    alerted(frame, next)
  }

  return {
    ...EMPTY_ROOM,
    identity: null,
    link: 'connecting',
    replyTo: null,
    editing: null,
    target: null,
    hasNewVersion: false,
    enter: (identity) => {
      reportRead()
      reported = ''
      connection?.close()
      remember(identity)
      const pending = storedPending(identity)
      set({ ...EMPTY_ROOM, pending, identity, link: 'connecting', replyTo: null, editing: null, target: null })
      connection = new Connection(identity, {
        frame: heard,
        link: (link) => {
          set({ link })
          // The bot knows a message by its client_id, so that one that did arrive is not said twice.
          if (link === 'live') get().pending.filter((one) => !one.isFailed).forEach(deliver)
        },
        place: () => ({ epoch: get().epoch, seq: get().seq }),
      })
    },
    leave: () => {
      reportRead()
      connection?.close()
      connection = null
      const { identity } = get()
      if (identity) sessionStorage.removeItem(pendingKey(identity))
      forget()
      forgetDrafts()
      set({ ...EMPTY_ROOM, identity: null })
    },
    retryNow: () => connection?.retry(),
    watchMetrics: (heardSample) => {
      sampled = heardSample
      connection?.say('metrics', { on: heardSample !== null })
    },
    send: (text, replyTo = null, attachments = []) => {
      const one: Pending = {
        client_id: freshId(),
        text,
        reply_to: replyTo,
        attachments,
        at: new Date().toISOString(),
        isFailed: false,
        reason: '',
        retryAt: 0,
      }
      set((room) => ({ pending: [...room.pending, one], replyTo: null }))
      if (get().link === 'live') deliver(one)
    },
    resend: (clientId) => {
      const one = get().pending.find((pending) => pending.client_id === clientId)
      if (!one) return
      const again = { ...one, isFailed: false, reason: '', retryAt: 0 }
      set((room) => ({ pending: room.pending.map((known) => (known === one ? again : known)) }))
      if (get().link === 'live') deliver(again)
    },
    discard: (clientId) => set((room) => ({ pending: room.pending.filter((one) => one.client_id !== clientId) })),
    stop: (messageId) => act('stop', { message_id: messageId }),
    react: (messageId, emoji) => act('react', { message_id: messageId, emoji }),
    setTyping: (on) => connection?.say('typing', { on }),
    chooseZone: (zone) => act('time_zone', { time_zone: zone }),
    markRead: () => {
      const { messages, streaming, identity } = get()
      // An answer that is being written is not stored yet.
      const newest = messages.findLast((message) => !(message.id in streaming))
      if (!newest || !identity || reported === newest.id) return
      localStorage.setItem(readKey(identity.room, identity.name), newest.id)
      reported = newest.id
      reportTimer ||= window.setTimeout(reportRead, REPORT_MS)
    },
    startReply: (replyTo) => set({ replyTo, editing: null }),
    startEdit: (editing) => set({ editing, replyTo: null }),
    expireTyping: () => {
      const now = Date.now()
      const typing = Object.fromEntries(Object.entries(get().typing).filter(([, one]) => one.until > now))
      if (Object.keys(typing).length !== Object.keys(get().typing).length) set({ typing })
    },
    forgetMissed: () => set({ missed: 0 }),
    addEarlier: (earlier, hasEarlier) =>
      set((room) => {
        const known = new Set(room.messages.map((message) => message.id))
        return { hasEarlier, messages: [...earlier.filter((message) => !known.has(message.id)), ...room.messages] }
      }),
    edit: (messageId, text) => {
      const isSaid = act('edit', { message_id: messageId, text })
      if (isSaid) set({ editing: null })
      return isSaid
    },
    remove: (messageId) => act('delete', { message_id: messageId }),
    learnReminders: (reminders) =>
      set((room) => ({ reminders: { ...Object.fromEntries(reminders.map((one) => [one.id, one])), ...room.reminders } })),
    jump: (messageId, room) => {
      const { identity, enter } = get()
      if (room && identity && room !== identity.room) enter({ ...identity, room })
      set({ target: messageId })
    },
  }
})

useRoom.subscribe(({ identity, pending }, before) => {
  if (!identity || pending === before.pending) return
  if (pending.length) sessionStorage.setItem(pendingKey(identity), JSON.stringify(pending))
  else sessionStorage.removeItem(pendingKey(identity))
})
