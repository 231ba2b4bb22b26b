import type { ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { useAlerts } from '../room/alerts'

/** The one place that speaks to screen readers: whole messages and finished tools, never single words of a stream. */
export function Announcer(): ReactNode {
  const words = useWords()
  const spoken = useAlerts((alerts) => alerts.spoken)
  let text = ''
  if (spoken?.kind === 'message') text = fill(words.room.spoken, { name: spoken.name, text: spoken.text })
  if (spoken?.kind === 'tool') text = fill(spoken.isOk ? words.card.finished : words.card.failedIn, { tool: spoken.tool, seconds: spoken.seconds })
  if (spoken?.kind === 'joined' || spoken?.kind === 'left') text = fill(words.room[spoken.kind], { name: spoken.name })
  return (
    <div className="unseen" aria-live="polite" data-announcer>
      {text}
    </div>
  )
}
