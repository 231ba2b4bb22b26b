import { IconHelpCircle, IconListDetails, IconMessageSearch, IconWorldSearch, IconX } from '@tabler/icons-react'
import { ActionIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { hostOf, SafeLink } from '../room/links'
import { Choices } from '../room/Choices'
import { Markdown } from '../room/laterParts'
import { useRoom } from '../room/store'
import type { Message } from '../wire/frames'
import { withoutIds, type FoundMessage, type Point, type Press, type Question, type Source } from './answer'
import { Presses } from './FiredCard'

/** A question of the bot with its answers as buttons; afterwards, who chose what. */
export function QuestionCard({ message, question, presses }: { message: Message; question: Question; presses: Press[] }): ReactNode {
  const words = useWords()
  return (
    <section className="card-box" data-card="question" aria-label={words.cards.question}>
      <div className="card-question">
        <IconHelpCircle size={18} stroke={1.8} aria-hidden="true" />
        <Markdown text={question.text} />
      </div>
      {presses.length > 0 && <Presses presses={presses} host="" />}
      <Choices message={message} />
    </section>
  )
}

function PointLine({ point }: { point: Point }): ReactNode {
  const words = useWords()
  const jump = useRoom((room) => room.jump)
  const author = useRoom((room) => room.messages.find((message) => message.id === point.message_ids[0])?.author.name)
  const first = point.message_ids[0]
  const said = (
    <>
      {author && <b>{author}</b>} {point.text}
    </>
  )
  return (
    <li>
      {first ? (
        <button type="button" className="card-link" dir="auto" title={words.cards.showMessage} onClick={() => jump(first)}>
          {said}
        </button>
      ) : (
        <span dir="auto">{said}</span>
      )}
    </li>
  )
}

/** A summary in its order: runs of points, and the lines between them, such as headings, dates and links. */
function partsOf(text: string, points: readonly Point[]): (Point[] | string)[] {
  const [, ...lines] = text.split('\n')
  const longestFirst = [...points].sort((one, other) => other.text.length - one.text.length)
  const pointOf = (line: string) => (line.startsWith('• ') ? longestFirst.find((point) => line.includes(point.text)) : undefined)
  const parts: (Point[] | string)[] = [points.filter((point) => !lines.some((line) => pointOf(line) === point))]
  for (const line of lines) {
    const [point, last] = [pointOf(line), parts.at(-1)]
    if (point && Array.isArray(last)) last.push(point)
    else if (point) parts.push([point])
    else if (typeof last === 'string') parts[parts.length - 1] = `${last}\n${line}`
    else parts.push(line)
  }
  return parts.filter((part) => (typeof part === 'string' ? part.trim() : part.length))
}

/** A summary whose points lead to their messages. */
export function SummaryCard({ points, text, onClose }: { points: Point[]; text: string; onClose?: () => void }): ReactNode {
  const words = useWords()
  const head = text.split('\n')[0]?.replace(/[:：]\s*$/u, '') ?? ''
  return (
    <section className="card-box" data-card="summary" aria-label={words.cards.summary}>
      <p className="card-head">
        <IconListDetails size={15} stroke={1.8} aria-hidden="true" />
        <span className="card-title">{head || words.cards.summary}</span>
        {onClose && (
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={words.close} onClick={onClose}>
            <IconX size={16} />
          </ActionIcon>
        )}
      </p>
      {partsOf(text, points).map((part, at) =>
        typeof part === 'string' ? (
          <Markdown key={at} text={part} />
        ) : (
          <ul key={at} className="card-points">
            {part.map((point) => (
              <PointLine key={`${point.message_ids[0]} ${point.text}`} point={point} />
            ))}
          </ul>
        ),
      )}
    </section>
  )
}

/** What a search of the web found, with the pages it cites. */
export function SearchCard({ answer, sources }: { answer: string; sources: Source[] }): ReactNode {
  const words = useWords()
  return (
    <section className="card-box" data-card="search" aria-label={words.cards.search}>
      <p className="card-head">
        <IconWorldSearch size={15} stroke={1.8} aria-hidden="true" />
        {words.cards.search}
      </p>
      {answer && <Markdown text={answer} />}
      <ol className="card-sources">
        {sources.map((source) => (
          <li key={source.url}>
            <SafeLink href={source.url}>{source.title || source.url}</SafeLink> <span className="muted">{hostOf(source.url)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Messages of the room that were found. */
export function FoundCard({ query, messages }: { query: string; messages: FoundMessage[] }): ReactNode {
  const words = useWords()
  const jump = useRoom((room) => room.jump)
  return (
    <section className="card-box" data-card="found" aria-label={fill(words.cards.found, { query })}>
      <p className="card-head">
        <IconMessageSearch size={15} stroke={1.8} aria-hidden="true" />
        {fill(words.cards.found, { query })}
      </p>
      <ul className="card-points">
        {messages.map((message) => (
          <li key={message.id}>
            <button type="button" className="card-link" dir="auto" onClick={() => jump(message.id)}>
              <b>{message.who}</b> {withoutIds(message.text)} <span className="muted figures">{message.when}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
