import type { CallStatus, ToolCall } from './frames'

/** A call as the history over HTTP has it: the names of the specification. */
export interface RecordedCall {
  id: string
  name: string
  arguments: unknown
  result: unknown
  error: string | null
  /** What the person was told; `error` may be a code. */
  said?: string
  status: string
  duration: number
  rule_words?: ToolCall['rule_words']
}

/** How a call ended, in the words of the socket; the record says `success` for `ok`. */
export function callStatus(status: string): CallStatus {
  return status === 'success' ? 'ok' : (status as CallStatus)
}

/** A call of either form as the page shows it. */
export function shownCall(call: ToolCall | RecordedCall): ToolCall {
  if (!('duration' in call)) return call
  return {
    id: call.id,
    name: call.name,
    arguments: call.arguments as ToolCall['arguments'],
    result: call.result,
    error: call.error && (call.said || call.error),
    status: callStatus(call.status),
    duration_ms: call.duration,
    rule_words: call.rule_words,
  }
}
