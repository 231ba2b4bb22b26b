import { useLanguage } from '../language/language'
import { token } from './identity'

/** An answer that is not a success, in the bot's own words. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string
  readonly fields: Record<string, string>
  /** The whole body, for answers that have more than every error has. */
  readonly body: Record<string, unknown>

  constructor(status: number, body: { code?: string; detail?: unknown; hint?: string; fields?: Record<string, string> }) {
    super(typeof body.detail === 'string' ? body.detail : `HTTP ${status}`)
    this.status = status
    this.code = body.code ?? 'http_error'
    this.hint = body.hint ?? ''
    this.fields = body.fields ?? {}
    this.body = body
  }
}

/** Whether asking again may help: the bot was not reached, failed, or is asked too often. */
export function canRetry(error: unknown): boolean {
  return !(error instanceof Refused) || error.status === 429 || error.status >= 500
}

const TIMEOUT_MS = 20_000

/** Ask the bot's HTTP API for JSON.
 *
 * Throws `Refused` when it answers with an error, `TypeError` when it is not reached.
 */
export async function ask<T>(path: string, options: { method?: string; body?: unknown; signal?: AbortSignal; timeoutMs?: number } = {}): Promise<T> {
  const headers: Record<string, string> = { Accept: 'application/json', 'Accept-Language': useLanguage.getState().language }
  if (token()) headers.Authorization = `Bearer ${token()}`
  if (options.body !== undefined) headers['Content-Type'] = 'application/json'
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
  const response = await fetch(path, {
    method: options.method ?? 'GET',
    headers,
    body: options.body === undefined ? undefined : JSON.stringify(options.body),
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
  })
  if (response.status === 204) return undefined as T
  const body: unknown = await response.json().catch(() => ({}))
  if (!response.ok) throw new Refused(response.status, body as ConstructorParameters<typeof Refused>[1])
  return body as T
}

/** Send a file as it is; the answer is JSON. Throws what `ask` throws. */
export async function upload<T>(path: string, file: Blob): Promise<T> {
  const headers: Record<string, string> = { 'Accept-Language': useLanguage.getState().language, 'Content-Type': 'application/octet-stream' }
  if (token()) headers.Authorization = `Bearer ${token()}`
  const response = await fetch(path, { method: 'POST', headers, body: file })
  const body: unknown = await response.json().catch(() => ({}))
  if (!response.ok) throw new Refused(response.status, body as ConstructorParameters<typeof Refused>[1])
  return body as T
}

/** A path with those of `values` that are set as its query. */
export function withQuery(path: string, values: Record<string, string | number | null | undefined>): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') query.set(key, String(value))
  }
  const text = query.toString()
  return text ? `${path}?${text}` : path
}
