import { Button } from '@mantine/core'
import { IconClock, IconExclamationCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { spanShort } from '../format/time'
import { useNow } from '../format/useNow'
import { useWords } from '../language/language'
import { PlainText } from './PlainText'
import { Pictures } from './Pictures'
import type { Pending } from './reduce'
import { Stamp } from './Stamp'
import { useRoom } from './store'

/** Send again, from the time `at` on. */
function Retry({ at, onRetry }: { at: number; onRetry: () => void }): ReactNode {
  const words = useWords()
  const now = useNow()
  return (
    <Button size="compact-sm" variant="default" disabled={now < at} onClick={onRetry}>
      {now < at ? `${words.retry} (${spanShort(at - now, words)})` : words.retry}
    </Button>
  )
}

/** A message of mine that the bot does not have yet. */
export function PendingRow({ one }: { one: Pending }): ReactNode {
  const words = useWords()
  const { resend, discard } = useRoom.getState()
  return (
    <article className="row" data-mine data-pending={one.client_id} data-failed={one.isFailed || undefined}>
      <div className="row-body">
        <div className="row-bubble">
          <div className="bubble bubble-mine">
            <PlainText text={one.text} />
            <Pictures attachments={one.attachments} />
            <Stamp at={one.at}>
              {one.isFailed ? (
                <IconExclamationCircle size={13} role="img" aria-label={words.room.failed} />
              ) : (
                <IconClock size={13} role="img" aria-label={words.room.pending} />
              )}
            </Stamp>
          </div>
        </div>
        {one.isFailed && (
          <p className="failed" role="alert">
            {words.room.failed}
            {one.reason && `: ${one.reason}`}
            {one.retryAt !== null && <Retry at={one.retryAt} onRetry={() => resend(one.client_id)} />}
            <Button size="compact-sm" variant="subtle" color="gray" onClick={() => discard(one.client_id)}>
              {words.remove}
            </Button>
          </p>
        )}
      </div>
    </article>
  )
}
