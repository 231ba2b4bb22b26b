import { Alert, Button, SegmentedControl, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState, type FormEvent, type ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useWords } from '../language/language'
import { plural } from '../language/words'
import { Answer } from '../shell/Answer'
import { Page } from '../shell/Page'
import { fetchSettings, keyOf, SETTINGS_KEY, type AllSettings, type Json, type Setting, type Values } from './api'
import { CATEGORIES, matching, testedPart, type Category } from './groups'
import { History } from './History'
import { useLabels } from './labels'
import { SettingField } from './SettingField'
import { TestButton } from './TestButton'
import { useSave, type Save } from './useSave'
import './settings.css'

function useGroupName(): (group: string) => string {
  const names: Record<string, string> = useWords().settings.groups
  return (group) => names[group] ?? group
}

function Groups({ chosen }: { chosen: string }): ReactNode {
  const words = useWords().settings
  const nameOf = useGroupName()
  return (
    <nav className="setting-groups" aria-label={words.groupsLabel}>
      {Object.entries(CATEGORIES).map(([category, groups]) => (
        <section key={category}>
          <h2>{words.categories[category as Category]}</h2>
          <ul className="list">
            {groups.map((group) => (
              <li key={group}>
                <Link href={`/settings?group=${group}`} aria-current={group === chosen ? 'true' : undefined}>
                  {nameOf(group)}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <Link href="/setup" className="run-setup">
        {words.runSetup}
      </Link>
    </nav>
  )
}

interface GroupProps {
  group: string
  settings: Setting[]
  values: Values
  save: Save
  onChange: (key: string, value: Json | undefined) => void
}

function Group({ group, settings, values, save, onChange }: GroupProps): ReactNode {
  const words = useWords().settings
  const labelOf = useLabels()
  const part = testedPart(group)
  return (
    <section className="card setting-group" aria-labelledby={`group-${group}`} data-group={group}>
      <h2 id={`group-${group}`}>{useGroupName()(group)}</h2>
      {settings.map((setting) => {
        const key = keyOf(setting)
        return <SettingField key={key} setting={setting} label={labelOf(setting)} typed={values[key]} error={save.problems[key]} onChange={(value) => onChange(key, value)} />
      })}
      {part && <TestButton part={part} values={ofGroup(values, group)} label={words.test} />}
    </section>
  )
}

function ofGroup(values: Values, group: string): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key.slice(0, key.lastIndexOf('.')) === group))
}

function SaveBar({ values, save, onDiscard }: { values: Values; save: Save; onDiscard: () => void }): ReactNode {
  const words = useWords().settings
  const count = Object.keys(values).length
  const faults = Object.keys(save.problems).length
  return (
    <div className="save-bar" data-empty={count === 0 || undefined}>
      <div role="status" className="save-notice" data-problem={save.notice?.isProblem || undefined}>
        {save.isBusy ? words.applying : faults ? plural(words.invalid, faults) : (save.notice?.text ?? (count > 0 && plural(words.changed, count)))}
      </div>
      {count > 0 && (
        <>
          <Button variant="default" onClick={onDiscard} disabled={save.isBusy}>
            {words.discard}
          </Button>
          <Button type="submit" loading={save.isBusy}>
            {words.save}
          </Button>
        </>
      )}
    </div>
  )
}

function focusSetting(key: string): void {
  const field = document.getElementById(`setting-${key}`)
  field?.focus()
  field?.scrollIntoView({ block: 'center' })
}

function Content({ all }: { all: AllSettings }): ReactNode {
  const words = useWords().settings
  const nameOf = useGroupName()
  const labelOf = useLabels()
  const save = useSave()
  const [query, setQuery] = useSearchParams()
  const [values, setValues] = useState<Values>({})
  const wanted = query.get('find') ?? ''
  const chosen = query.get('group') ?? 'bot'
  const setting = query.get('setting')
  const shown = wanted
    ? matching(all.settings, wanted, (one) => `${keyOf(one)} ${nameOf(one.group)} ${Object.values(labelOf(one)).join(' ')} ${one.description}`)
    : all.settings.filter((one) => one.group === chosen)
  const groups = [...new Set(shown.map((one) => one.group))]
  useEffect(() => {
    if (setting) focusSetting(setting)
  }, [setting])
  const change = (key: string, value: Json | undefined) => {
    save.forgive(key)
    setValues(({ [key]: _, ...others }) => (value === undefined ? others : { ...others, [key]: value }))
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await save.save(values))) return
    // What was changed while these were saved is still to be saved.
    setValues((now) => Object.fromEntries(Object.entries(now).filter(([key, value]) => value !== values[key])))
  }
  const first = Object.keys(save.problems)[0]
  useEffect(() => {
    if (first) focusSetting(first)
  }, [first])
  return (
    <div className="settings">
      <div className="settings-side">
        <TextInput
          type="search"
          leftSection={<IconSearch size={16} aria-hidden="true" />}
          aria-label={words.find}
          placeholder={words.find}
          value={wanted}
          onChange={(event) => setQuery(event.currentTarget.value ? { find: event.currentTarget.value } : { group: chosen }, { replace: true })}
        />
        <Groups chosen={wanted ? '' : chosen} />
      </div>
      <form className="settings-main" onSubmit={(event) => void submit(event)} noValidate>
        {!all.file && <Alert color="amber" variant="outline" title={words.noFile} mb="md" />}
        {groups.length === 0 && <p className="nothing">{words.nothing}</p>}
        {groups.map((group) => (
          <Group key={group} group={group} settings={shown.filter((one) => one.group === group)} values={values} save={save} onChange={change} />
        ))}
        <SaveBar values={values} save={save} onDiscard={() => setValues({})} />
      </form>
    </div>
  )
}

/** Every setting of the bot, with its meaning; changes are tried, saved, listed and undone here. */
export function Settings(): ReactNode {
  const words = useWords().settings
  const [query, setQuery] = useSearchParams()
  const settings = useQuery({ queryKey: SETTINGS_KEY, queryFn: fetchSettings })
  const tab = query.get('tab') === 'history' ? 'history' : 'settings'
  return (
    <Page title={words.title}>
      <div className="page-column">
        <SegmentedControl
          mb="md"
          aria-label={words.tabsLabel}
          value={tab}
          onChange={(next) => setQuery(next === 'history' ? { tab: next } : {})}
          data={[
            { value: 'settings', label: words.tabs.settings },
            { value: 'history', label: words.tabs.history },
          ]}
        />
        {tab === 'history' ? <History /> : <Answer query={settings}>{(all) => <Content all={all} />}</Answer>}
      </div>
    </Page>
  )
}
