/** What is told beyond the log: the toast and the title for the person meant, the words for screen readers. */

import { notifications } from '@mantine/notifications'
import { create } from 'zustand'
import type { Author, Frame, Message, Reminder, ToolCall } from '../wire/frames'
import { wordsOf } from '../cards/answer'
import { cutAtMentions, meansMe } from './mentions'
import { showNotice, useNotices } from './notices'
import type { RoomData } from './reduce'

export interface Toast {
  id: string
  text: string
}

type Spoken =
  | { kind: 'message'; name: string; text: string }
  | { kind: 'tool'; tool: string; isOk: boolean; seconds: string }
  | { kind: 'joined' | 'left'; name: string }

interface Alerts {
  unseen: number
  headline: string
  spoken: Spoken | null
  toasts: Toast[]
  seen: () => void
  dismiss: (id: string) => void
}

export const useAlerts = create<Alerts>((set) => ({
  unseen: 0,
  headline: '',
  spoken: null,
  toasts: [],
  seen: () => set({ unseen: 0, headline: '' }),
  dismiss: (id) => set((state) => ({ toasts: state.toasts.filter((toast) => toast.id !== id) })),
}))

export function isForMe(mentions: readonly string[], me: { id: string; name: string }): boolean {
  return mentions.some((who) => who === me.id || who === me.name || who === '@all')
}

/** Tell of `frame`, once, after the room has taken it in. */
export function alerted(frame: Frame, room: RoomData): void {
  if (frame.type === 'reminder_fired') fired(frame.data.reminder as Reminder, room)
  if (frame.type === 'message_new') said(frame.data.message as Message, room)
  if (frame.type === 'done') finished(String(frame.data.message_id), room)
  if (frame.type === 'presence') moved(frame.data, room)
  if (frame.type === 'tool_complete') called(frame.data.call as ToolCall)
  // A message that was refused says so itself.
  if (frame.type === 'error' && !frame.data.client_id) complain(String(frame.data.detail ?? ''))
}

/** Show what could not be done. */
export function complain(text: string): void {
  notifications.show({ color: 'red', message: text })
}

function fired(reminder: Reminder, room: RoomData): void {
  if (!isForMe(reminder.mentions.length ? reminder.mentions : [reminder.created_by], room.me)) return
  showNotice(`⏰ ${reminder.text}`, '', `reminder-${reminder.id}`)
  const toast = { id: `${reminder.id}-${Date.now()}`, text: reminder.text }
  useAlerts.setState((state) => ({
    toasts: [...state.toasts, toast].slice(-3),
    headline: `⏰ ${reminder.text}`,
    unseen: state.unseen + 1,
  }))
}

function said(message: Message, room: RoomData): void {
  if (message.author.id === room.me.id) return
  const { ownWords } = useNotices.getState()
  const pieces = cutAtMentions(message.text, [room.me.name], ownWords)
  const isMentioned = pieces.some((piece) => piece.mention && meansMe(piece.mention, room.me.name, ownWords))
  if (isMentioned && !message.reminder) showNotice(message.author.name, wordsOf(message), message.id)
  useAlerts.setState((state) => ({
    spoken: { kind: 'message', name: message.author.name, text: wordsOf(message) },
    unseen: document.hidden ? state.unseen + 1 : state.unseen,
  }))
}

function finished(id: string, room: RoomData): void {
  const message = room.messages.findLast((one) => one.id === id)
  if (message) useAlerts.setState({ spoken: { kind: 'message', name: message.author.name, text: wordsOf(message) } })
}

function moved(data: Frame['data'], room: RoomData): void {
  const kind = data.joined ? 'joined' : 'left'
  const who = data[kind] as Author | undefined
  if (who && who.id !== room.me.id) useAlerts.setState({ spoken: { kind, name: who.name } })
}

function called(call: ToolCall): void {
  const seconds = ((call.duration_ms ?? 0) / 1000).toFixed(1)
  useAlerts.setState({ spoken: { kind: 'tool', tool: call.name, isOk: call.status === 'ok', seconds } })
}
