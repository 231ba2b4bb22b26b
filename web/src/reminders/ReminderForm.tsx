import { Button, Group, Modal, TextInput } from '@mantine/core'
import { useEffect, useState, type FormEvent, type ReactNode } from 'react'
import { wallTime } from '../format/time'
import { useLanguage, useWords, type Language } from '../language/language'
import { Refused } from '../wire/rest'
import type { Reminder } from '../wire/frames'
import { useReminderActions } from './useReminderActions'

/** What the form is open for: a reminder to change, or the time of a new one as the bot reads it. */
export type FormSubject = { reminder: Reminder } | { time: string } | null

/** The time of a reminder as one would type it: its rule in words, or the date and clock time of its zone. */
function timeOf(reminder: Reminder, language: Language): string {
  const words = reminder.repeat_words?.[language]
  return words ?? (reminder.due_at ? wallTime(reminder.due_at, reminder.tz) : '')
}

/** The text and the time of a reminder; the time is worded as one would in the chat. */
export function ReminderForm({ subject, onClose }: { subject: FormSubject; onClose: () => void }): ReactNode {
  const words = useWords()
  const language = useLanguage((state) => state.language)
  const { create, edit } = useReminderActions()
  const [text, setText] = useState('')
  const [time, setTime] = useState('')
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const reminder = subject && 'reminder' in subject ? subject.reminder : null
  const startTime = !subject ? '' : 'time' in subject ? subject.time : timeOf(subject.reminder, language)
  useEffect(() => {
    if (!subject) return
    setText(reminder?.text ?? '')
    setTime(startTime)
    setProblem('')
  }, [subject])
  const change = async (changed: Reminder): Promise<boolean> => {
    const what = {
      ...(text.trim() !== changed.text && { text: text.trim() }),
      ...(time.trim() && time.trim() !== startTime && { time: time.trim() }),
    }
    return Object.keys(what).length === 0 || edit(changed.id, what)
  }
  const add = async (): Promise<boolean> => {
    try {
      await create({ content: text.trim(), time: time.trim() })
      return true
    } catch (error) {
      setProblem(error instanceof Refused ? error.message : words.notLoaded)
      return false
    }
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!subject || !text.trim()) return
    setBusy(true)
    if (await (reminder ? change(reminder) : add())) onClose()
    setBusy(false)
  }
  return (
    <Modal
      opened={subject !== null}
      onClose={onClose}
      title={reminder ? words.reminders.editTitle : words.reminders.add}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      <form onSubmit={(event) => void submit(event)}>
        <TextInput label={words.reminders.text} value={text} dir="auto" onChange={(event) => setText(event.currentTarget.value)} data-autofocus required />
        <TextInput
          mt="sm"
          label={words.reminders.time}
          description={words.reminders.timeHint}
          value={time}
          error={problem}
          onChange={(event) => {
            setTime(event.currentTarget.value)
            setProblem('')
          }}
        />
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {reminder ? words.save : words.reminders.create}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
