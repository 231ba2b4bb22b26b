import { memo, type ReactNode } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { useWords } from '../language/language'
import { CodeBlock } from './CodeBlock'
import { SafeLink } from './links'
import { withNestedLists } from './lists'
import { cutAtMentions, meansMe, useNames } from './mentions'

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
function withMentions(names: readonly string[], me: string, ownWords: string) {
  const marked = (node: Node): Node[] => {
    if (node.type === 'text') {
      return cutAtMentions(node.value ?? '', names, ownWords).map((piece) =>
        piece.mention === null
          ? { type: 'text', value: piece.text }
          : {
              type: 'element',
              tagName: 'span',
              properties: { className: ['mention'], ...(meansMe(piece.mention, me, ownWords) ? { dataMe: 'true' } : {}) },
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

/** The bot's lines are meant: a line break within its text is a line break here. */
function withLineBreaks() {
  const broken = (node: Node): Node[] => {
    if (node.type === 'text' && node.value?.trim() && node.value.includes('\n')) {
      return node.value.split('\n').flatMap((line, at) => {
        const text = { type: 'text', value: line }
        return at ? [{ type: 'element', tagName: 'br', properties: {}, children: [] }, text] : [text]
      })
    }
    if (node.children && !VERBATIM.has(node.tagName ?? '')) node.children = node.children.flatMap(broken)
    return [node]
  }
  return (tree: Node) => {
    broken(tree)
  }
}

function Table({ children }: { children?: ReactNode }): ReactNode {
  const words = useWords()
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label={words.room.table}>
      <table>{children}</table>
    </div>
  )
}

/** The mark of a task in a list: shown, not to be changed here. */
function TaskMark({ checked }: { checked?: boolean }): ReactNode {
  const words = useWords()
  return (
    <span className="task-mark" role="img" aria-label={checked ? words.room.taskDone : words.room.taskOpen}>
      {checked ? '☑' : '☐'}
    </span>
  )
}

function Heading({ children }: { children?: ReactNode }): ReactNode {
  return (
    <p className="heading" dir="auto">
      {children}
    </p>
  )
}

// An image from elsewhere would tell its server who reads here, and the content security policy refuses it.
const COMPONENTS: Components = {
  a: ({ children, href }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ src, alt }) =>
    typeof src === 'string' && src.startsWith('/') && !src.startsWith('//') ? (
      <img className="picture" src={src} alt={alt ?? ''} loading="lazy" />
    ) : (
      <SafeLink href={typeof src === 'string' ? src : undefined}>{alt || src}</SafeLink>
    ),
  table: ({ children }) => <Table>{children}</Table>,
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  input: ({ checked }) => <TaskMark checked={checked} />,
  p: ({ children }) => <p dir="auto">{children}</p>,
  ul: ({ children, className }) => (
    <ul className={className} dir="auto">
      {children}
    </ul>
  ),
  ol: ({ children, start }) => (
    <ol start={start} dir="auto">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  // Headings of a message are no headings of the page.
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
}

/** Small Markdown; raw HTML is shown as the text it is. */
export const Markdown = memo(function Markdown({ text, className = '' }: { text: string; className?: string }): ReactNode {
  const [names, me, ownWords] = useNames()
  return (
    <div className={`markdown ${className}`} dir="auto">
      <ReactMarkdown remarkPlugins={PLUGINS} rehypePlugins={[withLineBreaks, withMentions(names.split('\n'), me, ownWords)]} components={COMPONENTS}>
        {withNestedLists(text)}
      </ReactMarkdown>
    </div>
  )
})
