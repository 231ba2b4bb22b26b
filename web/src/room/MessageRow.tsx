import { Button } from '@mantine/core'
import { IconCheck, IconPlayerStop } from '@tabler/icons-react'
import { memo, type KeyboardEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { nameColour } from '../theme/people'
import type { Message } from '../wire/frames'
import { Choices } from './Choices'
import { Face } from './Face'
import { Markdown, MessageActions } from './laterParts'
import { Pictures } from './Pictures'
import { PlainText } from './PlainText'
import { ReminderCard } from './ReminderCard'
import { Stamp } from './Stamp'
import { useRoom } from './store'
import { ToolCards } from './ToolCard'

interface RowProps {
  message: Message
  isFirst: boolean
  isMine: boolean
}

/** Bring a message into view and mark it for a moment: where a quotation leads. */
export function jumpTo(messageId: string): void {
  const row = document.getElementById(`message-${messageId}`)
  row?.scrollIntoView({ block: 'center' })
  row?.focus({ preventScroll: true })
}

export function Quote({ id }: { id: string }): ReactNode {
  const words = useWords()
  const quoted = useRoom((room) => room.messages.find((message) => message.id === id))
  return (
    <button type="button" className="quote" dir="auto" onClick={() => jumpTo(id)} disabled={!quoted}>
      {quoted ? (
        <>
          <b>{quoted.author.name}</b> {quoted.text.slice(0, 120)}
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

/** After a failed call: ask the same again, for the person who asked. */
function Again({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const send = useRoom((room) => room.send)
  const question = useRoom((room) => room.messages.find((one) => one.id === message.reply_to && one.author.id === room.me.id))
  const hasFailed = message.tool_calls?.some((call) => call.status === 'error' || call.status === 'timeout')
  if (!hasFailed || !question) return null
  return (
    <Button className="again" size="compact-sm" variant="default" onClick={() => send(question.text, question.reply_to ?? null)}>
      {words.retry}
    </Button>
  )
}

function BotBody({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const streaming = useRoom((room) => room.streaming[message.id])
  const isStopped = useRoom((room) => room.stopped[message.id]) || message.stopped
  if (message.reminder) return <ReminderCard message={message} />
  return (
    <div className="bubble bubble-bot">
      {!!message.tool_calls?.length && <ToolCards calls={message.tool_calls} />}
      {streaming === undefined && <Again message={message} />}
      {message.reply_to && !message.tool_calls?.length && <Quote id={message.reply_to} />}
      {streaming === undefined ? message.text && <Markdown text={message.text} /> : <Streaming id={message.id} text={streaming} />}
      <Pictures attachments={message.attachments} />
      {isStopped && <span className="meta">{words.room.stopped}</span>}
      <Choices message={message} />
    </div>
  )
}

function PersonBody({ message, isMine }: { message: Message; isMine: boolean }): ReactNode {
  const words = useWords()
  return (
    <div className={isMine ? 'bubble bubble-mine' : 'bubble bubble-person'}>
      {message.reply_to && <Quote id={message.reply_to} />}
      <PlainText text={message.text} />
      <Pictures attachments={message.attachments} />
      <Stamp at={message.ts}>
        {message.edited && <span> {words.room.edited}</span>}
        {isMine && <IconCheck size={13} role="img" aria-label={words.room.sent} />}
      </Stamp>
    </div>
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

/** One message with its author (when it begins a group), its body and what can be done with it. */
export const MessageRow = memo(function MessageRow({ message, isFirst, isMine }: RowProps): ReactNode {
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
      aria-label={`${message.author.name}, ${message.text.slice(0, 80)}`}
      tabIndex={-1}
      onKeyDown={(event) => onKey(event, message)}
    >
      {!isMine && <div className="row-face">{isFirst && <Face who={message.author} />}</div>}
      <div className="row-body">
        {isFirst && !isMine && (
          <p className="byline">
            <b dir="auto" style={{ color: isBot ? 'var(--jade)' : nameColour(message.author.name) }}>
              {message.author.name}
            </b>
            {isBot && <span className="badge">{words.room.assistant}</span>}
            <Stamp at={message.ts} />
          </p>
        )}
        <div className="row-bubble">
          {isBot ? <BotBody message={message} /> : <PersonBody message={message} isMine={isMine} />}
          <MessageActions message={message} isMine={isMine} />
        </div>
        <Reactions message={message} />
      </div>
    </article>
  )
})
