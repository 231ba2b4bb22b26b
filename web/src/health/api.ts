import { ask } from '../wire/rest'

export type State = 'ok' | 'warning' | 'error'

export interface Check {
  name: string
  state: State
  detail: string
  fix: string
  /** The setting or the group of settings that mends it; empty where none does. */
  setting?: string
}

export interface HealthReport {
  checks: Check[]
  versions: Record<string, string>
  uptime_seconds: number
}

export interface Adapter {
  name: string
  state: string
  detail: string
  since: string | null
  last_event: string | null
  reconnects: number
  queue: number
}

export function fetchHealth(): Promise<HealthReport> {
  return ask('/api/admin/health')
}

export async function fetchAdapters(): Promise<Adapter[]> {
  const answer = await ask<{ adapters: Adapter[] }>('/api/admin/adapters')
  return answer.adapters
}
