import { Button } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { isOutdated } from './version'

/** Says that a part of the page failed and why, and offers another attempt and a reload. */
export function Crash({ error, onRetry }: { error: unknown; onRetry?: () => void }): ReactNode {
  const words = useWords()
  const [isOld, setOld] = useState(false)
  // After an upgrade the files of the open page are gone: only a reload helps.
  useEffect(() => {
    void isOutdated().then(setOld)
  }, [])
  return (
    <div className="crash" role="alert" data-crash={isOld ? 'outdated' : 'failed'}>
      <b>{words.crash.title}</b>
      <p>{isOld ? words.link.newVersion : words.crash.hint}</p>
      {!isOld && <p className="muted mono crash-reason">{error instanceof Error ? error.message : String(error)}</p>}
      <div className="crash-buttons">
        {onRetry && !isOld && <Button onClick={onRetry}>{words.retry}</Button>}
        <Button variant={onRetry && !isOld ? 'default' : 'filled'} onClick={() => location.reload()}>
          {words.link.reload}
        </Button>
      </div>
    </div>
  )
}
