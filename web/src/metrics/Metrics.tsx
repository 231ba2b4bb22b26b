import { Button, SegmentedControl } from '@mantine/core'
import { IconChartLine, IconTable } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState, type ReactNode } from 'react'
import { useClock } from '../format/clock'
import { shortTime } from '../format/time'
import { useWords } from '../language/language'
import type { Words } from '../language/words'
import { useRoom } from '../room/store'
import { Answer } from '../shell/Answer'
import { Page } from '../shell/Page'
import { fetchMetrics, type Sample } from './api'
import { Chart, type Line } from './Chart'
import './metrics.css'

const EVERY_MS = 5000
const LIVE = 0
const LIVE_SECONDS = 60
const PERIODS = [LIVE, 15, 60, 1440] as const

/** The last minute second by second, told over the socket while it is looked at. */
function useLive(isWatching: boolean): Sample[] {
  const [samples, setSamples] = useState<Sample[]>([])
  useEffect(() => {
    if (!isWatching) return
    const { watchMetrics } = useRoom.getState()
    watchMetrics((sample) => setSamples((known) => [...known, sample].slice(-LIVE_SECONDS)))
    return () => {
      watchMetrics(null)
      setSamples([])
    }
  }, [isWatching])
  return samples
}

interface Plot {
  name: string
  lines: Line[]
}

function plotsOf(samples: Sample[], words: Words, perSecond: boolean): Plot[] {
  const line = (label: string, colour: string, value: (sample: Sample) => number | null): Line => ({
    label,
    colour,
    values: samples.map(value),
  })
  return [
    { name: perSecond ? words.metrics.messagesNow : words.metrics.messages, lines: [line(words.activity.messages, '--jade', (sample) => sample.messages)] },
    {
      name: words.metrics.latency,
      lines: [
        line(words.metrics.p50, '--jade', (sample) => sample.tool_p50_ms),
        line(words.metrics.p95, '--muted', (sample) => sample.tool_p95_ms),
      ],
    },
    { name: words.metrics.lateness, lines: [line(words.metrics.p99, '--time-bright', (sample) => sample.late_p99_ms)] },
    {
      name: words.metrics.sockets,
      lines: [
        line(words.metrics.open, '--jade', (sample) => sample.sockets),
        line(words.metrics.queue, '--time-bright', (sample) => sample.queue),
      ],
    },
  ]
}

function Numbers({ plot, samples }: { plot: Plot; samples: Sample[] }): ReactNode {
  const words = useWords()
  const clock = useClock()
  return (
    <div className="table-box" tabIndex={0} role="region" aria-label={plot.name}>
      <table className="table figures">
        <thead>
          <tr>
            <th scope="col">{words.metrics.time}</th>
            {plot.lines.map((line) => (
              <th key={line.label} scope="col" className="number">
                {line.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {samples.map((sample, at) => (
            <tr key={sample.at}>
              <td>{shortTime(sample.at, clock)}</td>
              {plot.lines.map((line) => (
                <td key={line.label} className="number mono">
                  {line.values[at] ?? '–'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Plots({ samples, isTable, perSecond = false }: { samples: Sample[]; isTable: boolean; perSecond?: boolean }): ReactNode {
  const words = useWords()
  const plots = useMemo(() => plotsOf(samples, words, perSecond), [samples, words, perSecond])
  const times = useMemo(() => samples.map((sample) => Date.parse(sample.at) / 1000), [samples])
  return (
    <div className="charts">
      {plots.map((plot) => (
        <section key={plot.name} className="card" data-plot={plot.name}>
          <h2>{plot.name}</h2>
          {isTable ? <Numbers plot={plot} samples={samples} /> : <Chart name={plot.name} times={times} lines={plot.lines} />}
        </section>
      ))}
    </div>
  )
}

/** Four plots of what goes on, as pictures or as the same numbers in tables. */
export function Metrics(): ReactNode {
  const words = useWords()
  const [minutes, setMinutes] = useState<number>(PERIODS[1])
  const [isTable, setTable] = useState(false)
  const query = useQuery({ queryKey: ['metrics', minutes], queryFn: () => fetchMetrics(minutes), refetchInterval: EVERY_MS, enabled: minutes !== LIVE })
  const live = useLive(minutes === LIVE)
  const names = [words.metrics.live, words.metrics.minutes15, words.metrics.hour, words.metrics.day]
  return (
    <Page title={words.metrics.title}>
      <div className="page-column">
        <div className="filters">
          <SegmentedControl
            aria-label={words.metrics.range}
            value={String(minutes)}
            onChange={(value) => setMinutes(Number(value))}
            data={PERIODS.map((value, at) => ({ value: String(value), label: names[at] ?? '' }))}
          />
          <Button
            variant="default"
            leftSection={isTable ? <IconChartLine size={16} /> : <IconTable size={16} />}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? words.metrics.asCharts : words.metrics.asTable}
          </Button>
        </div>
        {minutes === LIVE ? (
          <Plots samples={live} isTable={isTable} perSecond />
        ) : (
          <Answer query={query} isEmpty={(samples) => !samples.length} empty={<p className="nothing">{words.metrics.waiting}</p>}>
            {(samples) => <Plots samples={samples} isTable={isTable} />}
          </Answer>
        )}
      </div>
    </Page>
  )
}
