import { Button } from '@mantine/core'
import { IconCheck, IconCornerDownRight, IconPlayerStop } from '@tabler/icons-react'
import { memo, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill, plural } from '../language/words'
import { nameColour } from '../theme/people'
import { useDensity } from '../theme/theme'
import type { Author, Message } from '../wire/frames'
import { answerOf, optionsOf, outerCalls, parsedCommand, questionOf, wordsOf, type Press } from '../cards/answer'
import { AnswerCards, How } from '../cards/AnswerCards'
import { FiredCard, Presses } from '../cards/FiredCard'
import { Choices } from './Choices'
import { Face } from './Face'
import { Markdown, MessageActions, PersonText } from './laterParts'
import { Pictures } from './Pictures'
import { loadedLater } from '../shell/loadedLater'
import { Stamp } from './Stamp'
import { useRoom } from './store'

const LinkPreviews = loadedLater(() => import('./LinkPreviews').then((module) => module.LinkPreviews))
/** The cards of calls: the list loads them a moment after the room, for the first call that runs. */
export const ToolCards = loadedLater(() => import('./ToolCard').then((module) => module.ToolCards))
const QuestionCard = loadedLater(() => import('../cards/ResultCards').then((module) => module.QuestionCard))

interface RowProps {
  message: Message
  isFirst: boolean
  isMine: boolean
  /** The buttons of the message that were pressed. */
  presses?: Press[]
  /** The ids of the replies, with spaces between them. */
  replies?: string
}

const NO_PRESSES: Press[] = []

export function Quote({ id }: { id: string }): ReactNode {
  const words = useWords()
  const quoted = useRoom((room) => room.messages.find((message) => message.id === id))
  const jump = useRoom((room) => room.jump)
  return (
    <button type="button" className="quote" dir="auto" onClick={() => jump(id)}>
      {quoted ? (
        <>
          <b>{quoted.author.name}</b> {wordsOf(quoted).slice(0, 120)}
        </>
      ) : (
        words.room.quoteGone
      )}
    </button>
  )
}

function Reactions({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const me = useRoom((room) => room.me.id)
  const members = useRoom((room) => room.members)
  const react = useRoom((room) => room.react)
  const entries = Object.entries(message.reactions ?? {}).filter(([, people]) => people.length)
  if (!entries.length) return null
  const nameOf = (id: string) => members.find((member) => member.id === id)?.name ?? id
  return (
    <div className="reactions">
      {entries.map(([emoji, people]) => (
        <button
          key={emoji}
          type="button"
          className="reaction"
          aria-pressed={people.includes(me)}
          aria-label={fill(words.room.reacted, { emoji, n: people.length, names: people.map(nameOf).join(', ') })}
          title={people.map(nameOf).join(', ')}
          onClick={() => react(message.id, emoji)}
        >
          {emoji} <span className="figures">{people.length}</span>
        </button>
      ))}
    </div>
  )
}

function Streaming({ id, text }: { id: string; text: string }): ReactNode {
  const words = useWords()
  const stop = useRoom((room) => room.stop)
  return (
    <div className="streaming" data-streaming={text ? 'text' : 'dots'}>
      {text ? (
        <div className="with-caret">
          <Markdown text={text} />
        </div>
      ) : (
        <span className="dots" role="img" aria-label={words.room.thinking}>
          <i />
          <i />
          <i />
        </span>
      )}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlayerStop size={14} />}
        onClick={() => stop(id)}
      >
        {words.room.stop}
      </Button>
    </div>
  )
}

