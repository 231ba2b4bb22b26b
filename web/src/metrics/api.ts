import { ask, withQuery } from '../wire/rest'

/** One minute (or longer, in longer periods) of numbers; null where nothing happened. */
export interface Sample {
  at: string
  messages: number
  tool_p50_ms: number | null
  tool_p95_ms: number | null
  late_p99_ms: number | null
  sockets: number
  queue: number
}

export async function fetchMetrics(minutes: number): Promise<Sample[]> {
  const answer = await ask<{ samples: Sample[] }>(withQuery('/api/admin/metrics', { minutes }))
  return answer.samples
}
