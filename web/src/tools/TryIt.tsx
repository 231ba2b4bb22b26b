import { Alert, Button, CopyButton, Group } from '@mantine/core'
import { IconChecklist, IconCopy, IconPlayerPlay } from '@tabler/icons-react'
import { useState, type FormEvent, type ReactNode } from 'react'
import { duration } from '../format/time'
import { useWords } from '../language/language'
import { useViewpoint } from '../reminders/useReminderActions'
import { Block } from '../room/ToolCard'
import { Refused } from '../wire/rest'
import { ArgumentField } from './ArgumentField'
import { curlOf, invokeTool, type Outcome, type Tool } from './api'
import { useArgumentHelp } from './help'
import { argumentsOf, plain, problemsOf, type Schema } from './schema'

type Shown = { kind: 'outcome'; outcome: Outcome } | { kind: 'checked' } | { kind: 'refused'; text: string } | null

function Result({ shown }: { shown: Shown }): ReactNode {
  const words = useWords()
  if (!shown) return null
  if (shown.kind === 'checked') return <Alert color="jade" variant="outline" role="status" data-result="checked" title={words.tools.checked} />
  if (shown.kind === 'refused') {
    return (
      <Alert color="red" variant="outline" role="alert" title={words.tools.failed} data-result="refused">
        {shown.text}
      </Alert>
    )
  }
  const { outcome } = shown
  return (
    <div role="status" data-result={outcome.ok ? 'ok' : 'error'}>
      {!outcome.ok && (
        <Alert color="red" variant="outline" title={words.tools.failed}>
          {outcome.text || outcome.error}
        </Alert>
      )}
      {outcome.ok && <Block label={`${words.tools.result}${outcome.duration_ms == null ? '' : ` · ${duration(outcome.duration_ms)}`}`} value={outcome.result ?? words.card.nothing} />}
    </div>
  )
}

/** Fill in the arguments of a tool, check them, run it, see what comes back. */
export function TryIt({ tool }: { tool: Tool }): ReactNode {
  const words = useWords()
  const viewpoint = useViewpoint()
  const helpOf = useArgumentHelp(tool)
  const schema = tool.parameters as Schema
  const [typed, setTyped] = useState<Record<string, unknown>>({})
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [shown, setShown] = useState<Shown>(null)
  const [busy, setBusy] = useState<'run' | 'check' | null>(null)
  const given = argumentsOf(typed)
  const fields = Object.entries(schema.properties ?? {})
  const ask = async (kind: 'run' | 'check') => {
    const found = problemsOf(schema, given, words.tools)
    setProblems(found)
    setShown(null)
    const first = Object.keys(found)[0]
    if (first) {
      document.getElementById(`argument-${first}`)?.focus()
      return
    }
    setBusy(kind)
    try {
      const outcome = await invokeTool(viewpoint, tool.name, given, kind === 'check')
      setShown(kind === 'check' && outcome.ok ? { kind: 'checked' } : { kind: 'outcome', outcome })
    } catch (error) {
      if (error instanceof Refused) setProblems(error.fields)
      setShown({ kind: 'refused', text: error instanceof Error ? error.message : words.notLoaded })
    } finally {
      setBusy(null)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void ask('run')
  }
  return (
    <form className="try-it" onSubmit={submit} noValidate>
      {fields.length === 0 && <p className="muted">{words.tools.noArguments}</p>}
      {fields.map(([name, field]) => (
        <ArgumentField
          key={name}
          name={name}
          schema={plain(field, schema)}
          help={helpOf(name, plain(field, schema))}
          isRequired={schema.required?.includes(name) ?? false}
          value={typed[name]}
          error={problems[name]}
          onChange={(value) => setTyped((before) => ({ ...before, [name]: value }))}
        />
      ))}
      <Group gap={8}>
        <Button type="submit" leftSection={<IconPlayerPlay size={16} />} loading={busy === 'run'}>
          {words.tools.run}
        </Button>
        <Button variant="default" leftSection={<IconChecklist size={16} />} loading={busy === 'check'} onClick={() => void ask('check')}>
          {words.tools.check}
        </Button>
        <CopyButton value={curlOf(viewpoint, tool.name, given)}>
          {({ copied, copy }) => (
            <Button variant="subtle" color="gray" leftSection={<IconCopy size={16} />} onClick={copy}>
              {copied ? words.copied : words.tools.curl}
            </Button>
          )}
        </CopyButton>
      </Group>
      <p className="muted small">{words.tools.disclaimer}</p>
      <Result shown={shown} />
    </form>
  )
}
