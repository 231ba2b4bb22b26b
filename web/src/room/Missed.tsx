import { Button } from '@mantine/core'
import { IconListDetails } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import type { Point } from '../cards/answer'
import { SummaryCard } from '../cards/ResultCards'
import { useWords } from '../language/language'
import { plural } from '../language/words'
import { useViewpoint } from '../reminders/useReminderActions'
import type { Message } from '../wire/frames'
import { ask, withQuery } from '../wire/rest'
import { complain } from './alerts'
import { useRoom } from './store'

const MIN_MISSED = 5
/** The messages since the reader's last one, as the bot reads it in every language. */
const WINDOW = 'what did I miss'

interface Summary {
  text: string
  bullets: Point[]
}

/** Under the line above what is new: a summary of it, which only the reader sees. */
export function Missed({ from, shown }: { from: number; shown: Message[] }): ReactNode {
  const words = useWords()
  const viewpoint = useViewpoint()
  const me = useRoom((room) => room.me.id)
  const [summary, setSummary] = useState<Summary | 'closed' | null>(null)
  const [isBusy, setBusy] = useState(false)
  // What arrives later was not missed.
  const [count] = useState(() => shown.slice(from).filter((message) => message.author.id !== me).length)
  if (count < MIN_MISSED || summary === 'closed') return null
  const summarise = async () => {
    setBusy(true)
    try {
      const path = withQuery('/api/summary', { ...viewpoint })
      setSummary(await ask<Summary>(path, { method: 'POST', body: { window: WINDOW } }))
    } catch (error) {
      complain(error instanceof Error ? error.message : words.notLoaded)
    } finally {
      setBusy(false)
    }
  }
  if (summary) return <SummaryCard points={summary.bullets} text={summary.text} onClose={() => setSummary('closed')} />
  return (
    <p className="missed">
      {plural(words.message.missed, count)}
      <Button size="compact-md" variant="default" loading={isBusy} leftSection={<IconListDetails size={15} />} onClick={() => void summarise()}>
        {words.message.summarise}
      </Button>
    </p>
  )
}
