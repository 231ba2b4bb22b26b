import { ActionIcon } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconArrowUp, IconCheck, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { loadPageWords, useWords } from '../language/language'
import { fill } from '../language/words'
import { useViewpoint } from '../reminders/useReminderActions'
import { fetchTools, type Tool } from '../tools/api'
import { useToolHelp } from '../tools/help'
import { EmojiMenu } from '../emoji/EmojiButton'
import { isComposing } from '../shell/keys'
import { lazyPart } from '../shell/lazyPart'
import { wordsOf } from '../cards/answer'
import { AttachButton, AttachedFiles } from './Attachments'
import { useAttaching } from './attaching'
import { askedAt, matching, mentionOffers, type Asked, type Offer } from './completion'
import { keepDraft, keptDraft } from './draft'
import { useRoom } from './store'

const CommandForm = lazyPart(async () => (await Promise.all([import('./CommandForm'), loadPageWords()]))[0].CommandForm)

const TYPING_EVERY_MS = 3000

function useOffers(asked: Asked | null): Offer[] {
  const words = useWords()
  const members = useRoom((room) => room.members)
  const viewpoint = useViewpoint()
  const helpOf = useToolHelp()
  const tools = useQuery({ queryKey: ['tools', viewpoint], queryFn: () => fetchTools(viewpoint), enabled: asked?.kind === 'function', staleTime: 60_000 })
  if (!asked) return []
  if (asked.kind === 'mention') return mentionOffers(members, asked.typed, words.room.everyone)
  const offers = (tools.data ?? []).map((tool) => ({ value: `/${tool.name} `, label: tool.name, detail: helpOf(tool).split('\n')[0] ?? '', tool }))
  return matching(offers, asked.typed)
}

function Completion({ id, offers, chosen, label, onPick }: {
  id: string
  offers: Offer[]
  chosen: number
  label: string
  onPick: (offer: Offer) => void
}): ReactNode {
  return (
    <ul className="completion" id={id} role="listbox" aria-label={label}>
      {offers.map((offer, at) => (
        <li
          key={offer.value}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === chosen}
          onMouseDown={(event) => {
            event.preventDefault()
            onPick(offer)
          }}
        >
          <b dir="auto">{offer.label}</b> <span className="muted">{offer.detail}</span>
        </li>
      ))}
    </ul>
  )
}

function Context({ text, onEnd }: { text: string; onEnd: () => void }): ReactNode {
  const words = useWords()
  return (
    <div className="composer-context">
      <span dir="auto">{text}</span>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={words.cancel} onClick={onEnd}>
        <IconX size={16} />
      </ActionIcon>
    </div>
  )
}

