import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useWords } from '../language/language'
import { useAlerts } from '../room/alerts'
import { useRoom } from '../room/store'
import { useMentionsElsewhere } from '../rooms/useMentionsElsewhere'
import { PAGES } from './pages'

const PRODUCT = 'Bubbles'
const HEADLINE_MS = 12_000

/** The title of the tab: the page or the room, and before it how much is new: "(1) ⏰ stretch"; its icon has a dot then. */
export function TabTitle(): null {
  const words = useWords()
  const [path] = useLocation()
  const room = useRoom((state) => state.identity?.room)
  const unseen = useAlerts((alerts) => alerts.unseen)
  const headline = useAlerts((alerts) => alerts.headline)
  const elsewhere = useMentionsElsewhere()
  const page = PAGES.find((one) => one.path === path)
  const place = room === undefined ? '' : !page || page.key === 'chat' ? `# ${room}` : words.nav[page.key]
  useEffect(() => {
    const name = place ? `${place} · ${PRODUCT}` : PRODUCT
    const count = unseen + elsewhere
    document.title = count ? `(${count}) ${headline || name}` : name
    document.querySelector('link[rel=icon]')?.setAttribute('href', count ? '/icon-new.svg' : '/icon.svg')
  }, [place, unseen, headline, elsewhere])
  // A reminder is announced as long as its toast, counted from when the tab can be seen.
  useEffect(() => {
    if (!unseen) return
    let timer = 0
    const start = () => {
      window.clearTimeout(timer)
      if (!document.hidden) timer = window.setTimeout(() => useAlerts.getState().seen(), HEADLINE_MS)
    }
    start()
    document.addEventListener('visibilitychange', start)
    return () => {
      window.clearTimeout(timer)
      document.removeEventListener('visibilitychange', start)
    }
  }, [unseen])
  return null
}
