import type { ReactNode } from 'react'
import { TopBar } from './TopBar'

/** A page beside the room: the bar, and content that scrolls. */
export function Page({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <>
      <TopBar title={title} />
      <main className="page" id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}
