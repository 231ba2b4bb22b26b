import type { ReactNode } from 'react'
import { clockTime, wholeTime } from '../format/time'
import { useLanguage } from '../language/language'

/** When something was said: the clock time, with all of it as a tooltip. */
export function Stamp({ at, children }: { at: string; children?: ReactNode }): ReactNode {
  const language = useLanguage((state) => state.language)
  return (
    <span className="stamp figures">
      <time dateTime={at} title={wholeTime(at, language)}>
        {clockTime(at, language)}
      </time>
      {children}
    </span>
  )
}
