import { Alert, Button, Modal, NumberInput, SegmentedControl, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill, plural } from '../language/words'
import { Answer } from '../shell/Answer'
import { ask, Refused } from '../wire/rest'
import './settings.css'

type Style = 'native' | 'prompt' | 'json_router' | 'auto'

interface Hours {
  starts: string
  ends: string
}

interface Settings {
  instructions: string
  call_style: Style | null
  quiet_hours: Hours | null
  retention_days: number | null
  tools: { name: string; is_on: boolean }[]
  default_call_style: Style
  default_quiet_hours: string
  default_retention_days: number
  has_model: boolean
  may_change: boolean
}

const STYLES: Style[] = ['auto', 'native', 'json_router', 'prompt']
const EVENING: Hours = { starts: '22:00', ends: '07:00' }
const MONTH_DAYS = 30

function pathOf(room: string): string {
  return `/api/chat/sessions/${encodeURIComponent(room)}/settings`
}

/** The values that differ from those of the bot. */
function changesOf(before: Settings, now: Settings): Record<string, unknown> {
  const changed: Record<string, unknown> = {}
  for (const key of ['instructions', 'call_style', 'quiet_hours', 'retention_days'] as const) {
    if (JSON.stringify(before[key]) !== JSON.stringify(now[key])) changed[key] = now[key]
  }
  const switched = now.tools.filter(({ name, is_on }) => before.tools.find((one) => one.name === name)?.is_on !== is_on)
  if (switched.length) changed.tools = Object.fromEntries(switched.map(({ name, is_on }) => [name, is_on]))
  return changed
}

interface PartProps {
  now: Settings
  set: (part: Partial<Settings>) => void
}

function QuietHours({ now, set }: PartProps): ReactNode {
  const words = useWords()
  const { roomSettings } = words
  const hours = now.quiet_hours
  return (
    <fieldset disabled={!now.may_change}>
      <legend>{roomSettings.quiet}</legend>
      <p className="muted small">{roomSettings.quietHint}</p>
      <SegmentedControl
        mt={6}
        aria-label={roomSettings.quiet}
        disabled={!now.may_change}
        value={hours ? 'own' : 'bot'}
        onChange={(kind) => set({ quiet_hours: kind === 'own' ? EVENING : null })}
        data={[
          { value: 'bot', label: fill(roomSettings.asBot, { value: now.default_quiet_hours || words.settings.none }) },
          { value: 'own', label: `${hours?.starts ?? EVENING.starts}–${hours?.ends ?? EVENING.ends}` },
        ]}
      />
      {hours && (
        <div className="pair">
          <TextInput type="time" label={roomSettings.from} value={hours.starts} onChange={(event) => set({ quiet_hours: { ...hours, starts: event.currentTarget.value } })} />
          <TextInput type="time" label={roomSettings.to} value={hours.ends} onChange={(event) => set({ quiet_hours: { ...hours, ends: event.currentTarget.value } })} />
        </div>
      )}
    </fieldset>
  )
}

function Retention({ now, set }: PartProps): ReactNode {
  const { roomSettings } = useWords()
  const told = (days: number) => (days ? plural(roomSettings.days, days) : roomSettings.forever)
  const kind = now.retention_days === null ? 'bot' : now.retention_days ? 'days' : 'forever'
  return (
    <fieldset disabled={!now.may_change}>
      <legend>{roomSettings.keep}</legend>
      <SegmentedControl
        mt={6}
        aria-label={roomSettings.keep}
        disabled={!now.may_change}
        value={kind}
        onChange={(next) => set({ retention_days: next === 'bot' ? null : next === 'days' ? MONTH_DAYS : 0 })}
        data={[
          { value: 'bot', label: fill(roomSettings.asBot, { value: told(now.default_retention_days) }) },
          { value: 'days', label: told(now.retention_days || MONTH_DAYS) },
          { value: 'forever', label: roomSettings.forever },
        ]}
      />
      {kind === 'days' && (
        <NumberInput
          mt={6}
          w={140}
          aria-label={roomSettings.keep}
          min={1}
          max={36_500}
          hideControls
          value={now.retention_days ?? MONTH_DAYS}
          onChange={(days) => set({ retention_days: Number(days) || 1 })}
        />
      )}
    </fieldset>
  )
}

