import type { MouseEvent, ReactNode } from 'react'
import { useRoom } from './store'

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

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The message of this bot that an address leads to, such as the bot's links in a summary. */
export function messageAt(address: string): { room: string; id: string } | null {
  const url = new URL(address, location.origin)
  const isHere = url.host === location.host || (LOOPBACK.has(url.hostname) && LOOPBACK.has(location.hostname) && url.port === location.port)
  const room = url.searchParams.get('room')
  return isHere && url.pathname === '/' && room && url.hash.length > 1 ? { room, id: url.hash.slice(1) } : null
}

/** The host of an address without `www.`, to be read. */
export function hostOf(address: string): string {
  try {
    return new URL(address).host.replace(/^www\./, '')
  } catch {
    return ''
  }
}

/** Whether an address is a file of this bot, so that nothing is fetched from elsewhere. */
export function isOurs(url: string): boolean {
  return (url.startsWith('/') && !url.startsWith('//')) || url.startsWith('data:image/')
}

/** A link to another page in a tab of its own, or only its text where the address must not be opened. */
export function SafeLink({ href, className, children }: { href?: string | null; className?: string; children: ReactNode }): ReactNode {
  const address = linkable(href)
  if (!address) return <span className={className}>{children}</span>
  const message = messageAt(address)
  if (message) {
    const show = (event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey) return
      event.preventDefault()
      useRoom.getState().jump(message.id, message.room)
    }
    return (
      <a className={className} href={address} onClick={show}>
        {children}
      </a>
    )
  }
  return (
    <a className={className} href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
