/** The tool servers of this page: kept in the browser, offered with each message, called when the bot asks. */

import { create } from 'zustand'
import { freshId } from '../wire/ids'
import type { Described, Operation } from './document'

export type Problem = 'address' | 'forbidden' | 'unreachable' | 'refused' | 'document'

export interface Kept {
  url: string
  key: string
}

interface ServersState {
  allowed: string[]
  kept: Kept[]
  described: Record<string, Described>
  problems: Record<string, Problem>
  allow: (origins: string[]) => void
  add: (server: Kept) => Promise<Problem | null>
  remove: (url: string) => void
  refresh: (url: string) => Promise<void>
}

const KEPT = 'bubbles.tool_servers'
const FETCH_WITHIN_MS = 15_000
// The same person may have several tabs open, and all of them hear of a call: the one that offered it makes it.
const TAB = freshId()

function remembered(): Kept[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.url === 'string' && typeof one?.key === 'string') : []
  } catch {
    return []
  }
}

function remember(kept: Kept[]): void {
  if (kept.length) localStorage.setItem(KEPT, JSON.stringify(kept))
  else localStorage.removeItem(KEPT)
}

function withoutKey<T>(record: Record<string, T>, key: string): Record<string, T> {
  const { [key]: _, ...rest } = record
  return rest
}

class Unusable extends Error {
  constructor(readonly problem: Problem) {
    super(problem)
  }
}

function documentAddress(url: string, allowed: string[]): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Unusable('address')
  if (!allowed.includes(new URL(url).origin)) throw new Unusable('forbidden')
  return url.endsWith('.json') ? url : `${url.replace(/\/$/, '')}/openapi.json`
}

/** Fetch the document of a server.
 *
 * Throws `Unusable` with what is wrong.
 */
async function fetched({ url, key }: Kept, allowed: string[]): Promise<Described> {
  const address = documentAddress(url, allowed)
  const headers = { Accept: 'application/json', ...(key && { Authorization: `Bearer ${key}` }) }
  const signal = AbortSignal.timeout(FETCH_WITHIN_MS)
  const response = await fetch(address, { headers, credentials: 'omit', redirect: 'error', signal }).catch(() => {
    throw new Unusable('unreachable')
  })
  if (!response.ok) throw new Unusable('refused')
  const { describedBy, DocumentInvalid } = await import('./document')
  try {
    return describedBy(await response.json(), address)
  } catch (error) {
    if (error instanceof DocumentInvalid || error instanceof SyntaxError) throw new Unusable('document')
    throw new Unusable('unreachable')
  }
}

export const useServers = create<ServersState>((set, get) => ({
  allowed: [],
  kept: remembered(),
  described: {},
  problems: {},
  allow: (origins) => {
    set({ allowed: origins.map((origin) => origin.toLowerCase()) })
    for (const { url } of get().kept) if (!get().described[url]) void get().refresh(url)
  },
  add: async (server) => {
    try {
      const found = await fetched(server, get().allowed)
      const kept = [...get().kept.filter((one) => one.url !== server.url), server]
      remember(kept)
      set((now) => ({ kept, described: { ...now.described, [server.url]: found }, problems: withoutKey(now.problems, server.url) }))
      return null
    } catch (error) {
      return error instanceof Unusable ? error.problem : 'unreachable'
    }
  },
  remove: (url) => {
    const kept = get().kept.filter((one) => one.url !== url)
    remember(kept)
    set((now) => ({ kept, described: withoutKey(now.described, url), problems: withoutKey(now.problems, url) }))
  },
  refresh: async (url) => {
    const server = get().kept.find((one) => one.url === url)
    const problem = server ? await get().add(server) : null
    if (problem) set((now) => ({ problems: { ...now.problems, [url]: problem }, described: withoutKey(now.described, url) }))
  },
}))

function specOf({ name, description, parameters }: Operation) {
  return { type: 'function', name, description, parameters }
}

/** The methods of the operations, from which the bot tells what changes something and has to be asked about. */
function methodsOf(operations: Operation[]) {
  const paths: Record<string, Record<string, { operationId: string }>> = {}
  for (const { name, method, path } of operations) (paths[path] ??= {})[method] = { operationId: name }
  return { paths }
}

/** What a message brings along: the servers with their tools, never the keys. */
export function offeredServers(): Record<string, unknown>[] {
  return Object.entries(useServers.getState().described).map(([url, { operations }]) => ({
    url,
    tab: TAB,
    openapi: methodsOf(operations),
    specs: operations.map(specOf),
  }))
}

export interface Execution {
  id: string
  name: string
  params?: Record<string, unknown>
  server?: { url?: string; tab?: string }
}

/** Carry out a call that the bot asks for; null where another tab will. */
export async function executed(asked: Execution): Promise<Record<string, unknown> | null> {
  if (asked.server?.tab !== TAB) return null
  const { kept, described } = useServers.getState()
  const url = asked.server.url ?? ''
  const server = described[url]
  const operation = server?.operations.find((one) => one.name === asked.name)
  const key = kept.find((one) => one.url === url)?.key ?? ''
  if (!server || !operation) return { id: asked.id, error: 'the page has this tool no longer' }
  try {
    const { called } = await import('./request')
    return { id: asked.id, result: await called(operation, server.base, asked.params ?? {}, key) }
  } catch (error) {
    return { id: asked.id, error: error instanceof Error ? error.message : 'the server was not reached' }
  }
}
