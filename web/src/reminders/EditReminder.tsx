import { Button, Group, Modal, TextInput } from '@mantine/core'
import { useEffect, useState, type FormEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import type { Reminder } from '../wire/frames'
import { useReminderActions } from './useReminderActions'

/** Change the words and the time of a reminder; the time is said as one would in the chat. */
export function EditReminder({ reminder, onClose }: { reminder: Reminder | null; onClose: () => void }): ReactNode {
  const words = useWords()
  const { edit } = useReminderActions()
  const [text, setText] = useState('')
  const [time, setTime] = useState('')
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    setText(reminder?.text ?? '')
    setTime('')
  }, [reminder])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!reminder || !text.trim()) return
    const change = { ...(text.trim() !== reminder.text && { text: text.trim() }), ...(time.trim() && { time: time.trim() }) }
    setBusy(true)
    if (Object.keys(change).length === 0 || (await edit(reminder.id, change))) onClose()
    setBusy(false)
  }
  return (
    <Modal opened={reminder !== null} onClose={onClose} title={words.reminders.editTitle} closeButtonProps={{ 'aria-label': words.close }}>
      <form onSubmit={(event) => void submit(event)}>
        <TextInput label={words.reminders.text} value={text} onChange={(event) => setText(event.currentTarget.value)} data-autofocus required />
        <TextInput
          mt="sm"
          label={words.reminders.time}
          description={words.reminders.timeHint}
          value={time}
          onChange={(event) => setTime(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {words.save}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
