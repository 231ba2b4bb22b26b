/** What goes over the room's WebSocket. */

export type AuthorKind = 'person' | 'bot'

export interface Author {
  id: string
  name: string
  kind: AuthorKind
}

export type CallStatus = 'running' | 'ok' | 'error' | 'timeout' | 'denied'

export interface ToolCall {
  id: string
  name: string
  arguments: Record<string, unknown> | null
  status: CallStatus
  result?: unknown
  error?: string | null
  /** The part of the answer that the call has worded. */
  text?: string
  /** What the call has changed: `action` is its past tense, `subject` the id. */
  changes?: { action: string; subject: string }[]
  truncated?: boolean
  duration_ms?: number | null
  started_at?: string | null
  /** The words of each RFC 5545 rule in the call, by language and then by rule. */
  rule_words?: Partial<Record<string, Record<string, string>>>
}

export interface Choice {
  label: string
  says: string
  /** Older bots say nothing of these. */
  state?: 'live' | 'used' | 'expired'
  /** The ids of the people whom it serves; empty for everybody. */
  only_for?: string[]
  expires_at?: string | null
  /** The change that the button takes back. */
  change_id?: string | null
}

export interface Attachment {
  kind: string
  description: string
  url: string | null
}

export interface Message {
  id: string
  client_id?: string | null
  author: Author
  text: string
  reply_to?: string | null
  ts: string
  edited?: boolean
  stopped?: boolean
  /** The message that this one answers may succeed later. */
  retryable?: boolean
  tool_calls?: ToolCall[]
  choices?: Choice[]
  attachments?: Attachment[]
  reactions?: Record<string, string[]>
  reminder?: FiredReminder | null
  mentions?: string[]
}

export interface FiredReminder {
  id: string
  text: string
  late_ms: number | null
  due_at: string
}

export type ReminderStatus = 'active' | 'paused' | 'done' | 'cancelled' | 'fired'

export interface Reminder {
  id: string
  text: string
  due_at: string | null
  next?: string[]
  tz: string
  repeat: string
  repeat_words?: Partial<Record<string, string>>
  created_by: string
  created_by_name?: string
  mentions: string[]
  status: ReminderStatus
  late_ms?: number | null
}

export interface Hello {
  epoch: string
  seq: number
  server_time: string
  /** Older bots name no role and no zone. */
  me: { id: string; name: string; role?: string; time_zone?: string }
  members: Author[]
  messages: Message[]
  reminders: Reminder[]
  bot: { name: string; model?: string | null }
  limits?: { upload_kilobytes?: number; upload_types?: string[]; message_length?: number }
  page_tool_servers?: string[]
  is_replay?: boolean
}

export interface Frame {
  v: number
  type: string
  session_id: string
  seq: number
  ts: string
  data: Record<string, unknown>
}
