/** Reads the OpenAPI 3 document of a tool server into the operations that a page can call. */

export type Json = Record<string, unknown>
export type Place = 'path' | 'query' | 'header' | 'member' | 'body'

export interface Operation {
  name: string
  description: string
  parameters: Json
  method: string
  path: string
  places: Record<string, Place>
  bodyType: 'json' | 'form' | null
}

export interface Described {
  title: string
  base: string
  operations: Operation[]
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const
const FORM = 'application/x-www-form-urlencoded'
const DEEPEST = 24
const MAX_PARTS = 100_000

export class DocumentInvalid extends Error {}

export function part(value: unknown): Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** What `#/a/b` points to. References to other documents point to nothing: only this one was fetched. */
function pointedAt(root: Json, reference: string): unknown {
  if (!reference.startsWith('#/')) return {}
  const keys = reference.slice(2).split('/')
  return keys.reduce<unknown>((found, key) => part(found)[key.replaceAll('~1', '/').replaceAll('~0', '~')], root)
}

/** Writes references out, as far as they are not parts of themselves; a document that grows without end is refused. */
function resolver(root: Json): (value: unknown) => unknown {
  let parts = 0
  const resolved = (value: unknown, trail: readonly string[], depth: number): unknown => {
    parts += 1
    if (parts > MAX_PARTS) throw new DocumentInvalid('too large')
    if (value === null || typeof value !== 'object') return value
    if (depth > DEEPEST) return {}
    if (Array.isArray(value)) return value.map((one) => resolved(one, trail, depth + 1))
    const reference = (value as Json).$ref
    if (typeof reference === 'string') {
      return trail.includes(reference) ? {} : resolved(pointedAt(root, reference), [...trail, reference], depth + 1)
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(one, trail, depth + 1)]))
  }
  return (value) => resolved(value, [], 0)
}

interface Arguments {
  properties: Json
  required: string[]
  places: Record<string, Place>
}

/** The arguments in path, query and headers; a browser sends no cookies to other sites, so those are left out. */
function parametersOf(listed: unknown[]): Arguments {
  const found: Arguments = { properties: {}, required: [], places: {} }
  for (const each of listed.map(part)) {
    const { name, in: place } = each
    if (typeof name !== 'string' || (place !== 'path' && place !== 'query' && place !== 'header')) continue
    const schema = part(each.schema)
    found.properties[name] = { ...schema, ...(schema.description === undefined && { description: each.description }) }
    found.places[name] = place
    if (place === 'path' || each.required === true) found.required.push(name)
  }
  return found
}

/** Add the body: its members beside the other arguments, or where that cannot be, as one argument. */
function addBody(found: Arguments, schema: Json, isRequired: boolean): void {
  const members = part(schema.properties)
  const names = Object.keys(members)
  if (names.length === 0 || names.some((name) => name in found.places)) {
    found.properties.body = schema
    found.places.body = 'body'
    if (isRequired) found.required.push('body')
    return
  }
  for (const name of names) {
    found.properties[name] = members[name]
    found.places[name] = 'member'
  }
  if (isRequired) found.required.push(...list(schema.required).filter((name) => typeof name === 'string'))
}

/** One operation; null where its body is of a kind that the page cannot write. */
function operationOf(path: string, method: string, item: Json, told: Json): Operation | null {
  const found = parametersOf([...list(item.parameters), ...list(told.parameters)])
  const body = part(told.requestBody)
  const content = part(body.content)
  const json = Object.keys(content).find((type) => /[/+]json\b/.test(type))
  const bodyType = json ? 'json' : FORM in content ? 'form' : null
  if (Object.keys(content).length > 0 && bodyType === null) return null
  if (bodyType !== null) addBody(found, part(part(content[json ?? FORM]).schema), body.required === true)
  const texts = [told.summary, told.description].filter((text) => typeof text === 'string' && text !== '')
  return {
    name: typeof told.operationId === 'string' ? told.operationId : `${method}_${path}`.replaceAll(/[^A-Za-z0-9]+/g, '_'),
    description: [...new Set(texts)].join('\n'),
    parameters: { type: 'object', properties: found.properties, required: [...new Set(found.required)] },
    method,
    path,
    places: found.places,
    bodyType,
  }
}

/** Where requests go: the document's first server if it is of the same origin, else what was asked for. */
function baseOf(root: Json, address: string): string {
  const named = part(list(root.servers)[0]).url
  const own = address.replace(/\/[^/]*\.json$/, '')
  if (typeof named !== 'string' || named.includes('{') || !URL.canParse(named, address)) return own
  const url = new URL(named, address)
  return url.origin === new URL(address).origin ? url.href.replace(/\/$/, '') : own
}

/** The operations of a document that was fetched from `address`.
 *
 * Throws `DocumentInvalid` when it is no OpenAPI 3 document.
 */
export function describedBy(document: unknown, address: string): Described {
  const root = part(document)
  if (typeof root.openapi !== 'string' || !root.openapi.startsWith('3.')) throw new DocumentInvalid('not OpenAPI 3')
  const resolved = resolver(root)
  const operations: Operation[] = []
  for (const [path, each] of Object.entries(part(root.paths))) {
    const item = part(resolved(each))
    for (const method of METHODS) {
      if (item[method] === undefined) continue
      const operation = operationOf(path, method, item, part(item[method]))
      if (operation) operations.push(operation)
    }
  }
  const title = part(root.info).title
  return { title: typeof title === 'string' ? title : '', base: baseOf(root, address), operations }
}
