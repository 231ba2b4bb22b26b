import type { ReactNode } from 'react'
import { useWords } from '../language/language'

/** Which keys do what. */
export function Shortcuts(): ReactNode {
  const words = useWords()
  const rows = [
    ['Enter', words.keys.send],
    ['Shift ↵', words.keys.line],
    ['↑', words.keys.last],
    ['Tab ↑ ↓', words.keys.messages],
    ['r', words.keys.reply],
    ['e', words.keys.react],
    ['Alt ↑ ↓', words.keys.unread],
    ['Alt Shift ↑ ↓', words.keys.rooms],
    ['Ctrl K', words.keys.palette],
    ['?', words.keys.help],
    ['Esc', words.keys.close],
  ]
  return (
    <dl className="shortcuts">
      {rows.map(([keys, does]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  )
}
