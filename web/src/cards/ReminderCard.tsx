import { Button } from '@mantine/core'
import { IconAlarm, IconArrowBackUp, IconCheck, IconPlayerPause, IconTrash } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useClock } from '../format/clock'
import { shortTime, timeElsewhere, wholeTime } from '../format/time'
import { useWords } from '../language/language'
import { plural } from '../language/words'
import { Countdown } from '../reminders/Countdown'
import { restoreReminder, undoChange } from '../reminders/api'
import { useViewpoint } from '../reminders/useReminderActions'
import { useWhom } from '../reminders/useWhom'
import { complain } from '../room/alerts'
import { useRoom } from '../room/store'
import { loadedLater } from '../shell/loadedLater'
import type { Choice, Reminder } from '../wire/frames'
import { useReminder } from './useReminder'

const ICON = 15

const CardActions = loadedLater(() => import('./CardActions').then((module) => module.CardActions))

/** When a reminder fires: its next time, how it repeats, and for whom it is. */
export function ReminderTimes({ reminder }: { reminder: Reminder }): ReactNode {
  const clock = useClock()
  const whom = useWhom(reminder)
  const elsewhere = reminder.due_at && timeElsewhere(reminder.due_at, reminder.tz, clock)
  const repeat = reminder.repeat && (reminder.repeat_words?.[clock.language] ?? reminder.repeat)
  return (
    <span className="muted figures card-times">
      {reminder.due_at && (
        <time dateTime={reminder.due_at} title={wholeTime(reminder.due_at, clock)}>
          {shortTime(reminder.due_at, clock)}
        </time>
      )}
      {elsewhere && <span data-elsewhere>{elsewhere}</span>}
      {repeat && <span>{repeat}</span>}
      <span>{whom}</span>
    </span>
  )
}

export function ReminderMark({ reminder }: { reminder: Reminder | undefined }): ReactNode {
  if (reminder?.status === 'active' && reminder.due_at) return <Countdown due={reminder.due_at} />
  const Icon = { paused: IconPlayerPause, done: IconCheck, cancelled: IconTrash }[reminder?.status as string] ?? IconAlarm
  return (
    <span className="countdown muted">
      <Icon size={18} aria-hidden="true" />
    </span>
  )
}

export interface Doing {
  isBusy: boolean
  /** Do something with the reminder; what becomes of it is seen at the card, a failure is told. */
  act: (doing: Promise<{ change_id?: string | null }>) => void
  /** Take back what was done last at this card, else the change that the message reports; undefined where nothing can be. */
  undo: (() => void) | undefined
}

function useDoing(reminder: Reminder | undefined, action: string, choice: Choice | undefined): Doing {
  const words = useWords()
  const viewpoint = useViewpoint()
  const me = useRoom((room) => room.me.id)
  const [isBusy, setBusy] = useState(false)
  const [own, setOwn] = useState<string[]>([])
  const isMine = choice && (!choice.only_for?.length || choice.only_for.includes(me))
  const reported = choice?.state === 'live' && isMine && reminder?.status !== 'cancelled' ? choice.change_id : undefined
  // A reminder cannot be undone after its last delivery, but after it was marked as done.
  const isOver = reminder?.status === 'done' && action !== 'done'
  const last = isOver ? undefined : (own.at(-1) ?? reported)
  const canRestore = reminder?.status === 'cancelled' && reminder.created_by === me
  const run = async (doing: Promise<unknown>, then: (answer: unknown) => void = () => undefined) => {
    setBusy(true)
    try {
      then(await doing)
    } catch (error) {
      complain(error instanceof Error ? error.message : words.notLoaded)
    } finally {
      setBusy(false)
    }
  }
  const act: Doing['act'] = (doing) =>
    void run(doing, (answer) => {
      const { change_id: changeId } = answer as { change_id?: string | null }
      if (changeId) setOwn((before) => [...before, changeId])
    })
  const undo = () => {
    if (last) void run(undoChange(viewpoint, last), () => setOwn((before) => before.slice(0, -1)))
    else if (reminder) void run(restoreReminder(viewpoint, reminder.id))
  }
  return { isBusy, act, undo: last || canRestore ? undo : undefined }
}

/** What a card says has happened: the state of the reminder now overrules what the message reported. */
function useHeadline(reminder: Reminder | undefined, action: string, isUndone: boolean): string {
  const words = useWords()
  if (reminder?.status === 'cancelled') return words.cards.actions.deleted
  if (isUndone || action === 'undone') return words.cards.undone
  if (reminder?.status === 'paused') return words.cards.actions.pause
  if (reminder?.status === 'done') return words.cards.over
  return (words.cards.actions as Partial<Record<string, string>>)[action] ?? words.cards.actions.changed
}

/** One reminder: what, when, for whom, how long yet, and what can be done with it. It follows its reminder. */
export function ReminderCard({ id, action, content, undo }: { id: string; action: string; content: string; undo?: Choice }): ReactNode {
  const words = useWords()
  const reminder = useReminder(id)
  const me = useRoom((room) => room.me.id)
  const doing = useDoing(reminder, action, undo)
  const headline = useHeadline(reminder, action, undo?.state === 'used')
  const isMine = reminder && (reminder.created_by === me || reminder.mentions.includes(me))
  const isOpen = reminder?.status === 'active' || reminder?.status === 'paused'
  return (
    <section className="card-box reminder-box" data-card="reminder" data-of={id} data-status={reminder?.status ?? ''} aria-label={headline}>
      <p className="card-head">
        <IconAlarm size={15} stroke={1.8} aria-hidden="true" />
        {headline}
      </p>
      <div className="card-body">
        <ReminderMark reminder={reminder} />
        <span className="card-words">
          <b dir="auto">{reminder?.text ?? content}</b>
          {reminder && <ReminderTimes reminder={reminder} />}
        </span>
      </div>
      <div className="card-actions">
        {doing.undo && (
          <Button size="compact-sm" variant="default" loading={doing.isBusy} leftSection={<IconArrowBackUp size={ICON} />} onClick={doing.undo}>
            {words.undo}
          </Button>
        )}
        {isOpen && isMine && <CardActions reminder={reminder} doing={doing} />}
      </div>
    </section>
  )
}

function ReminderLine({ id, content }: { id: string; content: string }): ReactNode {
  const reminder = useReminder(id)
  return (
    <li className="card-body" data-status={reminder?.status ?? ''}>
      <ReminderMark reminder={reminder} />
      <span className="card-words">
        <b dir="auto">{reminder?.text ?? content}</b>
        {reminder && <ReminderTimes reminder={reminder} />}
      </span>
    </li>
  )
}

/** Several reminders, a line each. */
export function ReminderListCard({ ids, contents }: { ids: string[]; contents: string[] }): ReactNode {
  const words = useWords()
  return (
    <section className="card-box reminder-box" data-card="reminders" aria-label={plural(words.cards.reminders, ids.length)}>
      <p className="card-head">
        <IconAlarm size={15} stroke={1.8} aria-hidden="true" />
        {plural(words.cards.reminders, ids.length)}
      </p>
      <ul className="card-list">
        {ids.map((id, at) => (
          <ReminderLine key={id} id={id} content={contents[at] ?? ''} />
        ))}
      </ul>
    </section>
  )
}
