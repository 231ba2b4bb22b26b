import { IconWorld } from '@tabler/icons-react'
import { useMemo, type ReactNode } from 'react'
import { useWords } from '../language/language'
import type { Message, ToolCall } from '../wire/frames'
import { hostOf, SafeLink } from './links'
import { useRoom } from './store'

interface PageFacts {
  title: string
  excerpt: string
}

const ADDRESS = /https?:\/\/[^\s<>"'）】」)\]]+[^\s<>"'）】」)\].,;:!?，。；：！？]/gu
const MAX_EXCERPT_LENGTH = 200
const MAX_PREVIEWS = 3

/** An address without what does not tell pages apart. */
function normal(address: string): string {
  return address.replace(/^https?:\/\/(www\.)?/, '').replace(/#.*$/, '').replace(/\/$/, '')
}

function valueOf(call: ToolCall): Record<string, unknown> {
  try {
    const value: unknown = typeof call.result === 'string' ? JSON.parse(call.result) : call.result
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** The pages that a call has read or found, by their addresses. */
function pagesOf(call: ToolCall): [string, PageFacts][] {
  if (call.status !== 'ok') return []
  const value = valueOf(call)
  const read = typeof value.url === 'string' ? [{ url: value.url, title: value.title, snippet: value.text }] : []
  const found = Array.isArray(value.sources) ? (value.sources as Record<string, unknown>[]) : []
  return [...read, ...found].flatMap(({ url, title, snippet }): [string, PageFacts][] =>
    typeof url === 'string' && title ? [[normal(url), { title: String(title), excerpt: String(snippet ?? '').trim().slice(0, MAX_EXCERPT_LENGTH) }]] : [],
  )
}

let cached: { messages: Message[]; pages: Map<string, PageFacts> } = { messages: [], pages: new Map() }

/** What the bot knows of pages from its own calls in this room; nothing is fetched for it. */
function knownPages(messages: Message[]): Map<string, PageFacts> {
  if (cached.messages !== messages) {
    const calls = messages.flatMap((message) => message.tool_calls ?? [])
    cached = { messages, pages: new Map(calls.flatMap(pagesOf)) }
  }
  return cached.pages
}

/** The pages that a message links to, where the bot has read them already. */
export function LinkPreviews({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const addresses = useMemo(() => [...new Set(message.text.match(ADDRESS) ?? [])].slice(0, MAX_PREVIEWS), [message.text])
  const messages = useRoom((room) => (addresses.length ? room.messages : null))
  if (!messages) return null
  // A search shows its sources itself.
  const own = new Set((message.tool_calls ?? []).flatMap((call) => pagesOf(call).map(([url]) => url)))
  const pages = knownPages(messages)
  const shown = addresses.filter((address) => pages.has(normal(address)) && !own.has(normal(address)))
  return shown.map((address) => {
    const page = pages.get(normal(address)) as PageFacts
    return (
      <aside key={address} className="link-preview" aria-label={words.message.linkPreview}>
        <span className="muted link-host">
          <IconWorld size={14} aria-hidden="true" /> {hostOf(address)}
        </span>
        <SafeLink href={address}>{page.title}</SafeLink>
        {page.excerpt && <span className="muted link-excerpt">{page.excerpt}</span>}
      </aside>
    )
  })
}
