import { ask, withQuery } from '../wire/rest'

export interface CallEntry {
  id: string
  name: string
  arguments: unknown
  result: unknown
  error: string | null
  said: string
  status: string
  duration: number
  chat: string
  message_id: string
  user_message: string
  person: string
  route: string
  model: string
  at: string
}

export interface MessageEntry {
  id: string
  chat: string
  author: { id: string; name: string; kind: string }
  text: string
  ts: string
}

export interface PageOf<T> {
  items: T[]
  next: string | null
}

export interface Filters {
  q: string
  status: string
  tool: string
}

const LIMIT = 50

export function fetchCalls(filters: Filters, before: string | null): Promise<PageOf<CallEntry>> {
  return ask(withQuery('/api/admin/tool-calls', { ...filters, before, limit: LIMIT }))
}

export interface TurnEntry {
  person: string
  at: string
  route: string
  reply: string
  duration: number
  tokens: number
}

/** One interpreted message with the calls it led to. */
export function fetchTurn(chat: string, messageId: string): Promise<{ turn: TurnEntry; calls: CallEntry[] }> {
  return ask(`/api/admin/turns/${encodeURIComponent(chat)}/${encodeURIComponent(messageId)}`)
}

export function fetchMessages(filters: Filters, before: string | null): Promise<PageOf<MessageEntry>> {
  return ask(withQuery('/api/admin/messages', { q: filters.q, before, limit: LIMIT }))
}