/** Where one writes. It owns its text: a keystroke renders nothing else. What is half written waits for its room. */
export function Composer({ room: here }: { room: string }): ReactNode {
  const words = useWords()
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const typedAt = useRef(0)
  const bot = useRoom((room) => room.bot)
  const maxLength = useRoom((room) => room.maxLength)
  const quoted = useRoom((room) => room.messages.find((message) => message.id === room.replyTo))
  const edited = useRoom((room) => room.messages.find((message) => message.id === room.editing))
  const [text, setText] = useState(() => keptDraft(here))
  const isNarrow = useMediaQuery('(max-width: 640px)', false, { getInitialValueInEffect: false })
  const [asked, setAsked] = useState<Asked | null>(null)
  const [chosen, setChosen] = useState(0)
  const [command, setCommand] = useState<Tool | null>(null)
  const offers = useOffers(asked)
  const isOffering = offers.length > 0
  const fileTypes = useRoom((room) => room.fileTypes)
  const takesFiles = useRoom((room) => room.maxKilobytes > 0)
  const attaching = useAttaching()
  const isEmpty = !text.trim() && (!attaching.ready.length || edited !== undefined)
  const over = maxLength > 0 ? text.length - maxLength : 0
  const { startReply, startEdit, setTyping, send, edit } = useRoom.getState()

  // However an edit ends, also with the message itself, what was half written before is there again.
  useEffect(() => {
    if (!edited) return
    setText(edited.text)
    return () => setText(keptDraft(here))
  }, [edited?.id])

  useEffect(() => {
    if (edited || quoted) field.current?.focus()
  }, [edited?.id, quoted?.id])

  // Whoever comes in can write at once; on a phone that would open the keyboard over the room.
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) field.current?.focus()
  }, [])

  useEffect(() => {
    if (!edited) keepDraft(here, text)
  }, [here, text, edited?.id])

  useEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    // To measure an empty field, too, would lay out the whole room before it is shown.
    if (text) element.style.height = `${Math.min(element.scrollHeight, 180)}px`
  }, [text])

  const change = (next: string, caret: number) => {
    setText(next)
    setAsked(askedAt(next, caret))
    setChosen(0)
    if (next && Date.now() - typedAt.current > TYPING_EVERY_MS) {
      typedAt.current = Date.now()
      setTyping(true)
    }
  }
  const pick = (offer: Offer) => {
    if (!asked) return
    if (offer.tool && Object.keys((offer.tool.parameters as { properties?: object }).properties ?? {}).length) {
      setCommand(offer.tool)
      setText('')
      setAsked(null)
      return
    }
    const rest = text.slice(asked.from + asked.typed.length + 1)
    setText(text.slice(0, asked.from) + offer.value + rest)
    setAsked(null)
    field.current?.focus()
  }
  const submit = () => {
    const said = text.trim()
    if (isEmpty || over > 0 || attaching.isSending) return
    if (edited) {
      if (!edit(edited.id, said)) return
    } else {
      send(said, quoted?.id ?? null, attaching.ready)
      attaching.clear()
      setText('')
    }
    setAsked(null)
    typedAt.current = 0
    setTyping(false)
  }
  const insert = (emoji: string) => {
    const caret = field.current?.selectionStart ?? text.length
    setText(text.slice(0, caret) + emoji + text.slice(field.current?.selectionEnd ?? caret))
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(caret + emoji.length, caret + emoji.length)
    })
  }
  const endCommand = () => {
    setCommand(null)
    field.current?.focus()
  }
  const onOffering = (event: KeyboardEvent): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setChosen((chosen + step + offers.length) % offers.length)
    else if (event.key === 'Enter' || event.key === 'Tab') pick(offers[chosen] as Offer)
    else if (event.key === 'Escape') setAsked(null)
    else return false
    event.preventDefault()
    return true
  }
  const editLast = () => {
    const { messages, me } = useRoom.getState()
    const mine = messages.findLast((message) => message.author.id === me.id)
    if (mine) startEdit(mine.id)
  }
  const endContext = () => {
    startEdit(null)
    startReply(null)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event) || (isOffering && onOffering(event))) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      submit()
    } else if (event.key === 'ArrowUp' && text === '') {
      event.preventDefault()
      editLast()
    } else if (event.key === 'Escape') endContext()
  }

  return (
    <div
      className="composer"
      onDragOver={(event) => takesFiles && event.preventDefault()}
      onDrop={(event) => {
        if (!takesFiles || !event.dataTransfer.files.length) return
        event.preventDefault()
        attaching.add(event.dataTransfer.files)
      }}
    >
      {edited && <Context text={words.room.editing} onEnd={endContext} />}
      {quoted && <Context text={`${fill(words.room.replyTo, { name: quoted.author.name })}: ${wordsOf(quoted).slice(0, 80)}`} onEnd={endContext} />}
      {isOffering && (
        <Completion
          id={id}
          offers={offers}
          chosen={chosen}
          label={asked?.kind === 'mention' ? words.composer.mentions : words.composer.functions}
          onPick={pick}
        />
      )}
      {command && (
        <CommandForm
          key={command.name}
          tool={command}
          onClose={endCommand}
          onSend={(text) => {
            send(text)
            endCommand()
          }}
        />
      )}
      <AttachedFiles files={attaching.files} onRemove={attaching.remove} />
      <form
        className="composer-line"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {takesFiles && <AttachButton types={fileTypes} onFiles={attaching.add} />}
        <textarea
          ref={field}
          id="composer"
          rows={1}
          dir="auto"
          value={text}
          aria-label={words.composer.label}
          aria-haspopup="listbox"
          aria-controls={isOffering ? id : undefined}
          aria-activedescendant={isOffering ? `${id}-${chosen}` : undefined}
          aria-autocomplete="list"
          aria-invalid={over > 0 || undefined}
          placeholder={fill(isNarrow ? words.composer.placeholderShort : words.composer.placeholder, { bot })}
          onChange={(event) => change(event.target.value, event.target.selectionStart)}
          onKeyDown={onKeyDown}
          onBlur={() => setAsked(null)}
          onPaste={(event) => {
            if (!takesFiles || !event.clipboardData.files.length) return
            event.preventDefault()
            attaching.add(event.clipboardData.files)
          }}
        />
        <EmojiMenu onPick={insert} />
        <button type="submit" className="send" aria-label={edited ? words.save : words.composer.send} disabled={isEmpty || over > 0 || attaching.isSending}>
          {edited ? <IconCheck size={20} aria-hidden="true" /> : <IconArrowUp size={20} aria-hidden="true" />}
        </button>
      </form>
      <p className="key-hints">
        {over > 0 ? (
          <span role="alert" className="over">
            {fill(words.composer.tooLong, { n: over })}
          </span>
        ) : (
          <>
            <kbd>Enter</kbd> {words.composer.enter}
            <kbd>Shift ↵</kbd> {words.composer.newLine}
            <kbd>Ctrl K</kbd> {words.composer.commands}
          </>
        )}
      </p>
    </div>
  )
}
