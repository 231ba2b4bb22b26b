import { ActionIcon, Alert, Button, PasswordInput, SegmentedControl, Select, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconCircleCheck, IconCircleX, IconPlugConnected, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill, plural } from '../language/words'
import { useSave, type Save } from '../settings/useSave'
import { Answer } from '../shell/Answer'
import { Refused } from '../wire/rest'
import { StoredTools } from './StoredTools'
import { addServer, changeServer, fetchServers, fetchSources, removeServer, tryServer, tryStored, type NewServer, type Probe, type Server, type Source } from './servers'

const EMPTY: NewServer = { type: 'openapi', url: '', name: '', key: '', confirm: 'changes' }
/** Kinds of sources that are servers of other programs. */
const FOREIGN = new Set(['openapi', 'mcp'])

function ProbeResult({ probe }: { probe: Probe | null }): ReactNode {
  const words = useWords()
  if (!probe) return null
  return (
    <p className="small" data-probe={probe.problem ? 'problem' : 'ok'}>
      {probe.problem ? (
        <span className="problem">
          <IconCircleX size={16} aria-hidden="true" /> {words.settings.fails}: {probe.problem}
        </span>
      ) : (
        <>
          <IconCircleCheck size={16} aria-hidden="true" /> {plural(words.toolServers.found, probe.tools.length)}
          {probe.tools.length > 0 && `: ${probe.tools.join(', ')}`}
        </>
      )}
    </p>
  )
}

function useProbe(run: () => Promise<Probe>, onFields?: (fields: Record<string, string>) => void) {
  const [probe, setProbe] = useState<Probe | null>(null)
  const [isBusy, setBusy] = useState(false)
  const test = async () => {
    setBusy(true)
    setProbe(null)
    try {
      setProbe(await run())
    } catch (error) {
      if (error instanceof Refused) onFields?.(error.fields)
      setProbe({ tools: [], problem: error instanceof Error ? error.message : '' })
    } finally {
      setBusy(false)
    }
  }
  return { probe, isBusy, test, clear: () => setProbe(null) }
}

function AddServer({ save }: { save: Save }): ReactNode {
  const words = useWords()
  const own = words.toolServers
  const [server, setServer] = useState(EMPTY)
  const [fields, setFields] = useState<Record<string, string>>({})
  const { probe, isBusy, test, clear } = useProbe(() => tryServer(server), setFields)
  const problems = { ...fields, ...save.problems }
  const set = (part: Partial<NewServer>) => {
    setFields({})
    clear()
    setServer((before) => ({ ...before, ...part }))
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await save.run(() => addServer(server))) {
      setServer(EMPTY)
      clear()
    }
  }
  return (
    <form className="server-form" onSubmit={(event) => void submit(event)} noValidate data-add-server>
      <SegmentedControl
        aria-label={own.type}
        value={server.type}
        onChange={(type) => set({ type: type as Server['type'] })}
        data={[
          { value: 'openapi', label: own.openapi },
          { value: 'mcp', label: own.mcp },
        ]}
      />
      <TextInput label={own.url} description={own.urlHint} value={server.url} error={problems.url} onChange={(event) => set({ url: event.currentTarget.value.trim() })} />
      <TextInput label={own.name} description={own.nameHint} maxLength={24} value={server.name} error={problems.name} onChange={(event) => set({ name: event.currentTarget.value })} />
      <PasswordInput label={own.key} description={own.keyHint} autoComplete="new-password" value={server.key} error={problems.key} onChange={(event) => set({ key: event.currentTarget.value })} />
      <Select
        label={own.confirm}
        allowDeselect={false}
        data={(['changes', 'always', 'never'] as const).map((value) => ({ value, label: own.confirms[value] }))}
        value={server.confirm}
        onChange={(confirm) => set({ confirm: confirm as Server['confirm'] })}
      />
      <div className="server-actions">
        <Button type="submit" leftSection={<IconPlus size={16} />} loading={save.isBusy} disabled={!server.url}>
          {own.add}
        </Button>
        <Button variant="default" leftSection={<IconPlugConnected size={16} />} loading={isBusy} disabled={!server.url} onClick={() => void test()}>
          {own.test}
        </Button>
      </div>
      <div role="status">
        <ProbeResult probe={probe} />
      </div>
    </form>
  )
}

