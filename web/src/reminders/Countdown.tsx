import type { ReactNode } from 'react'
import { spanShort } from '../format/time'
import { useNow } from '../format/useNow'
import { useWords } from '../language/language'

const HOUR_MS = 3_600_000
const AROUND = 2 * Math.PI * 14

/** The time left, as a ring that closes over the last hour. Not live for screen readers: it would speak each second. */
export function Countdown({ due }: { due: string }): ReactNode {
  const words = useWords()
  const left = Date.parse(due) - useNow()
  const share = Math.min(1, Math.max(0, left / HOUR_MS))
  return (
    <span className="countdown mono figures" data-countdown aria-hidden="true">
      <svg width="34" height="34" viewBox="0 0 34 34">
        <circle cx="17" cy="17" r="14" className="ring-track" />
        <circle
          cx="17"
          cy="17"
          r="14"
          className="ring"
          strokeDasharray={AROUND}
          strokeDashoffset={AROUND * (1 - share)}
          transform="rotate(-90 17 17)"
        />
      </svg>
      <span className="countdown-text">{left <= 0 ? '·' : spanShort(left, words)}</span>
    </span>
  )
}
