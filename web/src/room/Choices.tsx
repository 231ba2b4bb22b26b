import { useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import type { Message } from '../wire/frames'
import { useRoom } from './store'

/** The answers that the bot offers: pressing one is saying its words as a reply to the message. */
export function Choices({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const send = useRoom((room) => room.send)
  const [pressed, setPressed] = useState<string | null>(null)
  if (!message.choices?.length) return null
  return (
    <div className="choices" role="group" aria-label={words.room.answers}>
      {message.choices.map((choice) => (
        <button
          key={choice.says}
          type="button"
          className="choice"
          aria-pressed={pressed === choice.says}
          onClick={() => {
            setPressed(choice.says)
            send(choice.says, message.id)
          }}
        >
          {choice.label}
        </button>
      ))}
    </div>
  )
}
