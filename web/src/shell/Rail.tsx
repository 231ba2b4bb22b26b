import { useClickOutside, useWindowEvent } from '@mantine/hooks'
import { IconDots } from '@tabler/icons-react'
import { useEffect, useId, useState, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useWords } from '../language/language'
import { usePages } from './pages'

const SHOWN_ON_A_PHONE = 3

/** The pages: a rail at the side, a bar at the bottom of a phone, where most of them are behind "More". */
export function Rail(): ReactNode {
  const words = useWords()
  const [here] = useLocation()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const box = useClickOutside<HTMLElement>(() => setOpen(false))
  useWindowEvent('keydown', (event) => event.key === 'Escape' && setOpen(false))
  useEffect(() => setOpen(false), [here])
  // The set-up is found in the palette and by links.
  const pages = usePages().filter(({ key }) => key !== 'setup')
  const links = pages.map(({ path, key, icon: Icon }) => (
    <Link key={path} href={path} className="rail-link" aria-current={here === path ? 'page' : undefined}>
      <Icon size={21} stroke={1.6} aria-hidden="true" />
      <span>{words.nav[key]}</span>
    </Link>
  ))
  const isHereBehindMore = pages.slice(SHOWN_ON_A_PHONE).some((page) => page.path === here)
  return (
    <nav className="rail" aria-label={words.nav.label} ref={box}>
      {links.slice(0, SHOWN_ON_A_PHONE)}
      {pages.length > SHOWN_ON_A_PHONE && (
        <>
          <button type="button" className="rail-more" aria-expanded={isOpen} aria-controls={id} data-current={isHereBehindMore || undefined} onClick={() => setOpen(!isOpen)}>
            <IconDots size={21} stroke={1.6} aria-hidden="true" />
            <span>{words.nav.more}</span>
          </button>
          <div id={id} className="rail-rest" data-open={isOpen || undefined}>
            {links.slice(SHOWN_ON_A_PHONE)}
          </div>
        </>
      )}
    </nav>
  )
}
