import type { ReactNode } from 'react'
import { useClock } from '../format/clock'
import { clockTime } from '../format/time'
import { useNow } from '../format/useNow'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import type { Reminder } from '../wire/frames'

const HOUR_MS = 3_600_000
const MARKS = [15, 30, 45, 60]

/** The coming hour as a line with a dot for each reminder. */
export function Timeline({ reminders }: { reminders: Reminder[] }): ReactNode {
  const words = useWords()
  const clock = useClock()
  const now = useNow(5000)
  const soon = reminders.filter((one) => one.due_at && Date.parse(one.due_at) >= now && Date.parse(one.due_at) - now <= HOUR_MS)
  const label = soon.map((one) => `${clockTime(one.due_at ?? now, clock)} ${one.text}`).join(', ')
  return (
    <figure className="timeline" aria-label={`${words.panel.nextHour}: ${label || '–'}`}>
      <figcaption>{words.panel.nextHour}</figcaption>
      <div className="timeline-line" aria-hidden="true">
        {[0, ...MARKS].map((minutes) => (
          <span key={minutes} className="timeline-mark" style={{ left: `${(minutes / 60) * 100}%` }} />
        ))}
        {soon.map((one) => (
          <span
            key={one.id}
            className="timeline-dot"
            title={one.text}
            style={{ left: `${((Date.parse(one.due_at ?? '') - now) / HOUR_MS) * 100}%` }}
          />
        ))}
      </div>
      <div className="timeline-words figures" aria-hidden="true">
        <span>{clockTime(now, clock)}</span>
        {MARKS.map((minutes) => (
          <span key={minutes}>+{fill(words.units.minutes, { n: minutes })}</span>
        ))}
      </div>
    </figure>
  )
}
