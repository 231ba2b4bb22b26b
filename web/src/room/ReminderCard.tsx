import { IconAlarm } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { lateness, wholeTime } from '../format/time'
import { useLanguage } from '../language/language'
import type { Message } from '../wire/frames'
import { Choices } from './Choices'
import { PlainText } from './PlainText'

/** A reminder that fired: whom it is for, what, and honestly how late. */
export function ReminderCard({ message }: { message: Message }): ReactNode {
  const language = useLanguage((state) => state.language)
  const fired = message.reminder
  return (
    <div className="reminder-card" data-fired={fired?.id ?? ''}>
      <p className="reminder-line">
        <IconAlarm size={17} stroke={1.8} aria-hidden="true" />
        <span className="reminder-text">
          <PlainText text={message.text.replace(/^⏰\s*/u, '')} />
        </span>
        {fired?.late_ms != null && (
          <span className="mono figures late" title={wholeTime(fired.due_at, language)}>
            {lateness(fired.late_ms)}
          </span>
        )}
      </p>
      <Choices message={message} />
    </div>
  )
}
