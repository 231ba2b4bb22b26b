import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconArrowBackUp, IconArrowNarrowRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useClock } from '../format/clock'
import { shortTime } from '../format/time'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { Answer } from '../shell/Answer'
import { fetchChanges, undoChange, type Change, type Json } from './api'
import { useSettingName } from './labels'
import { useSave, type Save } from './useSave'

const LOCAL_PERSON = 'you'

function Value({ value }: { value: Json }): ReactNode {
  const words = useWords().settings
  if (value === null || value === '') return <span className="muted">{value === null ? words.notSet : words.none}</span>
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return <code>{isList ? value.join(', ') || words.none : typeof value === 'string' ? value : JSON.stringify(value)}</code>
}

function OneChange({ change, save }: { change: Change; save: Save }): ReactNode {
  const { settings: words, room } = useWords()
  const clock = useClock()
  const nameOf = useSettingName()
  // The operator at the machine of the bot has no name.
  const person = change.person === LOCAL_PERSON ? room.you : change.person
  const isUndoable = !change.problem
  return (
    <li className="change" data-change={change.id}>
      <div className="grow">
        <b>{fill(words.by, { person, time: shortTime(change.at, clock) })}</b>
        {change.undoes !== null && <span className="muted"> · {fill(words.undone, { n: change.undoes })}</span>}
        <ul className="list">
          {change.values.map(({ key, before, after }) => (
            <li key={key}>
              {nameOf(key)} <code className="muted">{key}</code>: <Value value={before} />{' '}
              <IconArrowNarrowRight size={15} aria-hidden="true" /> <Value value={after} />
            </li>
          ))}
        </ul>
        {change.problem && <p className="problem">{fill(words.wasRejected, { why: change.problem })}</p>}
      </div>
      {isUndoable && (
        <Button
          variant="default"
          size="compact-md"
          leftSection={<IconArrowBackUp size={16} />}
          aria-label={fill(words.undoChange, { n: change.id })}
          disabled={save.isBusy}
          onClick={() => void save.run(() => undoChange(change.id))}
        >
          {words.undo}
        </Button>
      )}
    </li>
  )
}

/** The changes of settings, latest first, each of which can be undone. */
export function History(): ReactNode {
  const words = useWords().settings
  const save = useSave()
  const changes = useQuery({ queryKey: ['settings', 'changes'], queryFn: fetchChanges })
  return (
    <>
      <div role="status">
        {(save.isBusy || save.notice) && (
          <Alert color={save.notice?.isProblem ? 'red' : 'jade'} variant="outline" mb="md" title={save.isBusy ? words.applying : save.notice?.text} />
        )}
      </div>
      <Answer query={changes} isEmpty={(all) => !all.length} empty={<p className="nothing">{words.noHistory}</p>}>
        {(all) => (
          <ul className="list sheet changes">
            {all.map((change) => (
              <OneChange key={change.id} change={change} save={save} />
            ))}
          </ul>
        )}
      </Answer>
    </>
  )
}
