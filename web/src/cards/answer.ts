/** What an answer of the bot is shown as: cards for what its calls did and found, and the words that remain. */

import type { Author, Choice, Message, ToolCall } from '../wire/frames'

export interface Source {
  title: string
  url: string
  snippet: string
}

export interface FoundMessage {
  id: string
  when: string
  who: string
  text: string
}

export interface Point {
  text: string
  message_ids: string[]
}

export type Card =
  | { kind: 'reminder'; id: string; action: string; content: string }
  | { kind: 'reminders'; ids: string[]; contents: string[] }
  | { kind: 'summary'; points: Point[]; text: string }
  | { kind: 'search'; answer: string; sources: Source[] }
  | { kind: 'found'; query: string; messages: FoundMessage[] }

export interface Answer {
  cards: Card[]
  /** The text without what the cards show. */
  rest: string
  /** Calls that ended well: shown on demand only. */
  done: ToolCall[]
  /** Calls that run or have failed: always shown. */
  open: ToolCall[]
  /** The button that takes the change back. */
  undo: Choice | undefined
}

type Value = Record<string, unknown>

const REMINDER_ID = /^[a-z][a-z0-9]{5,}$/
const ID_IN_TEXT = / ?\[(?:[a-z][a-z0-9]{5,}|m\d+)\](?!\()/g
const OPTION = /^\s*\d+[.)]\s+(.*)$/
const NAMED_OPTION = /^\s*\d+[.)]\s+\[([a-z][a-z0-9]{5,})\]\s+(.*)$/
const MAX_CARDS = 4
const INNER_OF_UNDO = /\/undo\d+$/
const RECORDED = 'tc_'

/** The result of a call: the socket has it as it is, the history as JSON. */
function valueOf(call: Pick<ToolCall, 'result'>): Value {
  if (typeof call.result !== 'string') return (call.result ?? {}) as Value
  try {
    const value: unknown = JSON.parse(call.result)
    return typeof value === 'object' && value !== null ? (value as Value) : {}
  } catch {
    return {}
  }
}

function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? (value as T[]) : []
}

function changedReminders(call: ToolCall): Card[] {
  if (!call.name.startsWith('reminder')) return []
  const changes = (call.changes ?? []).filter((change) => REMINDER_ID.test(change.subject))
  const content = String(call.arguments?.content ?? '')
  if (changes.length > MAX_CARDS) return [{ kind: 'reminders', ids: changes.map((change) => change.subject), contents: [] }]
  return changes.map(({ action, subject }) => ({ kind: 'reminder', id: subject, action, content }))
}

function cardsOfCall(call: ToolCall): Card[] {
  if (call.status !== 'ok') return []
  const value = valueOf(call)
  const changed = changedReminders(call)
  if (changed.length) return changed
  if (call.name === 'reminder_list') {
    const listed = listOf<{ id: string; content: string }>(value.reminders)
    return listed.length ? [{ kind: 'reminders', ids: listed.map((one) => one.id), contents: listed.map((one) => one.content) }] : []
  }
  const points = listOf<Point>(value.bullets)
  if (points.length) return [{ kind: 'summary', points, text: call.text ?? '' }]
  const sources = listOf<Source>(value.sources)
  if (sources.length) return [{ kind: 'search', answer: String(value.answer ?? ''), sources }]
  const messages = listOf<FoundMessage>(value.messages).filter((one) => typeof one.id === 'string' && typeof one.text === 'string')
  if (call.name === 'history_search' && messages.length) return [{ kind: 'found', query: String(call.arguments?.query ?? ''), messages }]
  return []
}

/** One card for a reminder, however many calls were about it: the last change counts. */
function merged(cards: Card[]): Card[] {
  const last = new Map(cards.flatMap((card, at) => (card.kind === 'reminder' ? [[card.id, at] as const] : [])))
  return cards.filter((card, at) => card.kind !== 'reminder' || last.get(card.id) === at)
}

function without(text: string, parts: string[]): string {
  const longestFirst = parts.filter(Boolean).sort((one, other) => other.length - one.length)
  return longestFirst.reduce((rest, part) => rest.replace(part, ''), text).trim()
}

/** The words of the bot without the ids that it knows things by. */
export function withoutIds(text: string): string {
  return text.replace(ID_IN_TEXT, '')
}

/** What a message says, as it is read: the bot knows things by ids that nobody needs to see. */
export function wordsOf({ author, text }: { author: Pick<Author, 'kind'>; text: string }): string {
  return author.kind === 'bot' ? withoutIds(text) : text
}

type Undoable = Pick<ToolCall, 'id' | 'name' | 'result'>

/** The calls without those that an undo made: they run functions that nobody can call, and say what the undo says. */
export function outerCalls<Call extends Undoable>(calls: readonly Call[]): Call[] {
  const inner = new Set<Call>()
  calls.forEach((call, at) => {
    // The socket gives their ids; the history has them before the undo, one for each thing that it says.
    if (INNER_OF_UNDO.test(call.id)) inner.add(call)
    if (call.name !== 'undo' || !call.id.startsWith(RECORDED)) return
    for (const each of calls.slice(Math.max(0, at - listOf(valueOf(call).undone).length), at)) inner.add(each)
  })
  return calls.filter((call) => !inner.has(call))
}

