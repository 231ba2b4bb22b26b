import { Button, Collapse, Group } from '@mantine/core'
import { IconChevronRight, IconPlayerPlay } from '@tabler/icons-react'
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { commandOf } from '../cards/answer'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { ArgumentField } from '../tools/ArgumentField'
import type { Tool } from '../tools/api'
import { useArgumentHelp, useToolHelp } from '../tools/help'
import { argumentsOf, plain, problemsOf, type Schema } from '../tools/schema'

interface FieldsProps {
  names: string[]
  schema: Schema
  helpOf: (name: string, schema: Schema) => string | undefined
  typed: Record<string, unknown>
  problems: Record<string, string>
  onChange: (name: string, value: unknown) => void
}

function Fields({ names, schema, helpOf, typed, problems, onChange }: FieldsProps): ReactNode {
  return names.map((name) => (
    <ArgumentField
      key={name}
      name={name}
      schema={plain(schema.properties?.[name] as Schema, schema)}
      help={helpOf(name, plain(schema.properties?.[name] as Schema, schema))}
      isRequired={schema.required?.includes(name) ?? false}
      value={typed[name]}
      error={problems[name]}
      onChange={(value) => onChange(name, value)}
    />
  ))
}

/** The arguments of a slash command as fields: those that it needs first, the others on demand. */
export function CommandForm({ tool, onSend, onClose }: { tool: Tool; onSend: (text: string) => void; onClose: () => void }): ReactNode {
  const words = useWords()
  const toolHelp = useToolHelp()
  const helpOf = useArgumentHelp(tool)
  const form = useRef<HTMLFormElement>(null)
  const schema = tool.parameters as Schema
  const [typed, setTyped] = useState<Record<string, unknown>>({})
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [isOpen, setOpen] = useState(false)
  const names = Object.keys(schema.properties ?? {})
  const needed = names.filter((name) => schema.required?.includes(name))
  const others = names.filter((name) => !needed.includes(name))
  const first = needed.length ? needed : others.splice(0, 2)
  useEffect(() => form.current?.querySelector<HTMLElement>('input, textarea')?.focus(), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = argumentsOf(typed)
    const found = problemsOf(schema, given, words.tools)
    setProblems(found)
    const wrong = Object.keys(found)[0]
    if (wrong) {
      setOpen(isOpen || others.includes(wrong))
      form.current?.querySelector<HTMLElement>(`#argument-${wrong}`)?.focus()
      return
    }
    onSend(commandOf(tool.name, given))
  }
  const shared = { schema, helpOf, typed, problems, onChange: (name: string, value: unknown) => setTyped((before) => ({ ...before, [name]: value })) }
  return (
    <form
      ref={form}
      className="command-form"
      aria-label={fill(words.command.title, { tool: tool.name })}
      data-command={tool.name}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <p className="command-head">
        <b className="mono">/{tool.name}</b> <span className="muted">{toolHelp(tool).split('\n')[0]}</span>
      </p>
      <div className="command-fields">
        <Fields names={first} {...shared} />
        {others.length > 0 && (
          <>
            <button type="button" className="how-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              <IconChevronRight size={14} className="chevron" data-open={isOpen || undefined} aria-hidden="true" /> {words.command.more}
            </button>
            <Collapse expanded={isOpen}>{isOpen && <Fields names={others} {...shared} />}</Collapse>
          </>
        )}
      </div>
      <Group gap={8} justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {words.cancel}
        </Button>
        <Button type="submit" leftSection={<IconPlayerPlay size={16} />}>
          {words.command.run}
        </Button>
      </Group>
    </form>
  )
}
