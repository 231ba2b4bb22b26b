import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { duration, wholeTime } from '../format/time'
import { useLanguage, useWords } from '../language/language'
import { Block } from '../room/ToolCard'
import type { CallEntry } from './api'

function Facts({ call }: { call: CallEntry }): ReactNode {
  const words = useWords()
  const language = useLanguage((state) => state.language)
  const facts = [
    [words.activity.time, wholeTime(call.at, language)],
    [words.activity.room, call.chat],
    [words.activity.person, call.person],
    [words.activity.model, call.model || call.route],
    [words.activity.duration, duration(call.duration)],
  ]
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <FactLine key={name} name={name ?? ''} value={value ?? ''} />
        ))}
    </dl>
  )
}

function FactLine({ name, value }: { name: string; value: string }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}

/** One call with the message it was made for, what it was given and what came back. */
export function Turn({ call, onClose }: { call: CallEntry | null; onClose: () => void }): ReactNode {
  const words = useWords()
  return (
    <Drawer
      opened={call !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={words.activity.turn}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      {call && (
        <div data-turn={call.id}>
          <Facts call={call} />
          <p className="block-label">{words.activity.said}</p>
          <p className="turn-text">{call.user_message}</p>
          <p className="mono">{call.name}</p>
          <Block label={words.card.arguments} value={call.arguments} />
          {call.error ? (
            <p className="tool-error" role="note">
              {call.error}
            </p>
          ) : (
            <Block label={words.card.result} value={call.result ?? words.card.nothing} />
          )}
        </div>
      )}
    </Drawer>
  )
}
