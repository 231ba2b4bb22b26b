import { Button, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { Refused } from '../wire/rest'
import type { NewReminder as Body, TimeChoice } from './api'
import { useReminderActions } from './useReminderActions'

interface Question {
  text: string
  choices: TimeChoice[]
}

/** Set a reminder with one line of words; of a time that may mean several, ask which. */
export function NewReminder(): ReactNode {
  const words = useWords()
  const { create } = useReminderActions()
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const [question, setQuestion] = useState<Question | null>(null)
  const set = async (body: Body) => {
    setBusy(true)
    setProblem('')
    setQuestion(null)
    try {
      await create(body)
      setText('')
    } catch (error) {
      const choices = error instanceof Refused && Array.isArray(error.body.choices) ? (error.body.choices as TimeChoice[]) : []
      if (error instanceof Refused && choices.length) setQuestion({ text: error.message, choices })
      else setProblem(error instanceof Refused ? (error.fields.text ?? error.message) : words.notLoaded)
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
            setQuestion(null)
          }}
        />
        <Button type="submit" leftSection={<IconPlus size={16} />} loading={isBusy} disabled={!text.trim()}>
          {words.reminders.create}
        </Button>
      </div>
      {question && (
        <div className="question" role="group" aria-label={question.text} data-question>
          <p role="status">{question.text}</p>
          <div className="choices">
            {question.choices.map((choice) => (
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
