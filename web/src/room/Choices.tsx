import { useEffect, useState, type ReactNode } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useWords } from '../language/language'
import { optionsOf } from '../cards/answer'
import { useUndo } from '../cards/useUndo'
import type { Choice, Message } from '../wire/frames'
import { buttonsOf, nextExpiry } from './offered'
import { useRoom } from './store'

const MAX_TIMER_MS = 2_000_000_000

/** The time, anew when a button of `message` has expired. */
function useTimeOfExpiry(message: Message): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const next = nextExpiry(message, Date.now())
    if (next === undefined) return
    const timer = window.setTimeout(() => setNow(Date.now()), Math.min(next - Date.now() + 1, MAX_TIMER_MS))
    return () => window.clearTimeout(timer)
  }, [message, now])
  return now
}

/** The answers that the bot offers the viewer: pressing one says its words as a reply, or takes a change back. */
export function Choices({ message, isUndoInCard = false }: { message: Message; isUndoInCard?: boolean }): ReactNode {
  const words = useWords()
  const { undo, isBusy } = useUndo()
  const send = useRoom((room) => room.send)
  const now = useTimeOfExpiry(message)
  const me = useRoom((room) => room.me.id)
  const asker = useRoom((room) => room.messages.find((one) => one.id === message.reply_to)?.author)
  const creator = useRoom((room) => (message.reminder ? room.reminders[message.reminder.id]?.created_by : undefined))
  const replies = useRoom(
    useShallow((room) => room.messages.filter((one) => one.reply_to === message.id && one.author.id === me).map((one) => one.text)),
  )
  const waiting = useRoom(
    useShallow((room) => room.pending.filter((one) => one.reply_to === message.id && !one.isFailed).map((one) => one.text)),
  )
  const offered = { ...message, choices: optionsOf(message).filter((choice) => !(isUndoInCard && choice.change_id)) }
  const buttons = buttonsOf(offered, { me, now, replies, waiting, asker: asker?.kind === 'person' ? asker.id : undefined, creator })
  if (!buttons.length) return null
  const press = (choice: Choice) => (choice.change_id ? undo(choice.change_id) : send(choice.says, message.id))
  return (
    <div className="choices" role="group" aria-label={words.room.answers}>
      {buttons.map(({ choice, isUsed }) => (
        <button key={choice.says} type="button" className="choice" disabled={isUsed || isBusy} onClick={() => press(choice)}>
          {choice.label}
        </button>
      ))}
    </div>
  )
}
