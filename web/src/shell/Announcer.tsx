import type { ReactNode } from 'react'
import { useWords } from '../language/language'
import { useAlerts } from '../room/alerts'

/** The one place that speaks to screen readers: whole messages and finished tools, never single words of a stream. */
export function Announcer(): ReactNode {
  const words = useWords()
  const spoken = useAlerts((alerts) => alerts.spoken)
  let text = ''
  if (spoken?.kind === 'message') text = words.room.spoken(spoken.name, spoken.text)
  if (spoken?.kind === 'tool') text = (spoken.isOk ? words.card.finished : words.card.failedIn)(spoken.tool, spoken.seconds)
  if (spoken?.kind === 'joined' || spoken?.kind === 'left') text = words.room[spoken.kind](spoken.name)
  return (
    <div className="unseen" aria-live="polite" data-announcer>
      {text}
    </div>
  )
}
