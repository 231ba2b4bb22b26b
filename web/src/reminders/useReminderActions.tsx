import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { useRoom } from '../room/store'
import type { Reminder } from '../wire/frames'
import {
  createReminder, deleteReminder, editReminder, pauseReminder, restoreReminder, snoozeReminder, type NewReminder,
  type Viewpoint,
} from './api'

export function useViewpoint(): Viewpoint {
  const identity = useRoom((room) => room.identity)
  return { session_id: identity?.room ?? '', name: identity?.name ?? '' }
}

/** What can be done with reminders, each with its toast; every one goes through the HTTP API. */
export function useReminderActions() {
  const words = useWords()
  const viewpoint = useViewpoint()
  const queries = useQueryClient()

  const carried = async (doing: Promise<unknown>, done: string): Promise<boolean> => {
    try {
      await doing
      notifications.show({ message: done, autoClose: 2500, withCloseButton: false })
      return true
    } catch (error) {
      notifications.show({ color: 'red', message: error instanceof Error ? error.message : words.notLoaded })
      return false
    } finally {
      void queries.invalidateQueries({ queryKey: ['reminders'] })
    }
  }
  const restore = (reminder: Reminder) => carried(restoreReminder(viewpoint, reminder.id), words.reminders.restored)
  const remove = async (reminder: Reminder) => {
    const id = `deleted-${reminder.id}`
    try {
      await deleteReminder(viewpoint, reminder.id)
    } catch (error) {
      notifications.show({ color: 'red', message: error instanceof Error ? error.message : words.notLoaded })
      return
    }
    void queries.invalidateQueries({ queryKey: ['reminders'] })
    const undo = () => {
      notifications.hide(id)
      void restore(reminder)
    }
    notifications.show({
      id,
      autoClose: 8000,
      closeButtonProps: { 'aria-label': words.close },
      message: (
        <Group justify="space-between" gap={8} wrap="nowrap">
          {fill(words.reminders.deleted, { text: reminder.text })}
          <Button size="compact-sm" variant="default" onClick={undo}>
            {words.undo}
          </Button>
        </Group>
      ),
    })
  }
  return {
    create: async (body: NewReminder) => {
      await createReminder(viewpoint, body)
      notifications.show({ message: words.reminders.created, autoClose: 2500, withCloseButton: false })
      void queries.invalidateQueries({ queryKey: ['reminders'] })
    },
    edit: (id: string, change: { text?: string; time?: string }) => carried(editReminder(viewpoint, id, change), words.reminders.changed),
    snooze: (id: string, minutes: number) => carried(snoozeReminder(viewpoint, id, minutes), words.reminders.changed),
    pause: (id: string, verb: 'pause' | 'resume') => carried(pauseReminder(viewpoint, id, verb), words.reminders.changed),
    remove: (reminder: Reminder) => void remove(reminder),
  }
}
