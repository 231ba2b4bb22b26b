import { Loader } from '@mantine/core'
import { IconCheck, IconClockPause, IconLock, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useWords } from '../language/language'
import type { CallStatus } from '../wire/frames'

const OUTCOME: Record<Exclude<CallStatus, 'running'>, typeof IconCheck> = {
  ok: IconCheck,
  error: IconX,
  timeout: IconClockPause,
  denied: IconLock,
}

/** How a call ended, as a sign and a word. */
export function Outcome({ status }: { status: CallStatus }): ReactNode {
  const words = useWords()
  if (status === 'running') return <Loader size={18} aria-label={words.card.running} />
  const Icon = OUTCOME[status]
  return (
    <span className="outcome" data-status={status}>
      <Icon size={13} stroke={2.4} aria-hidden="true" />
      <span className="unseen">{words.card[status]}</span>
    </span>
  )
}
