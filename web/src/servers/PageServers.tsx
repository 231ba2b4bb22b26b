import { ActionIcon, Alert, Button, PasswordInput, TextInput } from '@mantine/core'
import { IconPlus, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill, plural } from '../language/words'
import { useServers, type Problem } from './store'
import './servers.css'

function AddServer(): ReactNode {
  const words = useWords().servers
  const allowed = useServers((state) => state.allowed)
  const [url, setUrl] = useState('')
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    const found = await useServers.getState().add({ url: url.trim(), key: key.trim() })
    setBusy(false)
    setProblem(found)
    if (found) return
    setUrl('')
    setKey('')
  }
  return (
    <form className="server-form" onSubmit={(event) => void submit(event)} noValidate>
      <TextInput
        label={words.url}
        description={fill(words.urlHint, { origins: allowed.join(', ') })}
        placeholder={allowed[0]}
        value={url}
        error={problem && words.problems[problem]}
        onChange={(event) => setUrl(event.currentTarget.value)}
        required
      />
      <PasswordInput
        label={words.key}
        description={words.keyHint}
        autoComplete="off"
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <Button type="submit" leftSection={<IconPlus size={16} />} loading={isBusy} disabled={!url.trim()}>
        {words.add}
      </Button>
    </form>
  )
}

function KeptServers(): ReactNode {
  const words = useWords().servers
  const { kept, described, problems, refresh, remove } = useServers()
  return (
    <ul className="list server-list">
      {kept.map(({ url }) => {
        const problem = problems[url]
        const found = described[url]
        return (
          <li key={url} data-server={url} data-state={problem ? 'problem' : found ? 'ok' : 'waiting'}>
            <div className="server-text">
              <strong>{found?.title || url}</strong>
              {found && <span className="muted small mono">{url}</span>}
              {found && <span className="muted small">{plural(words.tools, found.operations.length)}</span>}
              {problem && <span className="small problem">{words.problems[problem]}</span>}
            </div>
            <ActionIcon variant="subtle" color="gray" aria-label={fill(words.refresh, { url })} onClick={() => void refresh(url)}>
              <IconRefresh size={18} />
            </ActionIcon>
            <ActionIcon variant="subtle" color="gray" aria-label={fill(words.remove, { url })} onClick={() => remove(url)}>
              <IconTrash size={18} />
            </ActionIcon>
          </li>
        )
      })}
    </ul>
  )
}

/** The tool servers that this browser brings into the chat: which there are, and a form to add one. */
export function PageServers(): ReactNode {
  const words = useWords().servers
  const allowed = useServers((state) => state.allowed)
  const hasSome = useServers((state) => state.kept.length > 0)
  return (
    <section className="card page-servers" aria-labelledby="servers-title">
      <h2 id="servers-title">{words.title}</h2>
      <p className="tool-description">{words.lead}</p>
      {hasSome && <KeptServers />}
      {allowed.length > 0 ? (
        <AddServer />
      ) : (
        <Alert color="gray" variant="outline" title={words.none} data-servers="off">
          {words.noneHint} <code>page_tool_servers = ["http://127.0.0.1:8000"]</code>
        </Alert>
      )}
    </section>
  )
}
