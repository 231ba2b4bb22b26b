import { Fragment, type ReactNode } from 'react'
import { clockTime, isSameDay, longDate } from '../format/time'
import { useLanguage, useWords } from '../language/language'
import type { Occurrence } from './api'

/** The coming days as a list, day by day. */
export function Agenda({ occurrences, onPick }: { occurrences: Occurrence[]; onPick: (one: Occurrence) => void }): ReactNode {
  const words = useWords()
  const language = useLanguage((state) => state.language)
  if (!occurrences.length) return <p className="nothing">{words.reminders.nothingPlanned}</p>
  return (
    <ul className="agenda">
      {occurrences.map((one, at) => {
        const before = occurrences[at - 1]
        const isNewDay = !before || !isSameDay(new Date(before.at), new Date(one.at))
        return (
          <Fragment key={`${one.reminder_id} ${one.at}`}>
            {isNewDay && <li className="agenda-day">{longDate(one.at, language)}</li>}
            <li>
              <button type="button" className="agenda-line" data-occurrence={one.reminder_id} data-sent={one.is_sent || undefined} onClick={() => onPick(one)}>
                <time className="event-time figures" dateTime={one.at}>
                  {clockTime(one.at, language)}
                </time>
                <bdi>{one.text}</bdi>
                {one.is_sent && <span className="muted">{words.reminders.sent}</span>}
              </button>
            </li>
          </Fragment>
        )
      })}
    </ul>
  )
}
