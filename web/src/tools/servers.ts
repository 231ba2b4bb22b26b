import { ask } from '../wire/rest'
import type { Saved } from '../settings/api'

export interface Server {
  name: string
  type: 'openapi' | 'mcp'
  url: string
  has_key: boolean
  confirm: 'changes' | 'always' | 'never'
  enabled: boolean
}

export interface NewServer {
  type: Server['type']
  url: string
  name: string
  key: string
  confirm: Server['confirm']
}

export interface Probe {
  tools: string[]
  problem: string
}

export interface Source {
  label: string
  kind: string
  title: string
  is_ok: boolean
  detail: string
  tools: string[]
}

export interface StoredTool {
  id: string
  name: string
  content: string
  meta: { description?: string }
  is_enabled: boolean
}

const SERVERS = '/api/tools/servers'
const STORED = '/api/tools'

export async function fetchServers(): Promise<Server[]> {
  return (await ask<{ servers: Server[] }>(SERVERS)).servers
}

export async function fetchSources(): Promise<Source[]> {
  return (await ask<{ sources: Source[] }>('/api/tools/sources')).sources
}

export function tryServer(server: NewServer): Promise<Probe> {
  return ask(`${SERVERS}/test`, { method: 'POST', body: server })
}

export function tryStored(name: string): Promise<Probe> {
  return ask(`${SERVERS}/${encodeURIComponent(name)}/test`, { method: 'POST' })
}

export function addServer(server: NewServer): Promise<Saved> {
  return ask(SERVERS, { method: 'POST', body: server })
}

export function changeServer(name: string, change: Partial<Pick<Server, 'enabled' | 'confirm'>>): Promise<Saved> {
  return ask(`${SERVERS}/${encodeURIComponent(name)}`, { method: 'PATCH', body: change })
}

export function removeServer(name: string): Promise<Saved> {
  return ask(`${SERVERS}/${encodeURIComponent(name)}`, { method: 'DELETE' })
}

export async function fetchStoredTools(): Promise<StoredTool[]> {
  return (await ask<{ tools: StoredTool[] }>(`${STORED}/export`)).tools
}

export function saveStoredTool(id: string | null, content: string, name: string, description: string): Promise<StoredTool> {
  const body = { content, name, meta: { description } }
  return ask(id === null ? `${STORED}/create` : `${STORED}/id/${id}/update`, { method: 'POST', body })
}

export function switchStoredTool(id: string, isEnabled: boolean): Promise<StoredTool> {
  return ask(`${STORED}/id/${id}/toggle`, { method: 'POST', body: { is_enabled: isEnabled } })
}

export function removeStoredTool(id: string): Promise<unknown> {
  return ask(`${STORED}/id/${id}/delete`, { method: 'DELETE' })
}
