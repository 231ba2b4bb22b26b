import { NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { kindOf, type Schema } from './schema'

interface FieldProps {
  name: string
  schema: Schema
  help?: string
  isRequired: boolean
  value: unknown
  error?: string
  onChange: (value: unknown) => void
}

function asText(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
}

/** Values that have no field of their own, as JSON; what does not parse yet is kept as text. */
function JsonField({ shared, value, onChange }: { shared: object; value: unknown; onChange: (value: unknown) => void }): ReactNode {
  const [text, setText] = useState(() => asText(value))
  const change = (next: string) => {
    setText(next)
    try {
      onChange(next.trim() ? JSON.parse(next) : undefined)
    } catch {
      onChange(next)
    }
  }
  return <Textarea {...shared} autosize minRows={2} classNames={{ input: 'mono' }} value={text} onChange={(event) => change(event.currentTarget.value)} />
}

/** The field of one argument, by its schema. */
export function ArgumentField({ name, schema, help, isRequired, value, error, onChange }: FieldProps): ReactNode {
  const words = useWords()
  const shared = {
    id: `argument-${name}`,
    label: name,
    description: help,
    required: isRequired,
    error,
    placeholder: schema.default === undefined || schema.default === null ? undefined : asText(schema.default),
  }
  switch (kindOf(schema)) {
    case 'choice':
      return (
        <Select
          {...shared}
          data={(schema.enum ?? []).filter((one) => one !== null).map(String)}
          clearable={!isRequired}
          clearButtonProps={{ 'aria-label': words.clear }}
          value={value === undefined ? null : String(value)}
          onChange={(next) => onChange((schema.enum ?? []).find((one) => String(one) === next) ?? undefined)}
        />
      )
    case 'number':
      return (
        <NumberInput
          {...shared}
          min={schema.minimum}
          max={schema.maximum}
          clampBehavior="none"
          hideControls
          value={typeof value === 'number' ? value : ''}
          onChange={(next) => onChange(next === '' ? undefined : Number(next))}
        />
      )
    case 'flag':
      return (
        <Switch
          {...shared}
          checked={value === undefined ? schema.default === true : value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'texts':
      return <TagsInput {...shared} value={Array.isArray(value) ? (value as string[]) : []} onChange={onChange} />
    case 'json':
      return <JsonField shared={shared} value={value} onChange={onChange} />
    default:
      return <TextInput {...shared} value={asText(value)} onChange={(event) => onChange(event.currentTarget.value)} />
  }
}
