import { Button } from '@mantine/core'
import { IconCircleCheck, IconCircleX, IconPlugConnected } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { plural } from '../language/words'
import { Refused } from '../wire/rest'
import { useNamedSettings } from './labels'
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
  const withNames = useNamedSettings()
  const [isBusy, setBusy] = useState(false)
  // Results are shown as long as the values are those that were tested.
  const [last, setLast] = useState<{ values: string; results: TestResult[] } | null>(null)
  const tested = JSON.stringify(values)
  const results = last?.values === tested ? last.results : null
  const test = async () => {
    const showResults = (list: TestResult[]) => setLast({ values: tested, results: list })
    setBusy(true)
    setLast(null)
    try {
      showResults(await testPart(part, values))
    } catch (error) {
      const fields = error instanceof Refused ? error.fields : {}
      const count = Object.keys(fields).length
      onProblems?.(fields)
      const said = count ? plural(words.settings.invalid, count) : error instanceof Error ? error.message : words.notLoaded
      showResults([{ about: '', said, next_step: '', is_problem: true }])
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
                    <span>{withNames(one.about ? `${one.about}: ${one.said}` : one.said)}</span>
                    {one.next_step && <p className="muted">{withNames(one.next_step)}</p>}
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
