/** What a frame does to the room: pure, and the same when a frame comes twice. */

import type { Attachment, Author, Frame, Hello, Message, Reminder, ToolCall } from '../wire/frames'

export interface Pending {
  client_id: string
  text: string
  reply_to: string | null
  attachments: Attachment[]
  at: string
  isFailed: boolean
  reason: string
  /** When sending it again may help; null for a message that is refused for good. */
  retryAt: number | null
}

export interface Typing {
  name: string
  until: number
}

export interface RoomData {
  epoch: string
  /** So many times the room was entered or entered again. */
  visits: number
  seq: number
  me: Hello['me']
  bot: string
  model: string | null
  members: Author[]
  messages: Message[]
  streaming: Record<string, string>
  stopped: Record<string, true>
  typing: Record<string, Typing>
  reminders: Record<string, Reminder>
  pending: Pending[]
  unreadFrom: string | null
  missed: number
  replayUntil: number
  hasEarlier: boolean
  maxLength: number
  maxKilobytes: number
  fileTypes: string[]
}

export const EMPTY_ROOM: RoomData = {
  epoch: '',
  visits: 0,
  seq: 0,
  me: { id: '', name: '' },
  bot: 'Bubbles',
  model: null,
  members: [],
  messages: [],
  streaming: {},
  stopped: {},
  typing: {},
  reminders: {},
  pending: [],
  unreadFrom: null,
  missed: 0,
  replayUntil: 0,
  hasEarlier: false,
  maxLength: 0,
  maxKilobytes: 0,
  fileTypes: [],
}

const TYPING_MS = 6000
const KEPT_MESSAGES = 1000
// So many messages a snapshot has at most; one with fewer is the whole room.
const SNAPSHOT = 200

type Data = Record<string, unknown>
type Reducer = (room: RoomData, data: Data, frame: Frame) => Partial<RoomData>

/** Put a message in its place: over the one with its id, else at the end. */
export function upserted(messages: Message[], message: Message): Message[] {
  const at = messages.findLastIndex((known) => known.id === message.id)
  if (at < 0) return [...messages, message].slice(-KEPT_MESSAGES)
  const before = messages[at] as Message
  const merged = { ...before, ...message, tool_calls: mergedCalls(before.tool_calls, message.tool_calls) }
  return messages.with(at, merged)
}

function mergedCalls(known: ToolCall[] = [], told: ToolCall[] = []): ToolCall[] {
  const calls = [...known]
  for (const call of told) {
    const at = calls.findIndex((one) => one.id === call.id)
    if (at < 0) calls.push(call)
    else calls[at] = { ...(calls[at] as ToolCall), ...call }
  }
  return calls
}

function changedMessage(room: RoomData, id: string, change: (message: Message) => Message): Partial<RoomData> {
  const at = room.messages.findLastIndex((message) => message.id === id)
  if (at < 0) return {}
  return { messages: room.messages.with(at, change(room.messages[at] as Message)) }
}

function without<T>(record: Record<string, T>, key: string): Record<string, T> {
  const { [key]: _, ...rest } = record
  return rest
}

/** The message that a call belongs to; one that has not been seen yet is begun, so that its card shows at once. */
function callHost(room: RoomData, id: string, ts: string): Message[] {
  if (room.messages.some((message) => message.id === id)) return room.messages
  const author: Author = { id: 'bot', name: room.bot, kind: 'bot' }
  return [...room.messages, { id, author, text: '', ts, tool_calls: [] }]
}

function withCall(room: RoomData, data: Data, frame: Frame): Partial<RoomData> {
  const id = String(data.message_id)
  const call = data.call as ToolCall
  const messages = callHost(room, id, frame.ts).map((message) =>
    message.id === id ? { ...message, tool_calls: mergedCalls(message.tool_calls, [call]) } : message,
  )
  return { messages, streaming: { ...room.streaming, [id]: room.streaming[id] ?? '' } }
}

function said(room: RoomData, data: Data, frame: Frame): Partial<RoomData> {
  const message = data.message as Message
  const wasMissed = frame.type === 'message_new' && frame.seq <= room.replayUntil && message.author.id !== room.me.id
  return {
    ...(wasMissed && { missed: room.missed + 1, unreadFrom: room.missed ? room.unreadFrom : message.id }),
    messages: upserted(room.messages, message),
    pending: room.pending.filter((one) => one.client_id !== message.client_id),
    typing: without(room.typing, message.author.id),
    streaming: without(room.streaming, message.id),
  }
}

