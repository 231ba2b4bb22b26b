import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef, type ReactNode } from 'react'
import { useComputedColorScheme } from '@mantine/core'
import { useZone } from '../format/clock'
import { useWords } from '../language/language'
import { fill } from '../language/words'

export interface Line {
  label: string
  colour: string
  values: (number | null)[]
}

const HEIGHT = 190

function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

function axis(): uPlot.Axis {
  const font = '11px "Inter Variable", system-ui, sans-serif'
  return { stroke: token('--muted'), font, grid: { stroke: token('--line'), width: 1 }, ticks: { stroke: token('--line'), width: 1 } }
}

/** Where a value stands alone: no line leads there, so that it needs a point to be seen. */
function alone(values: (number | null)[]): number[] {
  return values.flatMap((value, at) => (value !== null && values[at - 1] == null && values[at + 1] == null ? [at] : []))
}

/** A plot over time; the same numbers stand in a table for those who cannot see it. */
export function Chart({ name, times, lines }: { name: string; times: number[]; lines: Line[] }): ReactNode {
  const words = useWords()
  const box = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  const zone = useZone((state) => state.zone)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
      legend: { show: false },
      cursor: { y: false },
      scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
      axes: [
        { ...axis(), values: [
          [60, '{HH}:{mm}', null, null, null, null, null, null, 1],
          [1, ':{ss}', '\n{HH}:{mm}', null, null, null, '\n{HH}:{mm}', null, 1],
        ] },
        { ...axis(), size: 48 },
      ],
      series: [
        {},
        ...lines.map((line) => ({
          label: line.label,
          stroke: token(line.colour),
          width: 2,
          points: { show: true, size: 6, filter: () => alone(line.values) },
          spanGaps: false,
        })),
      ],
    }
    const plot = new uPlot(options, [times, ...lines.map((line) => line.values)], element)
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    resize.observe(element)
    return () => {
      resize.disconnect()
      plot.destroy()
    }
  }, [times, lines, scheme, zone])
  return (
    <>
      <div className="chart" ref={box} role="img" aria-label={fill(words.metrics.chart, { name })} />
      <ul className="legend">
        {lines.map((line) => (
          <li key={line.label}>
            <span className="legend-mark" style={{ background: `var(${line.colour})` }} />
            {line.label}
            <b className="mono figures">{line.values.findLast((value) => value !== null) ?? '–'}</b>
          </li>
        ))}
      </ul>
    </>
  )
}
