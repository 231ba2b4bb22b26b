import { Button } from '@mantine/core'
import { IconAlarmSnooze, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { deleteReminder, pauseReminder, snoozeReminder } from '../reminders/api'
import type { FormSubject } from '../reminders/ReminderForm'
import { useViewpoint } from '../reminders/useReminderActions'
import { lazyPart } from '../shell/lazyPart'
import type { Reminder } from '../wire/frames'
import type { Doing } from './ReminderCard'

const SNOOZES = [5, 15, 60]
const ICON = 15

const ReminderForm = lazyPart(() => import('../reminders/ReminderForm').then((module) => module.ReminderForm))

/** The buttons of a reminder's card. */
export function CardActions({ reminder, doing: { act, isBusy } }: { reminder: Reminder; doing: Doing }): ReactNode {
  const words = useWords()
  const viewpoint = useViewpoint()
  const [edited, setEdited] = useState<FormSubject>(null)
  const [isSnoozing, setSnoozing] = useState(false)
  const isPaused = reminder.status === 'paused'
  const snooze = (minutes: number) => {
    setSnoozing(false)
    act(snoozeReminder(viewpoint, reminder.id, minutes))
  }
  const shared = { size: 'compact-sm', variant: 'subtle', color: 'gray', disabled: isBusy } as const
  return (
    <>
      {!isPaused && (
        <Button {...shared} leftSection={<IconAlarmSnooze size={ICON} />} aria-expanded={isSnoozing} onClick={() => setSnoozing(!isSnoozing)}>
          {words.reminders.snooze}
        </Button>
      )}
      {isSnoozing &&
        SNOOZES.map((minutes) => (
          <Button key={minutes} {...shared} onClick={() => snooze(minutes)}>
            {fill(words.reminders.snoozeBy, { n: minutes })}
          </Button>
        ))}
      <Button {...shared} leftSection={<IconPencil size={ICON} />} onClick={() => setEdited({ reminder })}>
        {words.reminders.edit}
      </Button>
      <Button
        {...shared}
        leftSection={isPaused ? <IconPlayerPlay size={ICON} /> : <IconPlayerPause size={ICON} />}
        onClick={() => act(pauseReminder(viewpoint, reminder.id, isPaused ? 'resume' : 'pause'))}
      >
        {isPaused ? words.reminders.resume : words.reminders.pause}
      </Button>
      <Button {...shared} leftSection={<IconTrash size={ICON} />} onClick={() => act(deleteReminder(viewpoint, reminder.id))}>
        {words.reminders.remove}
      </Button>
      {edited && <ReminderForm subject={edited} onClose={() => setEdited(null)} />}
    </>
  )
}
