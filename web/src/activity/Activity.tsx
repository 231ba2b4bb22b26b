import { Alert, Button, SegmentedControl, Select, Skeleton, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { useSearchParams } from 'wouter'
import { useClock } from '../format/clock'
import { duration, shortTime } from '../format/time'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { outerCalls } from '../cards/answer'
import { Outcome } from '../room/Outcome'
import { Page } from '../shell/Page'
import { callStatus } from '../wire/calls'
import { canRetry } from '../wire/rest'
import { fetchCalls, fetchMessages, type CallEntry, type Filters, type MessageEntry, type PageOf } from './api'
import { Turn } from './Turn'
import './activity.css'

type Kind = 'calls' | 'messages'
type Entry = PageOf<CallEntry | MessageEntry>
const TYPING_MS = 250

/** The filters as they stand in the address, so that a view can be sent to somebody. */
function useFilters(): [Filters & { kind: Kind }, (change: Partial<Filters & { kind: Kind }>) => void] {
  const [query, setQuery] = useSearchParams()
  const filters = {
    q: query.get('q') ?? '',
    status: query.get('status') ?? '',
    tool: query.get('tool') ?? '',
    kind: (query.get('kind') === 'messages' ? 'messages' : 'calls') as Kind,
  }
  const change = (next: Partial<typeof filters>) => {
    const wanted = Object.entries({ ...filters, ...next }).filter(([key, value]) => value && !(key === 'kind' && value === 'calls'))
    setQuery(new URLSearchParams(wanted), { replace: true })
  }
  return [filters, change]
}

function CallRow({ call, onOpen }: { call: CallEntry; onOpen: () => void }): ReactNode {
  const words = useWords()
  const clock = useClock()
  return (
    <button type="button" className="activity-row" data-call={call.id} data-tool={call.name} title={fill(words.activity.open, { tool: call.name })} onClick={onOpen}>
      <Outcome status={callStatus(call.status)} />
      <span className="mono">{call.name}</span>
      <span className="muted" dir="auto">{call.error ? call.said || call.error : call.user_message}</span>
      <span className="muted figures">{shortTime(call.at, clock)}</span>
      <span className="mono figures">{duration(call.duration)}</span>
    </button>
  )
}

function MessageLine({ message }: { message: MessageEntry }): ReactNode {
  const clock = useClock()
  return (
    <div className="message-line" data-message-row={message.id}>
      <b dir="auto">{message.author.name}</b>
      <span dir="auto">{message.text}</span>
      <span className="muted mono">{message.chat}</span>
      <span className="muted figures">{shortTime(message.ts, clock)}</span>
    </div>
  )
}

function FilterBar({ filters, change }: { filters: Filters & { kind: Kind }; change: (next: Partial<Filters & { kind: Kind }>) => void }): ReactNode {
  const words = useWords()
  const [typed, setTyped] = useState(filters.q)
  const [wanted] = useDebouncedValue(typed, TYPING_MS)
  useEffect(() => {
    if (wanted !== filters.q) change({ q: wanted })
  }, [wanted])
  return (
    <div className="filters">
      <SegmentedControl
        aria-label={words.activity.kind}
        value={filters.kind}
        onChange={(kind) => change({ kind: kind as Kind })}
        data={[
          { value: 'calls', label: words.activity.calls },
          { value: 'messages', label: words.activity.messages },
        ]}
      />
      <TextInput
        className="grow"
        type="search"
        aria-label={words.activity.find}
        placeholder={words.activity.find}
        leftSection={<IconSearch size={16} aria-hidden="true" />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {filters.kind === 'calls' && (
        <Select
          aria-label={words.activity.status}
          placeholder={words.activity.status}
          clearable
          clearButtonProps={{ 'aria-label': words.clear }}
          data={[
            { value: 'success', label: words.activity.ok },
            { value: 'error', label: words.activity.error },
            { value: 'timeout', label: words.card.timeout },
            { value: 'denied', label: words.card.denied },
          ]}
          value={filters.status || null}
          onChange={(status) => change({ status: status ?? '' })}
        />
      )}
    </div>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }): ReactNode {
  const words = useWords()
  return (
    <div className="nothing">
      <p>{isFiltered ? words.activity.nothing : words.activity.empty}</p>
      {isFiltered && (
        <Button variant="default" onClick={onClear}>
          {words.activity.clear}
        </Button>
      )}
    </div>
  )
}

function Entries({ filters, clear }: { filters: Filters & { kind: Kind }; clear: () => void }): ReactNode {
  const words = useWords()
  const [opened, setOpened] = useState<CallEntry | null>(null)
  const query = useInfiniteQuery({
    queryKey: ['activity', filters],
    queryFn: ({ pageParam }): Promise<Entry> => (filters.kind === 'calls' ? fetchCalls(filters, pageParam) : fetchMessages(filters, pageParam)),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  })
  if (query.isPending) return <Skeleton height={320} radius={14} role="status" aria-label={words.loading} />
  if (query.isError) {
    return (
      <Alert color="red" variant="outline" title={words.notLoaded} role="alert">
        <p>{query.error.message}</p>
        {canRetry(query.error) && (
          <Button size="compact-md" variant="default" onClick={() => void query.refetch()}>
            {words.retry}
          </Button>
        )}
      </Alert>
    )
  }
  const entries = withoutParts(query.data.pages.flatMap((page) => page.items))
  if (!entries.length) return <Nothing isFiltered={!!(filters.q || filters.status || filters.tool)} onClear={clear} />
  return (
    <>
      <ul className="list sheet">
        {entries.map((entry) => (
          <li key={`${entry.chat} ${entry.id}`}>
            {'name' in entry ? <CallRow call={entry} onOpen={() => setOpened(entry)} /> : <MessageLine message={entry} />}
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <Button mt="md" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {words.more}
        </Button>
      )}
      <Turn call={opened} onClose={() => setOpened(null)} />
    </>
  )
}

/** The entries without the calls that an undo made: they are parts of it, shown with its turn. */
function withoutParts(entries: (CallEntry | MessageEntry)[]): (CallEntry | MessageEntry)[] {
  const turns = new Map<string, CallEntry[]>()
  for (const entry of entries) {
    if (!('name' in entry)) return entries
    const turn = `${entry.chat} ${entry.message_id}`
    turns.set(turn, [entry, ...(turns.get(turn) ?? [])])
  }
  const outer = new Set<CallEntry | MessageEntry>([...turns.values()].flatMap(outerCalls))
  return entries.filter((entry) => outer.has(entry))
}

/** What the bot did and what was said, from the record: searchable, and a call opens its whole turn. */
export function Activity(): ReactNode {
  const words = useWords()
  const [filters, change] = useFilters()
  const [cleared, setCleared] = useState(0)
  const clear = () => {
    change({ q: '', status: '', tool: '' })
    setCleared(cleared + 1)
  }
  return (
    <Page title={words.activity.title}>
      <div className="page-column">
        <FilterBar key={cleared} filters={filters} change={change} />
        <Entries filters={filters} clear={clear} />
      </div>
    </Page>
  )
}
