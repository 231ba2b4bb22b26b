import { ActionIcon, Menu } from '@mantine/core'
import { IconAlarmSnooze, IconCheck, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useClock } from '../format/clock'
import { lateness, shortTime, timeElsewhere, wholeTime } from '../format/time'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import type { Reminder } from '../wire/frames'
import { Countdown } from './Countdown'
import { useReminderActions } from './useReminderActions'
import { useWhom } from './useWhom'

const SNOOZES = [5, 15, 60]

function Actions({ reminder, onEdit }: { reminder: Reminder; onEdit: (reminder: Reminder) => void }): ReactNode {
  const words = useWords()
  const { snooze, pause, remove } = useReminderActions()
  const isPaused = reminder.status === 'paused'
  const named = (verb: string) => `${verb}: ${reminder.text}`
  return (
    <span className="reminder-actions">
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={named(words.reminders.snooze)}>
            <IconAlarmSnooze size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {SNOOZES.map((minutes) => (
            <Menu.Item key={minutes} onClick={() => void snooze(reminder.id, minutes)}>
              {fill(words.reminders.snoozeBy, { n: minutes })}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={named(words.reminders.edit)} onClick={() => onEdit(reminder)}>
        <IconPencil size={18} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={named(isPaused ? words.reminders.resume : words.reminders.pause)}
        onClick={() => void pause(reminder.id, isPaused ? 'resume' : 'pause')}
      >
        {isPaused ? <IconPlayerPlay size={18} /> : <IconPlayerPause size={18} />}
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={named(words.reminders.remove)} onClick={() => remove(reminder)}>
        <IconTrash size={18} />
      </ActionIcon>
    </span>
  )
}

/** One reminder: how long yet, what, for whom, when, and what can be done with it. */
export function ReminderRow({ reminder, onEdit }: { reminder: Reminder; onEdit: (reminder: Reminder) => void }): ReactNode {
  const words = useWords()
  const clock = useClock()
  const isOpen = reminder.status === 'active' || reminder.status === 'paused'
  const whom = useWhom(reminder)
  const elsewhere = reminder.due_at && timeElsewhere(reminder.due_at, reminder.tz, clock)
  return (
    <li className="reminder-row" data-reminder={reminder.id} data-status={reminder.status}>
      {reminder.status === 'active' && reminder.due_at ? (
        <Countdown due={reminder.due_at} />
      ) : (
        <span className="countdown muted">{reminder.status === 'paused' ? <IconPlayerPause size={18} /> : <IconCheck size={18} />}</span>
      )}
      <span className="reminder-what">
        <b dir="auto">{reminder.text}</b>
        <span className="muted">
          {whom} · {words.reminders.states[reminder.status]}
          {reminder.repeat && ` · ${reminder.repeat_words?.[clock.language] ?? reminder.repeat}`}
        </span>
      </span>
      <span className="reminder-when figures">
        {reminder.due_at && (
          <time dateTime={reminder.due_at} title={wholeTime(reminder.due_at, clock)}>
            {shortTime(reminder.due_at, clock)}
          </time>
        )}
        {elsewhere && <span className="muted">{elsewhere}</span>}
        {reminder.late_ms != null && <span className="mono late">{lateness(reminder.late_ms)}</span>}
      </span>
      {isOpen && <Actions reminder={reminder} onEdit={onEdit} />}
    </li>
  )
}
