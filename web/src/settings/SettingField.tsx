import { ActionIcon, NumberInput, PasswordInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { LANGUAGES, useWords } from '../language/language'
import { fill } from '../language/words'
import { keyOf, type Json, type Setting } from './api'
import type { Label } from './labels'

interface FieldProps {
  setting: Setting
  label: Label
  /** The value that was typed; undefined where it was not changed. */
  typed: Json | undefined
  error?: string
  onChange: (value: Json | undefined) => void
}

function asText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Clock times without their seconds. */
function shortClock(setting: Setting, value: Json): Json {
  return setting.value_schema.format === 'time' && typeof value === 'string' ? value.slice(0, 5) : value
}

function JsonField({ shared, value, onChange }: { shared: object; value: Json; onChange: (value: Json) => void }): ReactNode {
  const words = useWords().settings
  const [text, setText] = useState(() => JSON.stringify(value))
  const [isWrong, setWrong] = useState(false)
  const change = (next: string) => {
    setText(next)
    try {
      onChange(JSON.parse(next) as Json)
      setWrong(false)
    } catch {
      setWrong(true)
    }
  }
  const error = isWrong ? { error: words.notJson } : {}
  return <Textarea {...shared} {...error} autosize minRows={1} classNames={{ input: 'mono' }} value={text} onChange={(event) => change(event.currentTarget.value)} />
}

function ListField({ shared, setting, value, onChange }: { shared: object; setting: Setting; value: Json; onChange: (value: Json) => void }): ReactNode {
  const words = useWords().settings
  const known = setting.value_schema.items?.enum?.map(String)
  return <TagsInput {...shared} data={known} placeholder={words.list} value={Array.isArray(value) ? value.map(String) : []} onChange={onChange} />
}

function Input({ setting, label, typed, error, onChange }: FieldProps): ReactNode {
  const words = useWords()
  const { type, format, minimum, maximum } = setting.value_schema
  const choices = setting.value_schema.enum
  const key = keyOf(setting)
  const value = typed === undefined ? shortClock(setting, setting.value) : typed
  const shared = { id: `setting-${key}`, label: label.name, description: label.hint || undefined, error, disabled: !setting.is_editable, 'data-setting': key }
  if (setting.is_secret) {
    return (
      <PasswordInput
        {...shared}
        aria-invalid={Boolean(error)}
        autoComplete="new-password"
        placeholder={setting.is_set && typed !== null ? words.settings.isSet : words.settings.notSet}
        value={asText(typed)}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
      />
    )
  }
  if (choices) {
    const labelled = choices.map((choice) => ({ value: String(choice), label: (key === 'bot.language' && LANGUAGES[String(choice)]?.name) || String(choice) }))
    return <Select {...shared} data={labelled} allowDeselect={false} value={asText(value)} onChange={(next) => next !== null && onChange(next)} />
  }
  if (type === 'boolean') {
    return <Switch {...shared} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
  }
  if (type === 'integer' || type === 'number') {
    return (
      <NumberInput
        {...shared}
        min={minimum}
        max={maximum}
        clampBehavior="none"
        allowDecimal={type === 'number'}
        hideControls
        value={typeof value === 'number' ? value : ''}
        onChange={(next) => onChange(next === '' ? undefined : Number(next))}
      />
    )
  }
  if (type === 'array') return <ListField shared={shared} setting={setting} value={value} onChange={onChange} />
  if (type === 'object') return <JsonField shared={shared} value={value} onChange={onChange} />
  return <TextInput {...shared} type={format === 'time' ? 'time' : 'text'} value={asText(value)} onChange={(event) => onChange(event.currentTarget.value)} />
}

function useOrigin(setting: Setting): string {
  const words = useWords().settings
  if (setting.origin === 'environment') return fill(words.fromEnvironment, { name: setting.origin_name })
  if (!setting.is_editable) return words.fileOnly
  if (setting.origin === 'file') return fill(words.fromFile, { name: setting.origin_name })
  return setting.origin === 'page' ? words.fromPage : ''
}

function useDefault(setting: Setting): string {
  const words = useWords().settings
  const value = shortClock(setting, setting.default)
  if (setting.is_secret) return ''
  if (typeof value === 'boolean') return fill(words.default, { value: value ? words.on : words.off })
  const isEmpty = value === '' || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  return fill(words.default, { value: isEmpty ? words.none : Array.isArray(value) ? value.join(', ') : asText(value) })
}

/** One setting: its meaning, a field by its schema, its default and where its value comes from. */
export function SettingField(props: FieldProps): ReactNode {
  const words = useWords().settings
  const { setting, typed, onChange } = props
  const key = keyOf(setting)
  const facts = [useDefault(setting), useOrigin(setting), setting.needs_restart ? words.restart : ''].filter(Boolean)
  const canReset = setting.is_editable && (setting.origin === 'page' || typed !== undefined) && typed !== null
  const reset = () => onChange(typed !== undefined && setting.origin !== 'page' ? undefined : null)
  return (
    <div className="setting" data-origin={setting.origin} data-changed={typed !== undefined || undefined}>
      <div className="setting-input">
        <Input key={typed === null ? 'reset' : 'typed'} {...props} typed={typed === null ? shortClock(setting, setting.default) : typed} />
      </div>
      <p className="setting-facts">
        <code>{key}</code>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {canReset && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={28}
            aria-label={fill(setting.is_secret ? words.removeSecret : words.reset, { key })}
            onClick={reset}
          >
            <IconArrowBackUp size={16} />
          </ActionIcon>
        )}
      </p>
    </div>
  )
}
