import { memo, type ReactNode } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { cutAtMentions, meansMe } from './mentions'
import { useRoom } from './store'

interface Node {
  type: string
  tagName?: string
  value?: string
  properties?: Record<string, unknown>
  children?: Node[]
}

const PLUGINS = [remarkGfm]
const VERBATIM = new Set(['code', 'pre', 'a'])

/** Turns "@name" in text into marks of its own; code and links stay as they are. */
function withMentions(names: readonly string[], me: string) {
  const marked = (node: Node): Node[] => {
    if (node.type === 'text') {
      return cutAtMentions(node.value ?? '', names).map((piece) =>
        piece.mention === null
          ? { type: 'text', value: piece.text }
          : {
              type: 'element',
              tagName: 'span',
              properties: { className: ['mention'], ...(meansMe(piece.mention, me) ? { dataMe: 'true' } : {}) },
              children: [{ type: 'text', value: piece.text }],
            },
      )
    }
    if (node.children && !VERBATIM.has(node.tagName ?? '')) node.children = node.children.flatMap(marked)
    return [node]
  }
  return () => (tree: Node) => {
    marked(tree)
  }
}

// An image from elsewhere would tell its server who reads here, and the content security policy refuses it.
const COMPONENTS: Components = {
  a: ({ children, href }) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  img: ({ src, alt }) =>
    typeof src === 'string' && src.startsWith('/') && !src.startsWith('//') ? (
      <img className="picture" src={src} alt={alt ?? ''} loading="lazy" />
    ) : (
      <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noopener noreferrer">
        {alt || src}
      </a>
    ),
  table: ({ children }) => (
    <div className="table-scroll" tabIndex={0} role="region">
      <table>{children}</table>
    </div>
  ),
  // Headings of a message are no headings of the page.
  h1: ({ children }) => <p className="heading">{children}</p>,
  h2: ({ children }) => <p className="heading">{children}</p>,
  h3: ({ children }) => <p className="heading">{children}</p>,
  h4: ({ children }) => <p className="heading">{children}</p>,
  h5: ({ children }) => <p className="heading">{children}</p>,
  h6: ({ children }) => <p className="heading">{children}</p>,
}

const LIST_LINE = /^\s*(?:[-*+]|\d{1,9}[.)])\s/
const FENCE = /^\s*(?:```|~~~)/

/** Keeps lists and the lines between them apart: Markdown would make those part of the last item, and join a second list. */
function withListsApart(text: string): string {
  let isInList = false
  let isInCode = false
  return text
    .split('\n')
    .map((line) => {
      if (FENCE.test(line)) isInCode = !isInCode
      const isItem = LIST_LINE.test(line)
      const wasInList = isInList
      isInList = isItem || (wasInList && /^\s+\S/.test(line))
      return !isInCode && line.trim() && wasInList !== isInList ? `\n${line}` : line
    })
    .join('\n')
}

function useNames(): [string, string] {
  const names = useRoom((room) => [...room.members.map((member) => member.name), room.bot].join('\n'))
  const me = useRoom((room) => room.me.name)
  return [names, me]
}

/** What the bot says: small Markdown, raw HTML shown as the text it is. */
export const Markdown = memo(function Markdown({ text }: { text: string }): ReactNode {
  const [names, me] = useNames()
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={PLUGINS} rehypePlugins={[withMentions(names.split('\n'), me)]} components={COMPONENTS}>
        {withListsApart(text)}
      </ReactMarkdown>
    </div>
  )
})

const LINK = /(https?:\/\/[^\s<>"'）】」]+[^\s<>"'）】」.,;:!?，。；：！？])/u

/** What a person says: exactly as written, with mentions and links. */
export const PlainText = memo(function PlainText({ text }: { text: string }): ReactNode {
  const [names, me] = useNames()
  return (
    <span className="plain">
      {text.split(LINK).map((part, at) =>
        at % 2 ? (
          <a key={at} href={part} target="_blank" rel="noopener noreferrer">
            {part}
          </a>
        ) : (
          cutAtMentions(part, names.split('\n')).map((piece, index) =>
            piece.mention === null ? (
              piece.text
            ) : (
              <span key={`${at}-${index}`} className="mention" data-me={meansMe(piece.mention, me) || undefined}>
                {piece.text}
              </span>
            ),
          )
        ),
      )}
    </span>
  )
})