function Tools({ now, set }: PartProps): ReactNode {
  const { roomSettings, toolHelp } = useWords()
  const texts: Record<string, string> = toolHelp
  return (
    <fieldset disabled={!now.may_change}>
      <legend>{roomSettings.tools}</legend>
      <p className="muted small">{roomSettings.toolsHint}</p>
      <div className="tool-switches" tabIndex={0} role="group" aria-label={roomSettings.tools}>
        {now.tools.map(({ name, is_on }) => (
          <Switch
            key={name}
            label={<span className="mono">{name}</span>}
            description={texts[name]}
            checked={is_on}
            disabled={!now.may_change}
            onChange={(event) => set({ tools: now.tools.map((one) => (one.name === name ? { name, is_on: event.currentTarget.checked } : one)) })}
          />
        ))}
      </div>
    </fieldset>
  )
}

function Form({ room, before, onDone }: { room: string; before: Settings; onDone: () => void }): ReactNode {
  const words = useWords()
  const { roomSettings } = words
  const queries = useQueryClient()
  const [now, setNow] = useState(before)
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [failure, setFailure] = useState('')
  const [isBusy, setBusy] = useState(false)
  const changes = changesOf(before, now)
  const set = (part: Partial<Settings>) => setNow((current) => ({ ...current, ...part }))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setFailure('')
    try {
      await ask(pathOf(room), { method: 'PATCH', body: changes })
      await queries.invalidateQueries({ queryKey: ['room-settings', room] })
      await queries.invalidateQueries({ queryKey: ['tools'] })
      notifications.show({ message: roomSettings.saved })
      onDone()
    } catch (error) {
      if (error instanceof Refused) setProblems(error.fields)
      setFailure(error instanceof Error ? error.message : words.notLoaded)
      setBusy(false)
    }
  }
  return (
    <form className="room-settings" onSubmit={(event) => void submit(event)} noValidate data-room-settings={room}>
      {!before.may_change && <Alert color="amber" variant="outline" title={roomSettings.readOnly} />}
      <Textarea
        label={roomSettings.instructions}
        description={before.has_model ? roomSettings.instructionsHint : `${roomSettings.instructionsHint} · ${roomSettings.noModel}`}
        autosize
        minRows={3}
        maxRows={8}
        maxLength={4000}
        disabled={!before.may_change}
        error={problems.instructions}
        value={now.instructions}
        onChange={(event) => set({ instructions: event.currentTarget.value })}
      />
      <QuietHours now={now} set={set} />
      <Retention now={now} set={set} />
      <Tools now={now} set={set} />
      <Select
        label={roomSettings.callStyle}
        disabled={!before.may_change}
        allowDeselect={false}
        data={[
          { value: '', label: fill(roomSettings.asBot, { value: roomSettings.styles[before.default_call_style] }) },
          ...STYLES.map((value) => ({ value, label: roomSettings.styles[value] })),
        ]}
        value={now.call_style ?? ''}
        onChange={(value) => set({ call_style: (value || null) as Style | null })}
      />
      {failure && (
        <p className="problem" role="alert">
          {failure}
        </p>
      )}
      {before.may_change && (
        <div className="setup-actions">
          <span className="space" />
          <Button variant="default" onClick={onDone}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={isBusy} disabled={!Object.keys(changes).length}>
            {words.save}
          </Button>
        </div>
      )}
    </form>
  )
}

/** The dialog with the settings of one room, which its admins may change. */
export function RoomSettings({ room, onClose }: { room: string; onClose: () => void }): ReactNode {
  const words = useWords()
  const settings = useQuery({ queryKey: ['room-settings', room], queryFn: () => ask<Settings>(pathOf(room)), staleTime: 0, gcTime: 0 })
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={`${words.roomSettings.title} · # ${room}`}
      closeButtonProps={{ 'aria-label': words.close }}
      attributes={{ header: { role: 'group' } }}
    >
      <Answer query={settings}>{(before) => <Form room={room} before={before} onDone={onClose} />}</Answer>
    </Modal>
  )
}