function OneServer({ server, source, save }: { server: Server; source: Source | undefined; save: Save }): ReactNode {
  const words = useWords().toolServers
  const [isSure, setSure] = useState(false)
  const { probe, isBusy, test } = useProbe(() => tryStored(server.name))
  const { name } = server
  return (
    <li data-server={name} data-state={!server.enabled ? 'off' : source?.is_ok ? 'ok' : 'problem'}>
      <div className="server-text">
        <strong>{name}</strong>
        <span className="muted small mono">{server.url}</span>
        <span className="muted small">
          {words[server.type]} · {!server.enabled ? words.off : source?.is_ok ? plural(words.found, source.tools.length) : source?.detail}
        </span>
        <span role="status">
          <ProbeResult probe={probe} />
        </span>
        {isSure && (
          <span className="server-actions">
            <span>{fill(words.removeSure, { name })}</span>
            <Button color="red" size="compact-md" loading={save.isBusy} onClick={() => void save.run(() => removeServer(name))}>
              {fill(words.remove, { name })}
            </Button>
          </span>
        )}
      </div>
      <Switch
        aria-label={fill(words.enabled, { name })}
        checked={server.enabled}
        disabled={save.isBusy}
        onChange={(event) => {
          const enabled = event.currentTarget.checked
          void save.run(() => changeServer(name, { enabled }))
        }}
      />
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={fill(words.testOf, { name })} loading={isBusy} onClick={() => void test()}>
        <IconPlugConnected size={18} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={fill(words.remove, { name })} aria-expanded={isSure} onClick={() => setSure(!isSure)}>
        <IconTrash size={18} />
      </ActionIcon>
    </li>
  )
}

function Elsewhere({ sources }: { sources: Source[] }): ReactNode {
  const words = useWords().toolServers
  if (!sources.length) return null
  return (
    <>
      <h3>{words.elsewhere}</h3>
      <ul className="list server-list">
        {sources.map((source) => (
          <li key={source.label} data-source={source.label}>
            <div className="server-text">
              <strong>{source.title}</strong>
              <span className="muted small">
                {source.kind === 'mcp' ? words.mcp : words.openapi} ·{' '}
                {source.is_ok ? plural(words.found, source.tools.length) : source.detail}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The tool servers of the bot: those that were added here can be tried, switched and removed. */
export function ToolServers(): ReactNode {
  const words = useWords()
  const save = useSave()
  const servers = useQuery({ queryKey: ['tool-servers'], queryFn: fetchServers })
  const sources = useQuery({ queryKey: ['tool-sources'], queryFn: fetchSources })
  const own = new Set(servers.data?.map((server) => server.name))
  const foreign = sources.data?.filter((source) => FOREIGN.has(source.kind) && !own.has(source.label)) ?? []
  return (
    <div className="tool-servers">
      <section className="card" aria-labelledby="tool-servers">
        <h2 id="tool-servers">{words.toolServers.title}</h2>
        <p>{words.toolServers.lead}</p>
        <Answer query={servers} isEmpty={(all) => !all.length} empty={<p className="muted">{words.toolServers.none}</p>}>
          {(all) => (
            <ul className="list server-list">
              {all.map((server) => (
                <OneServer key={server.name} server={server} source={sources.data?.find((one) => one.label === server.name)} save={save} />
              ))}
            </ul>
          )}
        </Answer>
        <div role="status">
          {(save.isBusy || save.notice) && (
            <Alert color={save.notice?.isProblem ? 'red' : 'jade'} variant="outline" my="sm" title={save.isBusy ? words.settings.applying : save.notice?.text} />
          )}
        </div>
        <AddServer save={save} />
        <Elsewhere sources={foreign} />
      </section>
      <StoredTools isOn={sources.data?.some((source) => source.kind === 'python') ?? false} />
    </div>
  )
}
