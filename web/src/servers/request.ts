/** Lays out the request of a call and reads what comes back. */

import { part, type Operation } from './document'

const MAX_ANSWER_LENGTH = 100_000
const WITHIN_MS = 50_000

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function addressOf(operation: Operation, base: string, given: Record<string, unknown>): URL {
  const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(asText(given[name] ?? '')))
  // A browser resolves them, even escaped, and would ask for another operation.
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) throw new Error('an argument in the path is "." or ".."')
  const url = new URL(base + path)
  if (url.origin !== new URL(base).origin) throw new Error('the operation leads to another server')
  for (const [name, value] of Object.entries(given)) {
    if (operation.places[name] !== 'query') continue
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, asText(one))
  }
  return url
}

function bodyOf(operation: Operation, given: Record<string, unknown>): BodyInit | undefined {
  if (operation.bodyType === null) return undefined
  const members = Object.fromEntries(Object.entries(given).filter(([name]) => operation.places[name] === 'member'))
  const whole = operation.places.body === 'body' ? given.body : members
  if (whole === undefined) return undefined
  if (operation.bodyType === 'json') return JSON.stringify(whole)
  return new URLSearchParams(Object.entries(part(whole)).map(([name, value]) => [name, asText(value)]))
}

function headersOf(operation: Operation, given: Record<string, unknown>, key: string): Headers {
  const headers = new Headers({ Accept: 'application/json' })
  if (key) headers.set('Authorization', `Bearer ${key}`)
  if (operation.bodyType === 'json') headers.set('Content-Type', 'application/json')
  for (const [name, value] of Object.entries(given)) {
    if (operation.places[name] === 'header') headers.set(name, asText(value))
  }
  return headers
}

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text.length > MAX_ANSWER_LENGTH) return text.slice(0, MAX_ANSWER_LENGTH)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function complaintOf(status: number, said: unknown): string {
  const { detail, message, error } = part(said)
  return `HTTP ${status}: ${asText(detail ?? message ?? error ?? said).slice(0, 600)}`
}

/** Call an operation of the server at `base`.
 *
 * Throws an `Error` that says, for the model, what went wrong.
 */
export async function called(operation: Operation, base: string, given: Record<string, unknown>, key: string): Promise<unknown> {
  const response = await fetch(addressOf(operation, base, given), {
    method: operation.method.toUpperCase(),
    headers: headersOf(operation, given, key),
    body: bodyOf(operation, given),
    credentials: 'omit',
    redirect: 'error',
    signal: AbortSignal.timeout(WITHIN_MS),
  })
  const said = await answerOf(response)
  if (!response.ok) throw new Error(complaintOf(response.status, said))
  return said
}
