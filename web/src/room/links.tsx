import type { ReactNode } from 'react'

const OPENED = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/** The address if a link may lead there, else undefined: `javascript:` and `data:` addresses are text. */
export function linkable(address: string | null | undefined): string | undefined {
  if (!address) return undefined
  try {
    return OPENED.has(new URL(address, location.origin).protocol) ? address : undefined
  } catch {
    return undefined
  }
}

/** A link to another page in a tab of its own, or only its text where the address must not be opened. */
export function SafeLink({ href, className, children }: { href?: string | null; className?: string; children: ReactNode }): ReactNode {
  const address = linkable(href)
  if (!address) return <span className={className}>{children}</span>
  return (
    <a className={className} href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
