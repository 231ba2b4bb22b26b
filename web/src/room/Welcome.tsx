import { IconPlug, IconPlugOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useWords } from '../language/language'
import { useRoom } from './store'

/** Whether a model is connected, in one line, and how to connect one. */
export function ModelLine(): ReactNode {
  const words = useWords()
  const model = useRoom((room) => room.model)
  return (
    <p className="model-line" data-model={model ?? ''}>
      {model ? <IconPlug size={16} aria-hidden="true" /> : <IconPlugOff size={16} aria-hidden="true" />}
      <span>{model ? words.room.withModel(model) : `${words.room.withoutModel} ${words.room.connectModel}`}</span>
    </p>
  )
}

/** What an empty room says: three things to try, and whether a model is connected. */
export function Welcome(): ReactNode {
  const words = useWords()
  const send = useRoom((room) => room.send)
  return (
    <section className="welcome">
      <h2>{words.room.empty}</h2>
      <div className="examples">
        {words.room.examples.map((example) => (
          <button key={example} type="button" className="example" onClick={() => send(example)}>
            {example}
          </button>
        ))}
      </div>
      <ModelLine />
    </section>
  )
}