/** After an answer that failed for a passing reason: ask the same again, for the person who asked. */
function Again({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const send = useRoom((room) => room.send)
  const question = useRoom((room) => room.messages.find((one) => one.id === message.reply_to && one.author.id === room.me.id))
  if (!message.retryable || !question) return null
  return (
    <Button className="again" size="compact-sm" variant="default" onClick={() => send(question.text, question.reply_to ?? null)}>
      {words.retry}
    </Button>
  )
}

function BotBody({ message, presses }: { message: Message; presses: Press[] }): ReactNode {
  const words = useWords()
  const streaming = useRoom((room) => room.streaming[message.id])
  const isStopped = useRoom((room) => room.stopped[message.id]) || message.stopped
  const answer = useMemo(() => answerOf(message), [message])
  if (message.reminder) return <FiredCard message={message} presses={presses} />
  if (streaming !== undefined) {
    return (
      <div className="bubble bubble-bot">
        {!!message.tool_calls?.length && <ToolCards calls={outerCalls(message.tool_calls)} />}
        <Streaming id={message.id} text={streaming} />
      </div>
    )
  }
  const question = questionOf(message)
  // A question says what was wrong itself.
  const open = question ? [] : answer.open
  const hasOneCard = answer.cards.length === 1
  return (
    <div className="bubble bubble-bot" data-cards={answer.cards.length + (question ? 1 : 0) || undefined}>
      {open.length > 0 && <ToolCards calls={open} said={message.text} />}
      {message.reply_to && !message.tool_calls?.length && !question && <Quote id={message.reply_to} />}
      <AnswerCards cards={answer.cards} undo={answer.undo} />
      {question ? (
        <QuestionCard message={message} question={question} presses={presses} />
      ) : (
        answer.rest && <Markdown text={answer.rest} />
      )}
      <Pictures attachments={message.attachments} />
      {message.text.includes('://') && <LinkPreviews message={message} />}
      {isStopped && <span className="meta">{words.room.stopped}</span>}
      {!question && <Again message={message} />}
      {!question && presses.length > 0 && <Presses presses={presses} host="" />}
      {!question && optionsOf(message).length > 0 && <Choices message={message} isUndoInCard={hasOneCard && answer.cards[0]?.kind === 'reminder'} />}
      <How calls={question ? (message.tool_calls ?? []) : answer.done} />
    </div>
  )
}

/** A typed command with its arguments as chips. */
function CommandText({ text }: { text: string }): ReactNode {
  const command = parsedCommand(text)
  if (!command?.given.length) return <PersonText text={text} />
  return (
    <span className="plain command" dir="auto">
      <span className="mono">/{command.name}</span>
      {command.given.map(([key, value]) => (
        <span key={key} className="chip">
          <span className="muted">{key}</span> {value}
        </span>
      ))}
    </span>
  )
}

function PersonBody({ message, isMine }: { message: Message; isMine: boolean }): ReactNode {
  const words = useWords()
  return (
    <div className={isMine ? 'bubble bubble-mine' : 'bubble bubble-person'}>
      {message.reply_to && <Quote id={message.reply_to} />}
      {message.text.startsWith('/') ? <CommandText text={message.text} /> : <PersonText text={message.text} />}
      <Pictures attachments={message.attachments} />
      {message.text.includes('://') && <LinkPreviews message={message} />}
      <Stamp at={message.ts}>
        {message.edited && <span> {words.room.edited}</span>}
        {isMine && <IconCheck size={13} role="img" aria-label={words.room.sent} />}
      </Stamp>
    </div>
  )
}

/** How many replies a message has; opened, all of them with the way to each. */
function Replies({ ids }: { ids: readonly string[] }): ReactNode {
  const words = useWords()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="replies" title={words.message.showReplies} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <IconCornerDownRight size={14} aria-hidden="true" /> {plural(words.message.replies, ids.length)}
      </button>
      {isOpen && (
        <ul className="reply-list">
          {ids.map((id) => (
            <li key={id}>
              <Quote id={id} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function onKey(event: KeyboardEvent<HTMLElement>, message: Message): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'r') {
    event.preventDefault()
    useRoom.getState().startReply(message.id)
  }
  if (event.key === 'e') {
    event.preventDefault()
    event.currentTarget.querySelector<HTMLButtonElement>('[data-react]')?.click()
  }
}

function AuthorFace({ who }: { who: Author }): ReactNode {
  const isCompact = useDensity((state) => state.density === 'compact')
  return <Face who={who} size={isCompact ? 22 : 34} />
}

/** One message with its author (when it begins a group), its body and what can be done with it. */
export const MessageRow = memo(function MessageRow({ message, isFirst, isMine, presses = NO_PRESSES, replies }: RowProps): ReactNode {
  const words = useWords()
  const isBot = message.author.kind === 'bot'
  return (
    <article
      id={`message-${message.id}`}
      className="row"
      data-message={message.id}
      data-mine={isMine || undefined}
      data-first={isFirst || undefined}
      data-kind={message.author.kind}
      aria-label={`${message.author.name}, ${wordsOf(message).slice(0, 80)}`}
      tabIndex={-1}
      onKeyDown={(event) => onKey(event, message)}
    >
      {!isMine && <div className="row-face">{isFirst && <AuthorFace who={message.author} />}</div>}
      <div className="row-body">
        {isFirst && !isMine && (
          <p className="byline">
            <b dir="auto" style={{ color: isBot ? 'var(--jade)' : nameColour(message.author.name) }}>
              {message.author.name}
            </b>
            {isBot && <span className="badge">{words.room.assistant}</span>}
            {isBot && <Stamp at={message.ts} />}
          </p>
        )}
        <div className="row-bubble">
          {isBot ? <BotBody message={message} presses={presses} /> : <PersonBody message={message} isMine={isMine} />}
          <MessageActions message={message} isMine={isMine} />
        </div>
        <Reactions message={message} />
        {replies && <Replies ids={replies.split(' ')} />}
      </div>
    </article>
  )
})
