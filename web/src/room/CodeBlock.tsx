import { ActionIcon, CopyButton } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { isValidElement, useEffect, useId, useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import type { Token } from './highlight'

const LANGUAGE = /language-(\S+)/
const MAX_HIGHLIGHTED_LENGTH = 20_000
const LINES_SHOWN = 20

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(textOf).join('')
  return isValidElement<{ children?: ReactNode }>(node) ? textOf(node.props.children) : ''
}

function languageOf(node: ReactNode): string {
  return isValidElement<{ className?: string }>(node) ? (LANGUAGE.exec(node.props.className ?? '')?.[1] ?? '') : ''
}

function useTokens(code: string, language: string): Token[] | null {
  const [tokens, setTokens] = useState<Token[] | null>(null)
  useEffect(() => {
    if (!language || code.length > MAX_HIGHLIGHTED_LENGTH) return
    let isShown = true
    // Code stays as it is where the colours cannot be loaded.
    import('./highlight').then(
      ({ highlight }) => isShown && setTokens(highlight(code, language)),
      () => undefined,
    )
    return () => {
      isShown = false
    }
  }, [code, language])
  return tokens
}

/** Code in a box that scrolls sideways; focusable, so that the arrow keys scroll it. Long code is folded until it is opened. */
export function CodeBlock({ children }: { children?: ReactNode }): ReactNode {
  const words = useWords()
  const code = textOf(children).replace(/\n$/, '')
  const language = languageOf(children)
  const tokens = useTokens(code, language)
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const lines = code.split('\n').length
  const isLong = lines > LINES_SHOWN
  return (
    <div className="code-box" data-highlighted={tokens ? language : undefined}>
      <div className="code-head">
        <span className="mono muted">{language}</span>
        {navigator.clipboard && (
          <CopyButton value={code}>
            {({ copied, copy }) => (
              <ActionIcon variant="subtle" color="gray" size={32} aria-label={copied ? words.copied : words.message.copyCode} onClick={copy}>
                {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
              </ActionIcon>
            )}
          </CopyButton>
        )}
      </div>
      <pre id={id} tabIndex={0} role="group" aria-label={words.room.code} dir="ltr" data-folded={(isLong && !isOpen) || undefined}>
        <code>
          {tokens?.map((token, at) => (
            <span key={at} className={token.className || undefined}>
              {token.text}
            </span>
          )) ?? code}
        </code>
      </pre>
      {isLong && (
        <button type="button" className="code-fold" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {isOpen ? words.message.lessCode : fill(words.message.allCode, { n: lines })}
        </button>
      )}
    </div>
  )
}
