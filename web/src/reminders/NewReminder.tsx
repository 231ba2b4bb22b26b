import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useClock } from '../format/clock'
import { shortTime } from '../format/time'
import { useLanguage, useWords } from '../language/language'
import { fill } from '../language/words'
import { Refused } from '../wire/rest'
import { previewReminder, type NewReminder as Body, type Preview } from './api'
import { useReminderActions, useViewpoint } from './useReminderActions'

const TYPING_MS = 300

/** What the bot makes of the words; null until they have rested for a moment. */
function usePreview(text: string): Preview | null {
  const viewpoint = useViewpoint()
  const language = useLanguage((state) => state.language)
  const [typed] = useDebouncedValue(text, TYPING_MS)
  const { data } = useQuery({
    queryKey: ['preview', viewpoint, typed, language],
    queryFn: ({ signal }) => previewReminder(viewpoint, typed, signal),
    enabled: typed !== '',
    retry: false,
  })
  return text !== '' && text === typed ? (data ?? null) : null
}

function Meaning({ preview }: { preview: Preview }): ReactNode {
  const words = useWords()
  const clock = useClock()
  if (!preview.due_at) return null
  const when = shortTime(preview.due_at, clock)
  const repeat = preview.repeat_words[clock.language]
  return (
    <p className="preview figures" role="status" data-preview>
      {repeat ? fill(words.reminders.previewRepeat, { when, repeat }) : fill(words.reminders.preview, { when })}
    </p>
  )
}

/** Set a reminder with one line of words, which shows what it means; of a time that may mean several, ask which. */
export function NewReminder(): ReactNode {
  const words = useWords()
  const { create } = useReminderActions()
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const preview = usePreview(text.trim())
  const { choices = [], detail: question = '' } = preview ?? {}
  const set = async (body: Body) => {
    setBusy(true)
    setProblem('')
    try {
      await create(body)
      setText('')
    } catch (error) {
      // An ambiguous time is asked about below the field.
      const isAsked = error instanceof Refused && Array.isArray(error.body.choices)
      if (!isAsked) setProblem(error instanceof Refused ? (error.fields.text ?? error.message) : words.notLoaded)
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim()) void set({ text: text.trim() })
  }
  return (
    <form className="new-reminder" onSubmit={submit}>
      <div className="filters">
        <TextInput
          className="grow"
          dir="auto"
          label={words.reminders.add}
          placeholder={words.reminders.addHint}
          value={text}
          error={problem}
          inputWrapperOrder={['label', 'input', 'error']}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setProblem('')
          }}
        />
        <Button type="submit" leftSection={<IconPlus size={16} />} loading={isBusy} disabled={!text.trim()}>
          {words.reminders.create}
        </Button>
      </div>
      {preview && !problem && <Meaning preview={preview} />}
      {choices.length > 0 && (
        <div className="question" role="group" aria-label={question} data-question>
          <p role="status">{question}</p>
          <div className="choices">
            {choices.map((choice) => (
              <button key={choice.label} type="button" className="choice" onClick={() => void set(choice.body)}>
                {choice.label}
              </button>
            ))}
          </div>
        </div>
      )}
    </form>
  )
}
