import { Button } from '@mantine/core'
import { IconCircleCheck, IconCircleX, IconPlugConnected } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { Refused } from '../wire/rest'
import { testPart, type TestResult, type Values } from './api'

interface Props {
  part: string
  values: Values
  label: string
  isDisabled?: boolean
  onProblems?: (problems: Record<string, string>) => void
}

/** Try a part of the bot with what was typed, and show what it answered. */
export function TestButton({ part, values, label, isDisabled, onProblems }: Props): ReactNode {
  const words = useWords()
  const [isBusy, setBusy] = useState(false)
  const [results, setResults] = useState<TestResult[] | null>(null)
  const test = async () => {
    setBusy(true)
    setResults(null)
    try {
      setResults(await testPart(part, values))
    } catch (error) {
      if (error instanceof Refused) onProblems?.(error.fields)
      setResults([{ about: part, said: error instanceof Error ? error.message : words.notLoaded, next_step: '', is_problem: true }])
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="test">
      <Button variant="default" leftSection={<IconPlugConnected size={16} />} loading={isBusy} disabled={isDisabled} onClick={() => void test()}>
        {label}
      </Button>
      <div role="status" aria-label={label}>
        {results && (
          <ul className="list test-results" data-test={results.some((one) => one.is_problem) ? 'problem' : 'ok'}>
            {results.map((one) => {
              const Icon = one.is_problem ? IconCircleX : IconCircleCheck
              return (
                <li key={`${one.about} ${one.said}`} data-problem={one.is_problem || undefined}>
                  <Icon size={17} aria-hidden="true" />
                  <div>
                    <b>{one.is_problem ? words.settings.fails : words.settings.works}.</b>{' '}
                    <span>
                      {one.about}: {one.said}
                    </span>
                    {one.next_step && <p className="muted">{one.next_step}</p>}
                  </div>
                </li>
              )
            })}
          </ul>
        )}
      </div>
    </div>
  )
}
