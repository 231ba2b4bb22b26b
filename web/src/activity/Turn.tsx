import { Drawer } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { useClock } from '../format/clock'
import { duration, wholeTime } from '../format/time'
import { outerCalls } from '../cards/answer'
import { useWords } from '../language/language'
import { ToolCard } from '../room/ToolCard'
import { shownCall } from '../wire/calls'
import { fetchTurn, type CallEntry, type TurnEntry } from './api'

// Calls of the page's own forms, of programs and of MCP clients belong to no message of a chat.
const WITHOUT_TURN = /^(http|mcp)-/

function Facts({ call, turn }: { call: CallEntry; turn: TurnEntry | undefined }): ReactNode {
  const words = useWords()
  const clock = useClock()
  const facts: [string, string][] = [
    [words.activity.time, wholeTime(turn?.at ?? call.at, clock)],
    [words.activity.room, call.chat],
    [words.activity.person, turn?.person || call.person],
    [words.activity.model, call.model || turn?.route || call.route],
    [words.activity.tokens, turn?.tokens ? String(turn.tokens) : ''],
    [words.activity.duration, duration(turn?.duration ?? call.duration)],
  ]
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  )
}

function Whole({ call }: { call: CallEntry }): ReactNode {
  const words = useWords()
  const query = useQuery({
    queryKey: ['turn', call.chat, call.message_id],
    queryFn: () => fetchTurn(call.chat, call.message_id),
    enabled: !WITHOUT_TURN.test(call.message_id),
  })
  const calls = query.data?.calls.length ? query.data.calls : [call]
  const outer = outerCalls(calls)
  const parts = calls.filter((each) => !outer.includes(each))
  return (
    <div data-turn={call.id}>
      <Facts call={call} turn={query.data?.turn} />
      {call.user_message && (
        <>
          <p className="block-label">{words.activity.said}</p>
          <p className="turn-text" dir="auto">{call.user_message}</p>
        </>
      )}
      <div className="tool-cards">
        {outer.map((each) => (
          <Fragment key={each.id}>
            <ToolCard call={shownCall(each)} isOpenAtFirst={each.id === call.id} />
            {each.name === 'undo' && (
              <div className="call-parts">
                {parts.map((part) => (
                  <ToolCard key={part.id} call={shownCall(part)} isOpenAtFirst={part.id === call.id} />
                ))}
              </div>
            )}
          </Fragment>
        ))}
      </div>
      {query.data?.turn.reply && (
        <>
          <p className="block-label">{words.activity.answered}</p>
          <p className="turn-text" dir="auto">{query.data.turn.reply}</p>
        </>
      )}
    </div>
  )
}

/** One call with its whole turn: the message it was made for, every call, and what was answered. */
export function Turn({ call, onClose }: { call: CallEntry | null; onClose: () => void }): ReactNode {
  const words = useWords()
  return (
    <Drawer
      opened={call !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={words.activity.turn}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      {call && <Whole call={call} />}
    </Drawer>
  )
}
