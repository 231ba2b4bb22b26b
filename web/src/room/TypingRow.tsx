import { useEffect, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { useRoom } from './store'

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
  return <p className="typing-row" data-typing={names.join(',')}>{names.length > 0 && words.room.typing(names)}</p>
}
