import { ActionIcon } from '@mantine/core'
import {
  IconAlarm, IconAlertTriangle, IconChevronRight, IconListDetails, IconSearch, IconTool,
} from '@tabler/icons-react'
import { useEffect, useId, useState, type ReactNode } from 'react'
import { duration } from '../format/time'
import { useLanguage, useWords } from '../language/language'
import { fill, plural } from '../language/words'
import type { ToolCall } from '../wire/frames'
import { Outcome } from './Outcome'

const SHOWN_CHIPS = 4
const SHOWN_CALLS = 3

function iconOf(tool: string): typeof IconTool {
  if (tool.startsWith('reminder')) return IconAlarm
  if (tool.includes('search')) return IconSearch
  if (tool.includes('summar')) return IconListDetails
  return IconTool
}

/** A value as one short line: text without quotes, everything else as JSON. */
export function asLine(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function asBlock(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** Text of a call with its RFC 5545 rules replaced by their words; the longest first, as one rule may begin another. */
function useRuleWords(call: ToolCall): (text: string) => string {
  const language = useLanguage((state) => state.language)
  const rules = Object.entries(call.rule_words?.[language] ?? {}).sort(([one], [other]) => other.length - one.length)
  return (text) => rules.reduce((told, [rule, words]) => told.replaceAll(rule, words), text)
}

function LiveSeconds({ since }: { since: string | null | undefined }): ReactNode {
  const [now, setNow] = useState(Date.now())
  const [first] = useState(() => (since ? Date.parse(since) : Date.now()))
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 100)
    return () => window.clearInterval(timer)
  }, [])
  return <span className="mono figures">{(Math.max(0, now - first) / 1000).toFixed(1)} s</span>
}

/** One call of a tool: what was given, what came of it, how long it took.
 *
 * A failure is open from the start, unless the answer says its reason (`isSaid`).
 */
export function ToolCard({ call, isOpenAtFirst = false, isSaid = false }: { call: ToolCall; isOpenAtFirst?: boolean; isSaid?: boolean }): ReactNode {
  const words = useWords()
  const withRuleWords = useRuleWords(call)
  const id = useId()
  const hasFailed = call.status !== 'ok' && call.status !== 'running'
  const [isOpened, setOpened] = useState<boolean | null>(null)
  const isOpen = isOpened ?? ((hasFailed && !isSaid) || isOpenAtFirst)
  const Icon = iconOf(call.name)
  const given = Object.entries(call.arguments ?? {}).filter(([, value]) => value !== null && value !== '')
  return (
    <div className="tool-card" data-status={call.status} data-tool={call.name}>
      <button
        type="button"
        className="tool-line"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpened(!isOpen)}
        title={words.card.show}
      >
        <Outcome status={call.status} />
        <Icon size={16} stroke={1.7} className="muted tool-icon" aria-hidden="true" />
        <span className="mono tool-name">{call.name}</span>
        <span className="chips">
          {given.slice(0, SHOWN_CHIPS).map(([name, value]) => (
            <span key={name} className="chip">
              <span className="muted">{name}</span> {withRuleWords(asLine(value))}
            </span>
          ))}
        </span>
        {hasFailed && <span className="tool-word">{words.card[call.status as 'error']}</span>}
        <span className="mono figures muted tool-time">
          {call.status === 'running' ? <LiveSeconds since={call.started_at} /> : call.duration_ms != null && duration(call.duration_ms)}
        </span>
        <IconChevronRight size={16} className="chevron" data-open={isOpen || undefined} aria-hidden="true" />
      </button>
      <div id={id} hidden={!isOpen}>
        <div className="tool-details">
          {call.error && (
            <p className="tool-error">
              <IconAlertTriangle size={15} aria-hidden="true" /> {withRuleWords(call.error)}
            </p>
          )}
          <Block label={words.card.arguments} value={withRuleWords(asBlock(call.arguments ?? {}))} />
          {call.status !== 'running' && !hasFailed && (
            <Block label={`${words.card.result}${call.truncated ? ` (${words.card.cut})` : ''}`} value={withRuleWords(asBlock(call.result ?? words.card.nothing))} />
          )}
        </div>
      </div>
    </div>
  )
}

export function Block({ label, value }: { label: string; value: unknown }): ReactNode {
  return (
    <>
      <p className="block-label">{label}</p>
      <pre className="block mono" tabIndex={0} role="group" aria-label={label}>
        {asBlock(value)}
      </pre>
    </>
  )
}

/** The calls of one message, which says `said`; more than three fold to one line that counts the failures. */
export function ToolCards({ calls, said = '' }: { calls: ToolCall[]; said?: string }): ReactNode {
  const words = useWords()
  const [isUnfolded, setUnfolded] = useState(false)
  const failed = calls.filter((call) => call.status !== 'ok' && call.status !== 'running')
  const isFolded = calls.length > SHOWN_CALLS && !isUnfolded
  const shown = isFolded ? failed : calls
  return (
    <div className="tool-cards">
      {calls.length > SHOWN_CALLS && (
        <div className="tool-fold">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-expanded={!isFolded}
            aria-label={words.card.show}
            title={words.card.show}
            onClick={() => setUnfolded(!isUnfolded)}
          >
            <IconChevronRight size={16} className="chevron" data-open={!isFolded || undefined} />
          </ActionIcon>
          {plural(words.card.folded, calls.length)}
          {failed.length > 0 && ` · ${fill(words.card.foldedFailed, { n: failed.length })}`}
        </div>
      )}
      {shown.map((call) => (
        <ToolCard key={call.id} call={call} isSaid={!!call.error && said.includes(call.error)} />
      ))}
    </div>
  )
}
