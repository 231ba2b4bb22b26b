import { SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { useWords } from '../language/language'
import { useRoom } from '../room/store'
import { Answer } from '../shell/Answer'
import { lazyPart } from '../shell/lazyPart'
import { Page } from '../shell/Page'
import type { Author, Reminder } from '../wire/frames'
import { fetchReminders } from './api'
import { Feed } from './Feed'
import { NewReminder } from './NewReminder'
import { ReminderForm, type FormSubject } from './ReminderForm'
import { ReminderRow } from './ReminderRow'
import { useViewpoint } from './useReminderActions'
import './reminders.css'

const Calendar = lazyPart(() => import('./Calendar').then((module) => module.Calendar))

const VIEWS = ['list', 'day', 'week', 'month', 'agenda'] as const
export type View = (typeof VIEWS)[number]
const STATES = ['active', 'paused', 'done'] as const

interface Filters {
  person: string | null
  state: string | null
}

/** Who has or made reminders, by id and name. */
function peopleOf(all: Reminder[], members: Author[]): { value: string; label: string }[] {
  const names = new Map(members.map((member) => [member.id, member.name]))
  for (const one of all) if (one.created_by_name) names.set(one.created_by, one.created_by_name)
  const ids = [...new Set(all.flatMap((one) => [one.created_by, ...one.mentions]))]
  return ids.map((id) => ({ value: id, label: names.get(id) ?? id })).sort((a, b) => a.label.localeCompare(b.label))
}

function FilterBar({ all, filters, onChange, view, onView }: {
  all: Reminder[]
  filters: Filters
  onChange: (filters: Filters) => void
  view: View
  onView: (view: View) => void
}): ReactNode {
  const words = useWords()
  const members = useRoom((room) => room.members)
  const people = peopleOf(all, members)
  return (
    <div className="filters">
      <SegmentedControl
        aria-label={words.reminders.view}
        value={view}
        onChange={(next) => onView(next as View)}
        data={VIEWS.map((value) => ({ value, label: words.reminders[value] }))}
      />
      <Select
        label={words.reminders.person}
        placeholder={words.reminders.everybody}
        clearable
        clearButtonProps={{ 'aria-label': words.clear }}
        data={people}
        value={filters.person}
        onChange={(person) => onChange({ ...filters, person })}
      />
      <Select
        label={words.reminders.state}
        placeholder={words.reminders.anyState}
        clearable
        clearButtonProps={{ 'aria-label': words.clear }}
        data={STATES.map((value) => ({ value, label: words.reminders.states[value] }))}
        value={filters.state}
        onChange={(state) => onChange({ ...filters, state })}
      />
      <Feed />
    </div>
  )
}

function isShown(one: Reminder, filters: Filters): boolean {
  if (filters.person && one.created_by !== filters.person && !one.mentions.includes(filters.person)) return false
  return !filters.state || one.status === filters.state
}

function Content({ all }: { all: Reminder[] }): ReactNode {
  const words = useWords()
  const [view, setView] = useState<View>('list')
  const [filters, setFilters] = useState<Filters>({ person: null, state: null })
  const [subject, setSubject] = useState<FormSubject>(null)
  const edit = (reminder: Reminder) => setSubject({ reminder })
  const shown = all.filter((one) => isShown(one, filters))
  return (
    <>
      <FilterBar all={all} filters={filters} onChange={setFilters} view={view} onView={setView} />
      {view !== 'list' ? (
        <Calendar reminders={shown} isWhole={shown.length === all.length} view={view} onPick={edit} onAdd={(time) => setSubject({ time })} />
      ) : shown.length ? (
        <ul className="list sheet">
          {shown.map((one) => (
            <ReminderRow key={one.id} reminder={one} onEdit={edit} />
          ))}
        </ul>
      ) : (
        <div className="nothing">
          <p>{words.reminders.empty}</p>
          <p>{words.reminders.emptyHint}</p>
        </div>
      )}
      <ReminderForm subject={subject} onClose={() => setSubject(null)} />
    </>
  )
}

/** All reminders of the room: a list and a calendar over the same rows. */
export function Reminders(): ReactNode {
  const words = useWords()
  const viewpoint = useViewpoint()
  const queries = useQueryClient()
  const live = useRoom((room) => room.reminders)
  const query = useQuery({ queryKey: ['reminders', viewpoint], queryFn: () => fetchReminders(viewpoint) })
  // What the room hears of reminders makes the list ask again; the list itself is the bot's.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['reminders'] })
  }, [live, queries])
  return (
    <Page title={words.reminders.title}>
      <div className="page-column">
        <NewReminder />
        <Answer query={query}>{(all) => <Content all={all} />}</Answer>
      </div>
    </Page>
  )
}
