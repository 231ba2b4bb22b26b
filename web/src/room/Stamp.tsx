import type { ReactNode } from 'react'
import { useClock } from '../format/clock'
import { clockTime, wholeTime } from '../format/time'

/** When something was said: the clock time, with all of it as a tooltip. */
export function Stamp({ at, children }: { at: string; children?: ReactNode }): ReactNode {
  const clock = useClock()
  return (
    <span className="stamp figures">
      <time dateTime={at} title={wholeTime(at, clock)}>
        {clockTime(at, clock)}
      </time>
      {children}
    </span>
  )
}
