import { ActionIcon } from '@mantine/core'
import { IconCheck, IconTrash } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useClock } from '../format/clock'
import { duration, lateness, shortTime } from '../format/time'
import { useNow } from '../format/useNow'
import { useWords } from '../language/language'
import { Countdown } from '../reminders/Countdown'
import { Timeline } from '../reminders/Timeline'
import { useReminderActions } from '../reminders/useReminderActions'
import { useWhom } from '../reminders/useWhom'
import type { Reminder } from '../wire/frames'
import { outerCalls } from '../cards/answer'
import { Face } from './Face'
import { loadedLater } from '../shell/loadedLater'
import { useRoom } from './store'
import { Example } from './Welcome'

const FIRED_SHOWN = 5

function Waiting({ reminder }: { reminder: Reminder }): ReactNode {
  const words = useWords()
  const clock = useClock()
  const { remove } = useReminderActions()
  return (
    <li className="waiting" data-reminder={reminder.id}>
      {reminder.due_at && <Countdown due={reminder.due_at} />}
      <span className="waiting-words">
        <b dir="auto">{reminder.text}</b>
        <span className="muted figures">
          {useWhom(reminder)} · {reminder.due_at ? shortTime(reminder.due_at, clock) : words.reminders.states.paused}
          {reminder.repeat && ` · ${reminder.repeat_words?.[clock.language] ?? reminder.repeat}`}
        </span>
      </span>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={`${words.remove}: ${reminder.text}`}
        onClick={() => remove(reminder)}
      >
        <IconTrash size={17} />
      </ActionIcon>
    </li>
  )
}

function isWaiting(reminder: Reminder): boolean {
  return reminder.status === 'active' || reminder.status === 'paused'
}

function RemindersTab(): ReactNode {
  const words = useWords()
  const reminders = useRoom((room) => room.reminders)
  const now = useNow(10_000)
  const all = Object.values(reminders)
  const waiting = all.filter(isWaiting).sort((a, b) => (a.due_at ?? '9').localeCompare(b.due_at ?? '9'))
  const messages = useRoom((room) => room.messages)
  const fired = messages.flatMap((message) => message.reminder ?? []).slice(-FIRED_SHOWN).reverse()
  if (!waiting.length && !fired.length) {
    return (
      <div className="panel-empty">
        <p>{words.panel.noReminders}</p>
        <Example text={words.panel.tryOne} />
      </div>
    )
  }
  return (
    <>
      <Timeline reminders={waiting} key={Math.floor(now / 3_600_000)} />
      <ul className="waiting-list">
        {waiting.map((one) => (
          <Waiting key={one.id} reminder={one} />
        ))}
      </ul>
      <ul className="fired-list">
        {fired.map((one) => (
          <li key={`${one.id} ${one.due_at}`} className="fired">
            <IconCheck size={16} className="muted" aria-hidden="true" />
            <span className="muted" dir="auto">{one.text}</span>
            <span className="mono figures fired-late">{lateness(one.late_ms ?? 0)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function PeopleTab(): ReactNode {
  const words = useWords()
  const members = useRoom((room) => room.members)
  const me = useRoom((room) => room.me.id)
  return (
    <ul className="people">
      {members.map((member) => (
        <li key={member.id}>
          <Face who={member} size={30} />
          <b dir="auto">{member.name}</b>
          <span className="muted">
            {member.kind === 'bot' ? words.room.assistant : member.id === me ? words.room.you : words.panel.here}
          </span>
        </li>
      ))}
    </ul>
  )
}

function ActivityTab(): ReactNode {
  const words = useWords()
  const clock = useClock()
  const messages = useRoom((room) => room.messages)
  const calls = messages
    .flatMap((message) => outerCalls(message.tool_calls ?? []).map((call) => ({ call, message })))
    .slice(-30)
    .reverse()
  if (!calls.length) return <p className="panel-empty">{words.panel.noActivity}</p>
  return (
    <ul className="recent-calls">
      {calls.map(({ call, message }) => (
        <li key={call.id}>
          <button type="button" onClick={() => useRoom.getState().jump(message.id)}>
            <span className="outcome-dot" data-status={call.status} />
            <span className="mono">{call.name}</span>
            <span className="unseen">{words.card[call.status]}</span>
            <span className="muted figures">{shortTime(message.ts, clock)}</span>
            <span className="mono figures muted">{call.duration_ms != null && duration(call.duration_ms)}</span>
            {call.error && <span className="call-error muted" dir="auto">{call.error}</span>}
          </button>
        </li>
      ))}
    </ul>
  )
}

const Find = loadedLater(() => import('./Find').then((module) => module.Find))

const TABS = { reminders: RemindersTab, people: PeopleTab, activity: ActivityTab, find: Find }
type Tab = keyof typeof TABS
const KEPT = 'bubbles.panel'

/** What stands beside the log: reminders, people, recent calls. It remembers its tab. */
export function SidePanel(): ReactNode {
  const words = useWords()
  const [tab, setTab] = useState<Tab>(() => {
    const kept = localStorage.getItem(KEPT)
    return kept && kept in TABS ? (kept as Tab) : 'reminders'
  })
  const choose = (next: Tab) => {
    localStorage.setItem(KEPT, next)
    setTab(next)
  }
  const Content = TABS[tab]
  return (
    <>
      <div className="panel-tabs" role="radiogroup" aria-label={words.panel.label}>
        {(Object.keys(TABS) as Tab[]).map((each) => (
          <label key={each}>
            <input type="radio" className="unseen" name="panel" checked={each === tab} onChange={() => choose(each)} />
            <span>{each === 'find' ? words.find.short : words.panel[each]}</span>
          </label>
        ))}
      </div>
      <div className="panel-content">
        <Content />
      </div>
    </>
  )
}
