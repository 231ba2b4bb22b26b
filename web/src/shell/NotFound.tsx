import { useEffect, type ReactNode } from 'react'
import { Link } from 'wouter'
import { useWords } from '../language/language'

/** Says that an address has no page, and leads back to the chat. */
export function NotFound({ path }: { path: string }): ReactNode {
  const words = useWords()
  useEffect(() => {
    document.title = `${words.notFound.title} · Bubbles`
  }, [words])
  return (
    <main className="not-found" id="content" tabIndex={-1}>
      <h1>{words.notFound.title}</h1>
      <p>
        {words.notFound.lead} <code dir="ltr">{path}</code>
      </p>
      <Link href="/" className="back">
        {words.notFound.back}
      </Link>
    </main>
  )
}
