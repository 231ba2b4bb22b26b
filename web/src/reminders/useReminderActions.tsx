import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useClock, type Clock } from '../format/clock'
import { shortTime } from '../format/time'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { useRoom } from '../room/store'
import type { Reminder } from '../wire/frames'
import {
  createReminder, deleteReminder, editReminder, pauseReminder, restoreReminder, snoozeReminder, undoChange, type Change,
  type NewReminder, type Viewpoint,
} from './api'

const SHORT_MS = 3000
const UNDO_MS = 8000

export function useViewpoint(): Viewpoint {
  const identity = useRoom((room) => room.identity)
  return { session_id: identity?.room ?? '', name: identity?.name ?? '' }
}

/** When a reminder fires: its rule in words, or its next time. */
export function whenWords(due: string | null, repeat: Partial<Record<string, string>>, clock: Clock): string {
  return repeat[clock.language] ?? (due ? shortTime(due, clock) : '')
}

/** What can be done with reminders, each with its notice; every one goes through the HTTP API. */
export function useReminderActions() {
  const words = useWords()
  const clock = useClock()
  const viewpoint = useViewpoint()
  const queries = useQueryClient()

  const summary = (reminder: Reminder) => {
    const when = whenWords(reminder.due_at, reminder.repeat_words ?? {}, clock)
    return when ? fill(words.reminders.set, { text: reminder.text, when }) : reminder.text
  }
  const notify = (message: string) => notifications.show({ message, autoClose: SHORT_MS, withCloseButton: false })
  const refuse = (error: unknown) =>
    notifications.show({ color: 'red', message: error instanceof Error ? error.message : words.notLoaded })
  const refresh = () => queries.invalidateQueries({ queryKey: ['reminders'] })

  const run = async <T,>(doing: Promise<T>, done: (result: T) => void): Promise<boolean> => {
    try {
      done(await doing)
      return true
    } catch (error) {
      refuse(error)
      return false
    } finally {
      void refresh()
    }
  }
  /** Say what was done, with a button that takes it back. */
  const offerUndo = (id: string, message: string, undo: () => void) =>
    notifications.show({
      id,
      autoClose: UNDO_MS,
      closeButtonProps: { 'aria-label': words.close },
      message: (
        <Group justify="space-between" gap={8} wrap="nowrap">
          {message}
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            onClick={() => {
              notifications.hide(id)
              undo()
            }}
          >
            {words.undo}
          </Button>
        </Group>
      ),
    })
  const restored = (reminder: Reminder) => notify(fill(words.reminders.restored, { text: reminder.text }))
  return {
    create: async (body: NewReminder) => {
      notify(summary(await createReminder(viewpoint, body)))
      void refresh()
    },
    edit: (id: string, change: Change) => run(editReminder(viewpoint, id, change), (changed) => notify(summary(changed))),
    move: (reminder: Reminder, change: Change, when: string) =>
      run(editReminder(viewpoint, reminder.id, change), ({ change_id }) => {
        const message = fill(words.reminders.moved, { text: reminder.text, when })
        if (!change_id) return notify(message)
        const back = () => run(undoChange(viewpoint, change_id), () => notify(fill(words.reminders.movedBack, { text: reminder.text })))
        offerUndo(`moved-${change_id}`, message, () => void back())
      }),
    snooze: (id: string, minutes: number) => run(snoozeReminder(viewpoint, id, minutes), (changed) => notify(summary(changed))),
    pause: (id: string, verb: 'pause' | 'resume') => run(pauseReminder(viewpoint, id, verb), (changed) => notify(summary(changed))),
    remove: (reminder: Reminder) =>
      void run(deleteReminder(viewpoint, reminder.id), () => {
        const message = fill(words.reminders.deleted, { text: reminder.text })
        offerUndo(`deleted-${reminder.id}`, message, () => void run(restoreReminder(viewpoint, reminder.id), restored))
      }),
  }
}
