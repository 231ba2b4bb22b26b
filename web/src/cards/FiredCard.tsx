import { IconAlarm } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useClock } from '../format/clock'
import { lateness, shortTime, wholeTime } from '../format/time'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { Choices } from '../room/Choices'
import { Markdown } from '../room/laterParts'
import { PlainText } from '../room/PlainText'
import type { Message } from '../wire/frames'
import { answerOf, type Press } from './answer'
import { ReminderMark } from './ReminderCard'
import { useReminder } from './useReminder'

function NextTime({ id }: { id: string }): ReactNode {
  const words = useWords()
  const clock = useClock()
  const reminder = useReminder(id)
  if (reminder?.status !== 'active' || !reminder.due_at) return null
  return (
    <p className="card-next figures">
      <ReminderMark reminder={reminder} />
      {fill(words.cards.next, { when: shortTime(reminder.due_at, clock) })}
    </p>
  )
}

/** What became of a pressed button: the new time of the reminder, else the words of the bot. */
function Outcome({ answer, host }: { answer: Message; host: string }): ReactNode {
  const { cards, rest } = answerOf(answer)
  const others = cards.flatMap((card) => (card.kind === 'reminder' && card.id !== host ? [card.id] : []))
  return (
    <>
      {rest && <Markdown text={rest} />}
      {others.map((id) => (
        <NextTime key={id} id={id} />
      ))}
    </>
  )
}

/** Which buttons of a card were pressed, by whom. */
export function Presses({ presses, host }: { presses: Press[]; host: string }): ReactNode {
  return (
    <ul className="presses">
      {presses.map((press) => (
        <li key={press.id} id={`message-${press.id}`} data-press={press.label}>
          <b dir="auto">{press.who}</b> {press.label}
          {press.answer && <Outcome answer={press.answer} host={host} />}
        </li>
      ))}
    </ul>
  )
}

/** A reminder that fired: whom it is for, what, honestly how late, and what was done with it. */
export function FiredCard({ message, presses }: { message: Message; presses: Press[] }): ReactNode {
  const clock = useClock()
  const fired = message.reminder
  return (
    <section className="reminder-card" data-card="fired" data-fired={fired?.id ?? ''} aria-label={fired?.text}>
      <p className="reminder-line">
        <IconAlarm size={17} stroke={1.8} aria-hidden="true" />
        <span className="reminder-text">
          <PlainText text={message.text.replace(/^⏰\s*/u, '')} />
        </span>
        {fired?.late_ms != null && (
          <span className="mono figures late" title={wholeTime(fired.due_at, clock)}>
            {lateness(fired.late_ms)}
          </span>
        )}
      </p>
      {fired && <NextTime id={fired.id} />}
      {presses.length > 0 && <Presses presses={presses} host={fired?.id ?? ''} />}
      <Choices message={message} />
    </section>
  )
}