function remembered(room: RoomData, data: Data): Partial<RoomData> {
  const reminder = data.reminder as Reminder
  return { reminders: { ...room.reminders, [reminder.id]: reminder } }
}

function retryTime(data: Data): number | null {
  return data.retryable === false ? null : Date.now() + Number(data.retry_after ?? 0) * 1000
}

const REDUCERS: Record<string, Reducer> = {
  presence: (_, data) => ({ members: data.members as Author[] }),
  typing: (room, data) => {
    const who = data.who as Author
    if (who.id === room.me.id) return {}
    if (!data.on) return { typing: without(room.typing, who.id) }
    return { typing: { ...room.typing, [who.id]: { name: who.name, until: Date.now() + TYPING_MS } } }
  },
  message_new: said,
  message_updated: said,
  message_deleted: (room, data) => ({
    messages: room.messages.filter((message) => message.id !== data.message_id),
    streaming: without(room.streaming, String(data.message_id)),
  }),
  reaction: (room, data) =>
    changedMessage(room, String(data.message_id), (message) => ({
      ...message,
      reactions: data.reactions as Message['reactions'],
    })),
  start: (room, data, frame) => {
    const id = String(data.message_id)
    const messages = callHost(room, id, frame.ts)
    return { messages, streaming: { ...room.streaming, [id]: room.streaming[id] ?? '' } }
  },
  message: (room, data) => {
    const id = String(data.message_id)
    return { streaming: { ...room.streaming, [id]: (room.streaming[id] ?? '') + String(data.delta) } }
  },
  done: (room, data) => {
    const id = String(data.message_id)
    const text = typeof data.text === 'string' ? data.text : (room.streaming[id] ?? '')
    const stopped = data.finish_reason === 'stopped' ? { ...room.stopped, [id]: true as const } : room.stopped
    return { ...changedMessage(room, id, (message) => ({ ...message, text })), streaming: without(room.streaming, id), stopped }
  },
  tool_start: withCall,
  tool_complete: withCall,
  reminder_created: remembered,
  reminder_updated: remembered,
  reminder_cancelled: remembered,
  reminder_fired: remembered,
  error: (room, data) => ({
    pending: room.pending.map((one) =>
      one.client_id === data.client_id ? { ...one, isFailed: true, reason: String(data.detail ?? ''), retryAt: retryTime(data) } : one,
    ),
  }),
}

/** The room after `frame`; unknown types are left alone, so that an older page outlives a newer bot. */
export function reduced(room: RoomData, frame: Frame): RoomData {
  const reducer = REDUCERS[frame.type]
  const change = reducer ? reducer(room, frame.data, frame) : {}
  return { ...room, ...change, seq: Math.max(room.seq, frame.seq ?? 0) }
}

/** The room as `hello` tells it: a snapshot replaces what was known, a continuation only who is here. */
export function welcomed(room: RoomData, hello: Hello, lastRead: string | null): RoomData {
  const isReturn = room.epoch !== ''
  const known = new Set(room.messages.map((message) => message.id))
  const unseen = hello.messages.filter((message) => !known.has(message.id) && message.author.id !== hello.me.id)
  const arrived = new Set(hello.messages.map((message) => message.client_id))
  const isReplay = hello.is_replay === true
  const messages = isReplay ? room.messages : hello.messages.reduce(upserted, [])
  return {
    ...room,
    epoch: hello.epoch,
    visits: room.visits + 1,
    seq: hello.seq,
    me: hello.me,
    bot: hello.bot.name,
    model: hello.bot.model ?? null,
    members: hello.members,
    messages,
    streaming: isReplay ? room.streaming : {},
    typing: {},
    replayUntil: isReplay ? hello.seq : 0,
    hasEarlier: isReplay ? room.hasEarlier : hello.messages.length >= SNAPSHOT,
    reminders: Object.fromEntries(hello.reminders.map((reminder) => [reminder.id, reminder])),
    pending: room.pending.filter((one) => !arrived.has(one.client_id)),
    unreadFrom: isReturn ? (unseen[0]?.id ?? room.unreadFrom) : firstUnread(messages, lastRead, hello.me.id),
    missed: isReturn ? unseen.length : 0,
    maxLength: hello.limits?.message_length ?? 0,
    maxKilobytes: hello.limits?.upload_kilobytes ?? 0,
    fileTypes: hello.limits?.upload_types ?? [],
  }
}

function firstUnread(messages: Message[], lastRead: string | null, me: string): string | null {
  if (lastRead === null) return null
  const at = messages.findIndex((message) => message.id === lastRead)
  if (at < 0) return null
  return messages.slice(at + 1).find((message) => message.author.id !== me)?.id ?? null
}