/** The cards of an answer, and what it says besides them. */
export function answerOf(message: Message): Answer {
  const calls = message.tool_calls ?? []
  const outer = outerCalls(calls)
  const shown = calls.map((call) => ({ call, cards: cardsOfCall(call) }))
  const isUndo = calls.some((call) => call.name === 'undo' && call.status === 'ok')
  const cards = merged(shown.flatMap((one) => one.cards)).map((card) => (isUndo && card.kind === 'reminder' ? { ...card, action: 'undone' } : card))
  const carded = shown.filter((one) => one.cards.length || (cards.length > 0 && one.call.name === 'undo'))
  const texts = carded.map(({ call }) => call.text ?? '')
  const warnings = carded.flatMap(({ call }) => listOf<string>(valueOf(call).warnings))
  return {
    cards,
    rest: withoutIds([without(message.text, texts), ...warnings].filter(Boolean).join('\n\n')),
    done: outer.filter((call) => call.status === 'ok'),
    open: outer.filter((call) => call.status !== 'ok'),
    undo: message.choices?.find((choice) => choice.change_id),
  }
}

export interface Question {
  text: string
  options: Choice[]
}

/** A refused call that names several reminders: each becomes a button that calls again with the reminder's id. */
function optionsOfRefusal(message: Message): Choice[] {
  const call = message.tool_calls?.findLast((one) => one.status === 'error' && typeof one.arguments?.reminder_id === 'string')
  if (!call) return []
  return message.text.split('\n').flatMap((line) => {
    const [, id, label] = NAMED_OPTION.exec(line) ?? []
    return id && label ? [{ label, says: commandOf(call.name, { ...call.arguments, reminder_id: id }) }] : []
  })
}

/** The buttons of a message, its own and those of a refusal. */
export function optionsOf(message: Message): Choice[] {
  return [...(message.choices ?? []), ...(message.choices?.length ? [] : optionsOfRefusal(message))]
}

/** A question with buttons, worded without the list that the buttons repeat; null where nothing is asked. */
export function questionOf(message: Message): Question | null {
  const options = optionsOf(message).filter((choice) => !choice.change_id)
  const isAsked = !message.choices?.length || options.some((choice) => choice.expires_at)
  if (!options.length || message.reminder || !isAsked) return null
  const lines = message.text.split('\n').filter((line) => {
    const option = OPTION.exec(line)?.[1]
    return !option || !options.some((choice) => option.includes(choice.label))
  })
  // Behind the question stands how to answer it in words.
  const text = lines.join('\n').trim().replace(/([?？])[^?？\n]*$/u, '$1')
  return { text: withoutIds(text), options }
}

function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** A call as a command that one could type: `/reminder_set time="9:00"`. */
export function commandOf(name: string, given: Record<string, unknown>): string {
  return [`/${name}`, ...Object.entries(given).map(([key, value]) => `${key}=${quoted(value)}`)].join(' ')
}

/** The name and the arguments of a typed command; null for other texts. */
export function parsedCommand(text: string): { name: string; given: [string, string][] } | null {
  const name = /^\/([a-z][a-z0-9_]*)(?=\s|$)/i.exec(text)?.[1]
  if (!name) return null
  const given = [...text.matchAll(/(\w+)=(?:"((?:\\.|[^"\\])*)"|(\S+))/g)].map(
    ([, key = '', value, bare]): [string, string] => [key, value === undefined ? (bare ?? '') : value.replace(/\\(.)/g, '$1')],
  )
  return { name, given }
}

/** A pressed button: who pressed it, what it says, and for a delivered reminder the bot's answer. */
export interface Press {
  id: string
  who: string
  label: string
  answer: Message | null
}

/** Messages that only press a button are shown at the message with the button; returned by its id. */
export function pressesOf(messages: readonly Message[]): { pressed: Map<string, Press[]>; hidden: Set<string> } {
  const pressed = new Map<string, Press[]>()
  const hidden = new Set<string>()
  const byId = new Map(messages.map((message) => [message.id, message]))
  const answers = new Map(messages.flatMap((message) => (message.author.kind === 'bot' && message.reply_to ? [[message.reply_to, message] as const] : [])))
  for (const message of messages) {
    const host = message.author.kind === 'person' && message.reply_to ? byId.get(message.reply_to) : undefined
    const choice = host?.author.kind === 'bot' ? optionsOf(host).find((one) => one.says === message.text.trim()) : undefined
    if (!host || !choice) continue
    const answer = host.reminder ? (answers.get(message.id) ?? null) : null
    hidden.add(message.id)
    if (answer) hidden.add(answer.id)
    pressed.set(host.id, [...(pressed.get(host.id) ?? []), { id: message.id, who: message.author.name, label: choice.label, answer }])
  }
  return { pressed, hidden }
}
