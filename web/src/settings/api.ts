import { keepToken } from '../wire/identity'
import { ask, Refused } from '../wire/rest'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
/** New values by key (`model.base_url`); null takes back what was changed here. */
export type Values = Record<string, Json>

export interface Setting {
  group: string
  name: string
  value: Json
  default: Json
  description: string
  is_secret: boolean
  is_set: boolean
  value_schema: { type?: string; format?: string; enum?: Json[]; minimum?: number; maximum?: number; items?: { enum?: Json[] } }
  origin: 'default' | 'file' | 'page' | 'environment'
  origin_name: string
  is_editable: boolean
  needs_restart: boolean
}

export interface AllSettings {
  settings: Setting[]
  platforms: string[]
  file: string
  started_at: string
  problem: string
}

export interface Saved {
  id: number
  is_applied: boolean
  restart: string[]
}

export interface Change {
  id: number
  at: string
  person: string
  values: { key: string; before: Json; after: Json }[]
  undoes: number | null
  problem: string
}

export interface TestResult {
  about: string
  said: string
  next_step: string
  is_problem: boolean
}

export const SETTINGS_KEY = ['settings']
const PATH = '/api/admin/settings'
const POLL_MS = 300
const PATIENCE_MS = 30_000
/** A platform's library is loaded for its first test, and a local model may have to be. */
const TEST_MS = 90_000

export function keyOf(setting: Setting): string {
  return `${setting.group}.${setting.name}`
}

export function fetchSettings(): Promise<AllSettings> {
  return ask(PATH)
}

export async function saveSettings(values: Values): Promise<Saved> {
  const saved = await ask<Saved>(PATH, { method: 'PATCH', body: { values } })
  // From now on the bot asks this tab for the token, too.
  const ownToken = values['http.token']
  if (typeof ownToken === 'string') keepToken(ownToken)
  return saved
}

export async function fetchChanges(): Promise<Change[]> {
  return (await ask<{ changes: Change[] }>(`${PATH}/changes`)).changes
}

export function undoChange(id: number): Promise<Saved> {
  return ask(`${PATH}/changes/${id}/undo`, { method: 'POST' })
}

/** Try `model`, `search` or a platform with values that are not kept. */
export async function testPart(part: string, values: Values): Promise<TestResult[]> {
  return (await ask<{ results: TestResult[] }>(`${PATH}/test`, { method: 'POST', body: { part, values }, timeoutMs: TEST_MS })).results
}

export async function isSetupOffered(): Promise<boolean> {
  return (await ask<{ is_offered: boolean }>('/api/setup')).is_offered
}

/** Wait until the bot runs with what was saved; null where that takes too long. */
export async function untilApplied(startedAt: string): Promise<AllSettings | null> {
  const end = Date.now() + PATIENCE_MS
  while (Date.now() < end) {
    try {
      const now = await fetchSettings()
      if (now.started_at !== startedAt) return now
    } catch (error) {
      if (error instanceof Refused && error.status < 500) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return null
}
