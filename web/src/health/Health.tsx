import { Button, CopyButton } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconCopy } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useClock } from '../format/clock'
import { shortTime } from '../format/time'
import { useWords } from '../language/language'
import { Answer } from '../shell/Answer'
import { Page } from '../shell/Page'
import { fetchAdapters, fetchHealth, type Adapter, type Check, type HealthReport, type State } from './api'
import './health.css'

const ICONS = { ok: IconCircleCheck, warning: IconAlertTriangle, error: IconCircleX }
const EVERY_MS = 10_000
const LIVE = new Set(['live', 'ok'])

function StateWord({ state, word }: { state: State; word: string }): ReactNode {
  const Icon = ICONS[state]
  return (
    <span className="state" data-state={state}>
      <Icon size={17} aria-hidden="true" />
      {word}
    </span>
  )
}

/** The address of a setting (`http.token`) or of a group of them (`platforms.telegram`). */
function addressOf(setting: string): string {
  const isGroup = !setting.includes('.') || setting.startsWith('platforms.')
  return isGroup ? `/settings?group=${setting}` : `/settings?group=${setting.slice(0, setting.lastIndexOf('.'))}&setting=${setting}`
}

function Checks({ checks }: { checks: Check[] }): ReactNode {
  const words = useWords()
  const names: Partial<Record<string, string>> = words.health.names
  return (
    <ul className="list sheet checks">
      {checks.map((check) => (
        <li key={`${check.name} ${check.detail}`} data-check={check.name}>
          <StateWord state={check.state} word={words.health[check.state]} />
          <div className="grow">
            <b>{names[check.name] ?? check.name}</b>
            <p>{check.detail}</p>
            {check.fix && <p className="muted">{check.fix}</p>}
          </div>
          {check.fix && check.setting && (
            <Button component={Link} href={addressOf(check.setting)} variant="default" aria-label={`${words.settings.fix}: ${names[check.name] ?? check.name}`} data-fix={check.setting}>
              {words.settings.fix}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

function Adapters({ adapters }: { adapters: Adapter[] }): ReactNode {
  const words = useWords()
  const states: Partial<Record<string, string>> = words.health.states
  const clock = useClock()
  return (
    <div className="sheet scroll-x" tabIndex={0} role="region" aria-label={words.health.adapters}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.health.name}</th>
            <th scope="col">{words.health.state}</th>
            <th scope="col">{words.health.lastEvent}</th>
            <th scope="col" className="number">
              {words.health.reconnects}
            </th>
            <th scope="col" className="number">
              {words.health.queue}
            </th>
          </tr>
        </thead>
        <tbody>
          {adapters.map((adapter) => (
            <tr key={adapter.name}>
              <td className="mono">{adapter.name}</td>
              <td>
                <StateWord state={LIVE.has(adapter.state) ? 'ok' : adapter.state === 'stopped' ? 'error' : 'warning'} word={states[adapter.state] ?? adapter.state} />
                {adapter.detail && <span className="muted"> {adapter.detail}</span>}
              </td>
              <td className="figures">{adapter.last_event ? shortTime(adapter.last_event, clock) : words.health.never}</td>
              <td className="number mono figures">{adapter.reconnects}</td>
              <td className="number mono figures">{adapter.queue}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function asReport(report: HealthReport, adapters: Adapter[]): string {
  const lines = report.checks.map((check) => `[${check.state}] ${check.name}: ${check.detail}${check.fix ? ` (${check.fix})` : ''}`)
  const chats = adapters.map((adapter) => `[${adapter.state}] ${adapter.name} ${adapter.detail}`)
  const versions = Object.entries(report.versions).map(([name, version]) => `${name} ${version}`)
  return [...lines, '', ...chats, '', ...versions].join('\n')
}

function Versions({ versions }: { versions: Record<string, string> }): ReactNode {
  return (
    <table className="table sheet">
      <tbody>
        {Object.entries(versions).map(([name, version]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="mono">{version}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** How the bot is, and how to mend what is not well. */
export function Health(): ReactNode {
  const words = useWords()
  const health = useQuery({ queryKey: ['health'], queryFn: fetchHealth, refetchInterval: EVERY_MS })
  const adapters = useQuery({ queryKey: ['adapters'], queryFn: fetchAdapters, refetchInterval: EVERY_MS })
  return (
    <Page title={words.health.title}>
      <div className="page-column">
        <Answer query={health}>
          {(report) => (
            <>
              <div className="health-head">
                <b>{report.checks.every((check) => check.state === 'ok') && words.health.allWell}</b>
                <CopyButton value={asReport(report, adapters.data ?? [])}>
                  {({ copied, copy }) => (
                    <Button variant="default" leftSection={<IconCopy size={16} />} onClick={copy}>
                      {copied ? words.copied : words.health.copy}
                    </Button>
                  )}
                </CopyButton>
              </div>
              <h2>{words.health.checks}</h2>
              <Checks checks={report.checks} />
            </>
          )}
        </Answer>
        <h2>{words.health.adapters}</h2>
        <Answer query={adapters} isEmpty={(all) => !all.length} empty={<p className="nothing">{words.health.noAdapters}</p>}>
          {(all) => <Adapters adapters={all} />}
        </Answer>
        {health.data && (
          <>
            <h2>{words.health.versions}</h2>
            <Versions versions={health.data.versions} />
          </>
        )}
      </div>
    </Page>
  )
}
