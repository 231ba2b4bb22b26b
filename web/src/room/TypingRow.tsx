import { useEffect, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { plural } from '../language/words'
import { useRoom } from './store'

const MAX_NAMES = 2

/** Who is typing, in a row whose height never changes. */
export function TypingRow(): ReactNode {
  const words = useWords()
  const typing = useRoom((room) => room.typing)
  const names = Object.values(typing).map((one) => one.name)
  useEffect(() => {
    if (!names.length) return
    const timer = window.setInterval(() => useRoom.getState().expireTyping(), 500)
    return () => window.clearInterval(timer)
  }, [names.length])
  const listed = new Intl.ListFormat(document.documentElement.lang).format(names)
  const text = names.length > MAX_NAMES ? words.room.typingMany : plural(words.room.typing, names.length, { names: listed })
  return <p className="typing-row" data-typing={names.join(',')}>{names.length > 0 && text}</p>
}
