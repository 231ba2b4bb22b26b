import { Button } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { plural } from '../language/words'
import { useRoom } from '../room/store'

const MISSED_SHOWN_MS = 6000

/** The one pill that says how the connection is. */
export function LinkPill(): ReactNode {
  const words = useWords()
  const link = useRoom((room) => room.link)
  const missed = useRoom((room) => room.missed)
  useEffect(() => {
    if (!missed) return
    const timer = window.setTimeout(() => useRoom.getState().forgetMissed(), MISSED_SHOWN_MS)
    return () => window.clearTimeout(timer)
  }, [missed])
  const word = link === 'refused' ? words.link.offline : words.link[link]
  return (
    <span className="link-pill" role="status" data-link={link}>
      <span className="link-dot" aria-hidden="true" />
      <span className="link-word">{link === 'live' && missed > 0 ? plural(words.link.missed, missed) : word}</span>
    </span>
  )
}

/** Over everything while there is no connection for long, or none will come. */
export function LinkBanner(): ReactNode {
  const words = useWords()
  const link = useRoom((room) => room.link)
  const hasNewVersion = useRoom((room) => room.hasNewVersion)
  const { retryNow, leave } = useRoom.getState()
  if (hasNewVersion && link === 'live') {
    return (
      <div className="banner" role="status" data-new-version>
        <span>{words.link.newVersion}</span>
        <Button size="compact-md" onClick={() => location.reload()}>
          {words.link.reload}
        </Button>
      </div>
    )
  }
  if (link !== 'offline' && link !== 'refused') return null
  return (
    <div className="banner" role="alert">
      <span>{link === 'refused' ? words.link.refused : words.link.offlineBanner}</span>
      <Button size="compact-md" variant="default" onClick={link === 'refused' ? leave : retryNow}>
        {link === 'refused' ? words.palette.leave : words.link.retryNow}
      </Button>
    </div>
  )
}
