import { Button } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { browserZone, useZone, zoneLabel } from '../format/clock'
import { isSameZone } from '../format/time'
import { useWords } from '../language/language'
import { fill, plural } from '../language/words'
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

const KEPT_ZONE = 'bubbles.zone'

/** Offer the zone of this device where clocks show another time than those of the person, once for each pair. */
function ZoneOffer(): ReactNode {
  const { link: words } = useWords()
  const zone = useZone((state) => state.zone)
  const me = useRoom((room) => room.me.id)
  const device = browserZone()
  const pair = `${me} ${device} ${zone}`
  const [kept, setKept] = useState(() => localStorage.getItem(KEPT_ZONE))
  if (kept === pair || isSameZone(device, zone)) return null
  const keep = () => {
    localStorage.setItem(KEPT_ZONE, pair)
    setKept(pair)
  }
  const names = { device: zoneLabel(device), zone: zoneLabel(zone) }
  return (
    <div className="banner" role="status" data-zone-offer>
      <span>{fill(words.otherZone, names)}</span>
      <span className="banner-actions">
        <Button size="compact-md" onClick={() => useRoom.getState().chooseZone(device)}>
          {fill(words.useZone, names)}
        </Button>
        <Button size="compact-md" variant="default" onClick={keep}>
          {fill(words.keepZone, names)}
        </Button>
      </span>
    </div>
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
  if (link === 'live') return <ZoneOffer />
  if (link !== 'offline' && link !== 'refused') return null
  return (
    <div className="banner" role="alert">
      <span>{link === 'refused' ? words.link.refused : words.link.offlineBanner}</span>
      <Button size="compact-md" variant="default" onClick={link === 'refused' ? leave : retryNow}>
        {link === 'refused' ? words.link.leave : words.link.retryNow}
      </Button>
    </div>
  )
}
