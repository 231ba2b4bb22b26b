import { IconPlug, IconPlugOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { useIsAdmin } from '../shell/pages'
import { useRoom } from './store'

/** Whether a model is connected, in one line, and how to connect one. */
export function ModelLine(): ReactNode {
  const words = useWords()
  const model = useRoom((room) => room.model)
  const isAdmin = useIsAdmin()
  return (
    <p className="model-line" data-model={model ?? ''}>
      {model ? <IconPlug size={16} aria-hidden="true" /> : <IconPlugOff size={16} aria-hidden="true" />}
      {model ? (
        <span>{fill(words.room.withModel, { name: model })}</span>
      ) : (
        <span>
          {words.room.withoutModel} {isAdmin && <Link href="/settings?group=model">{words.room.connectModel}</Link>}
        </span>
      )}
    </p>
  )
}

/** A request to try. It names the bot, so that it is answered whoever else is in the room. */
export function Example({ text }: { text: string }): ReactNode {
  const send = useRoom((room) => room.send)
  const bot = useRoom((room) => room.bot)
  return (
    <button type="button" className="example" onClick={() => send(`@${bot} ${text}`)}>
      <span className="muted">@{bot}</span> {text}
    </button>
  )
}

/** What an empty room says: three things to try, and whether a model is connected. */
export function Welcome(): ReactNode {
  const words = useWords()
  return (
    <section className="welcome">
      <h2>{words.room.empty}</h2>
      <div className="examples">
        {words.room.examples.map((example) => (
          <Example key={example} text={example} />
        ))}
      </div>
      <ModelLine />
    </section>
  )
}
