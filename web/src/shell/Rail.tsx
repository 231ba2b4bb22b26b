import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useWords } from '../language/language'
import { MAIN_PAGES } from './pages'

/** The pages: a rail at the side, a bar at the bottom of a phone. */
export function Rail(): ReactNode {
  const words = useWords()
  const [here] = useLocation()
  return (
    <nav className="rail" aria-label={words.nav.label}>
      {MAIN_PAGES.map(({ path, key, icon: Icon }) => (
        <Link key={path} href={path} className="rail-link" aria-current={here === path ? 'page' : undefined}>
          <Icon size={21} stroke={1.6} aria-hidden="true" />
          <span>{words.nav[key]}</span>
        </Link>
      ))}
    </nav>
  )
}
