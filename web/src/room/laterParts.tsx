/** Parts of a message that are loaded after the room is shown. */

import { Fragment, useEffect, useRef, useState, type ReactNode } from 'react'
import type { Message } from '../wire/frames'
import { loadedLater } from '../shell/loadedLater'
import { Linked, PlainText } from './PlainText'

const MARKS = /[*_`~#|[\]<>\\&]|^\s*(?:[-+=]|\d+[.)])|www\./m

const Formatted = loadedLater<TextProps>(() => import('./Markdown').then((module) => module.Markdown), Unformatted)

interface TextProps {
  text: string
  className?: string
}

function Unformatted({ text, className = '' }: TextProps): ReactNode {
  return (
    <div className={`markdown ${className}`} dir="auto">
      {text.trim().split(/\n\s*\n/).map((paragraph, at) => (
        <p key={at} dir="auto">
          {paragraph.split('\n').map((line, number) => (
            <Fragment key={number}>
              {number > 0 && <br />}
              <Linked text={line} />
            </Fragment>
          ))}
        </p>
      ))}
    </div>
  )
}

/** Markdown; a text without any marks of it is shown at once. */
export function Markdown({ text }: { text: string }): ReactNode {
  return MARKS.test(text) ? <Formatted text={text} /> : <Unformatted text={text} />
}

// A list, a quotation, code, emphasis, a table or a named link; most of what people write has none of them.
const MARKED = /[`*~|]|\b_|_\b|^\s*(?:[-+] |\d+[.)] |>|#{1,6} )|\]\(/mu

/** What a person says: as written, or as Markdown where it has marks of it. */
export function PersonText({ text }: { text: string }): ReactNode {
  return MARKED.test(text) ? <Formatted text={text} className="plain" /> : <PlainText text={text} />
}

interface ActionsProps {
  message: Message
  isMine: boolean
}

interface NeededProps extends ActionsProps {
  /** The row, where its key for reactions was pressed before they were there. */
  reactIn: Element | null
}

const Actions = loadedLater<NeededProps>(
  () => import('./MessageActions').then(({ MessageActions: Loaded }) => function Needed({ reactIn, ...props }) {
    useEffect(() => reactIn?.querySelector<HTMLElement>('[data-react]')?.click(), [reactIn])
    return <Loaded {...props} />
  }),
  Place,
)

function Place(): ReactNode {
  return <div className="actions actions-place" />
}

/** What can be done with a message, made when its row is pointed at or focused: a long room has hundreds of them. */
export function MessageActions(props: ActionsProps): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const [row, setRow] = useState<Element | null>(null)
  const [isReacting, setReacting] = useState(false)
  useEffect(() => {
    const found = place.current?.closest<HTMLElement>('[data-message]')
    if (!found) return
    const need = () => setRow(found)
    const react = (event: KeyboardEvent) => {
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey
      if (event.key === 'e' && event.target === found && !hasModifier && !found.querySelector('[data-react]')) setReacting(true)
    }
    found.addEventListener('pointerenter', need)
    found.addEventListener('focusin', need)
    found.addEventListener('keydown', react)
    return () => {
      found.removeEventListener('pointerenter', need)
      found.removeEventListener('focusin', need)
      found.removeEventListener('keydown', react)
    }
  }, [])
  return row ? <Actions {...props} reactIn={isReacting ? row : null} /> : <div ref={place} className="actions actions-place" />
}
