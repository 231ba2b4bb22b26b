import type { Viewpoint } from '../reminders/api'
import { ask, withQuery } from '../wire/rest'

export interface Tool {
  name: string
  description: string
  parameters: Record<string, unknown>
  source: string
  health: { is_ok: boolean; detail: string }
  permission: string
  confirm: boolean
  calls: number
  p95_ms: number | null
}

/** What this person may call in this room. */
export async function fetchTools(viewpoint: Viewpoint): Promise<Tool[]> {
  return (await ask<{ tools: Tool[] }>(withQuery('/api/tools', { ...viewpoint }))).tools
}

export interface Outcome {
  ok: boolean
  result?: unknown
  text?: string
  error?: string | null
  duration_ms?: number | null
}

function invocation(viewpoint: Viewpoint, given: Record<string, unknown>, isDryRun: boolean) {
  return { ...viewpoint, arguments: given, ...(isDryRun && { dry_run: true }) }
}

/** Run a tool in this room as this person, or with `isDryRun` only check the arguments. */
export function invokeTool(viewpoint: Viewpoint, name: string, given: Record<string, unknown>, isDryRun: boolean): Promise<Outcome> {
  return ask(`/api/tools/${encodeURIComponent(name)}/invoke`, { method: 'POST', body: invocation(viewpoint, given, isDryRun) })
}

/** The same call as a command for a shell. */
export function curlOf(viewpoint: Viewpoint, name: string, given: Record<string, unknown>): string {
  const body = JSON.stringify(invocation(viewpoint, given, false)).replaceAll("'", String.raw`'\''`)
  return `curl -X POST ${location.origin}/api/tools/${encodeURIComponent(name)}/invoke -H 'Content-Type: application/json' -d '${body}'`
}
