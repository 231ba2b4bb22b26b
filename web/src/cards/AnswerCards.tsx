import { IconChevronRight } from '@tabler/icons-react'
import { useId, useState, type ReactNode } from 'react'
import { duration } from '../format/time'
import { useWords } from '../language/language'
import { loadedLater } from '../shell/loadedLater'
import type { Choice, ToolCall } from '../wire/frames'
import type { Card } from './answer'
import { ReminderCard, ReminderListCard } from './ReminderCard'

const ToolCards = loadedLater(() => import('../room/ToolCard').then((module) => module.ToolCards))
const FoundCard = loadedLater(() => import('./ResultCards').then((module) => module.FoundCard))
const SearchCard = loadedLater(() => import('./ResultCards').then((module) => module.SearchCard))
const SummaryCard = loadedLater(() => import('./ResultCards').then((module) => module.SummaryCard))

function OneCard({ card, undo }: { card: Card; undo: Choice | undefined }): ReactNode {
  switch (card.kind) {
    case 'reminder':
      return <ReminderCard id={card.id} action={card.action} content={card.content} undo={undo} />
    case 'reminders':
      return <ReminderListCard ids={card.ids} contents={card.contents} />
    case 'summary':
      return <SummaryCard points={card.points} text={card.text} />
    case 'search':
      return <SearchCard answer={card.answer} sources={card.sources} />
    case 'found':
      return <FoundCard query={card.query} messages={card.messages} />
  }
}

/** The cards of an answer; where there is one, it has the button that takes its change back. */
export function AnswerCards({ cards, undo }: { cards: Card[]; undo: Choice | undefined }): ReactNode {
  if (!cards.length) return null
  return (
    <div className="answer-cards">
      {cards.map((card, at) => (
        <OneCard key={card.kind === 'reminder' ? card.id : at} card={card} undo={cards.length === 1 ? undo : undefined} />
      ))}
    </div>
  )
}

/** How an answer came about: its calls, shown on demand. */
export function How({ calls }: { calls: ToolCall[] }): ReactNode {
  const words = useWords()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  if (!calls.length) return null
  const took = calls.reduce((sum, call) => sum + (call.duration_ms ?? 0), 0)
  return (
    <div className="how">
      <button type="button" className="how-line" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <IconChevronRight size={14} className="chevron" data-open={isOpen || undefined} aria-hidden="true" />
        {words.cards.how} <span className="figures">{duration(took)}</span>
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen && <ToolCards calls={calls} />}
      </div>
    </div>
  )
}
