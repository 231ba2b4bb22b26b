/** What the try-it form makes of a JSON Schema, and what it finds wrong before it asks the bot. */

import { Validator } from '@cfworker/json-schema'
import type { Words } from '../language/words'

export interface Schema {
  type?: string | string[]
  title?: string
  description?: string
  enum?: unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  $ref?: string
  $defs?: Record<string, Schema>
}

export type FieldKind = 'choice' | 'text' | 'number' | 'flag' | 'texts' | 'json'

/** A schema without its "or null" and with its reference followed. */
export function plain(schema: Schema, root: Schema): Schema {
  if (schema.$ref?.startsWith('#/$defs/')) {
    return plain({ ...root.$defs?.[schema.$ref.slice(8)], ...(schema.description && { description: schema.description }) }, root)
  }
  const options = schema.anyOf?.filter((option) => option.type !== 'null')
  if (options?.length === 1) return { ...plain(options[0] as Schema, root), description: schema.description }
  return schema
}

function typeOf(schema: Schema): string {
  const types = Array.isArray(schema.type) ? schema.type.filter((type) => type !== 'null') : [schema.type ?? '']
  return types.length === 1 ? (types[0] ?? '') : ''
}

/** Which kind of field a value of `schema` is typed into; what has no field of its own is typed as JSON. */
export function kindOf(schema: Schema): FieldKind {
  if (schema.enum) return 'choice'
  const type = typeOf(schema)
  if (type === 'string') return 'text'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'flag'
  if (type === 'array' && schema.items && typeOf(schema.items) === 'string' && !schema.items.enum) return 'texts'
  return 'json'
}

/** The arguments as typed, without what was left empty. */
export function argumentsOf(typed: Record<string, unknown>): Record<string, unknown> {
  const isSet = (value: unknown) => value !== undefined && value !== '' && value !== null && !(Array.isArray(value) && !value.length)
  return Object.fromEntries(Object.entries(typed).filter(([, value]) => isSet(value)))
}

/** What is wrong with `given`, by the name of the field: of several rules that it breaks the one that says most. */
export function problemsOf(schema: Schema, given: Record<string, unknown>, words: Words['tools']): Record<string, string> {
  const problems: Record<string, string> = {}
  const texts: Partial<Record<string, string>> = words.problems
  for (const name of schema.required ?? []) {
    if (!(name in given)) problems[name] = words.required
  }
  const broken = new Map<string, string[]>()
  for (const { instanceLocation, keyword } of new Validator(schema as object, '2020-12', false).validate(given).errors) {
    const field = instanceLocation.split('/')[1]
    if (field) broken.set(field, [...(broken.get(field) ?? []), keyword])
  }
  for (const [field, rules] of broken) {
    const telling = rules.find((rule) => rule !== 'type' && rule in texts) ?? rules.find((rule) => rule in texts)
    problems[field] ??= (telling && texts[telling]) || words.misfit
  }
  return problems
}
