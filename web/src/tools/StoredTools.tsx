import { ActionIcon, Button, Switch, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { Answer } from '../shell/Answer'
import { Refused } from '../wire/rest'
import { fetchStoredTools, removeStoredTool, saveStoredTool, switchStoredTool, type StoredTool } from './servers'

const EXAMPLE = `class Tools:
    def add(self, a: int, b: int) -> int:
        """Add two numbers."""
        return a + b
`

interface EditorProps {
  tool: StoredTool | null
  onDone: () => void
}

function Editor({ tool, onDone }: EditorProps): ReactNode {
  const words = useWords()
  const own = words.toolServers
  const [name, setName] = useState(tool?.name ?? '')
  const [description, setDescription] = useState(tool?.meta.description ?? '')
  const [content, setContent] = useState(tool?.content ?? EXAMPLE)
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem('')
    try {
      await saveStoredTool(tool?.id ?? null, content, name.trim(), description.trim())
      onDone()
    } catch (error) {
      setProblem(error instanceof Refused ? (error.fields.content ?? error.message) : words.notLoaded)
      setBusy(false)
    }
  }
  return (
    <form className="server-form" onSubmit={(event) => void submit(event)} noValidate data-stored-editor={tool?.id ?? 'new'}>
      <TextInput label={own.name} value={name} maxLength={200} onChange={(event) => setName(event.currentTarget.value)} />
      <TextInput label={own.description} value={description} onChange={(event) => setDescription(event.currentTarget.value)} />
      <Textarea
        label={own.source}
        description={own.sourceHint}
        autosize
        minRows={8}
        maxRows={24}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        value={content}
        error={problem}
        onChange={(event) => setContent(event.currentTarget.value)}
      />
      <div className="server-actions">
        <Button type="submit" loading={isBusy}>
          {words.save}
        </Button>
        <Button variant="default" onClick={onDone}>
          {words.cancel}
        </Button>
      </div>
    </form>
  )
}

function OneTool({ tool, onEdit, onChanged }: { tool: StoredTool; onEdit: () => void; onChanged: () => void }): ReactNode {
  const words = useWords().toolServers
  const [isSure, setSure] = useState(false)
  const { id, name } = tool
  return (
    <li data-stored={id}>
      <div className="server-text">
        <strong>{name}</strong>
        <span className="muted small">{tool.meta.description || id}</span>
        {isSure && (
          <span className="server-actions">
            <span>{fill(words.removeSure, { name })}</span>
            <Button color="red" size="compact-md" onClick={() => void removeStoredTool(id).then(onChanged)}>
              {fill(words.remove, { name })}
            </Button>
          </span>
        )}
      </div>
      <Switch aria-label={fill(words.enabled, { name })} checked={tool.is_enabled} onChange={(event) => void switchStoredTool(id, event.currentTarget.checked).then(onChanged)} />
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={fill(words.storedEdit, { name })} onClick={onEdit}>
        <IconPencil size={18} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={fill(words.remove, { name })} aria-expanded={isSure} onClick={() => setSure(!isSure)}>
        <IconTrash size={18} />
      </ActionIcon>
    </li>
  )
}

/** The Python tools in the database: written, changed, switched and removed here. */
export function StoredTools({ isOn }: { isOn: boolean }): ReactNode {
  const words = useWords().toolServers
  const queries = useQueryClient()
  const [edited, setEdited] = useState<StoredTool | 'new' | null>(null)
  const tools = useQuery({
    queryKey: ['stored-tools', isOn],
    queryFn: () => (isOn ? fetchStoredTools() : null),
  })
  const changed = () => {
    setEdited(null)
    for (const key of ['stored-tools', 'tools', 'tool-sources']) void queries.invalidateQueries({ queryKey: [key] })
  }
  return (
    <section className="card" aria-labelledby="stored-tools">
      <h2 id="stored-tools">{words.stored}</h2>
      <p>{words.storedLead}</p>
      <Answer query={tools}>
        {(all) =>
          all === null ? (
            <p className="muted">{words.storedOff}</p>
          ) : (
            <>
              {!all.length && <p className="muted">{words.storedNone}</p>}
              <ul className="list server-list">
                {all.map((tool) => (
                  <OneTool key={tool.id} tool={tool} onEdit={() => setEdited(tool)} onChanged={changed} />
                ))}
              </ul>
              {edited ? (
                <Editor key={edited === 'new' ? 'new' : edited.id} tool={edited === 'new' ? null : edited} onDone={changed} />
              ) : (
                <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')}>
                  {words.storedAdd}
                </Button>
              )}
            </>
          )
        }
      </Answer>
    </section>
  )
}
