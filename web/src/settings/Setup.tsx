import { Button, PasswordInput, SegmentedControl, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconCircleCheck } from '@tabler/icons-react'
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { LANGUAGES, useLanguage, useWords } from '../language/language'
import { fill } from '../language/words'
import { Answer } from '../shell/Answer'
import { Page } from '../shell/Page'
import { fetchSettings, keyOf, SETTINGS_KEY, type AllSettings, type Json, type Setting, type Values } from './api'
import { useLabels } from './labels'
import { SettingField } from './SettingField'
import { TestButton } from './TestButton'
import { useSave } from './useSave'
import './settings.css'

const STEPS = ['bot', 'model', 'search', 'platform', 'done'] as const
type Step = (typeof STEPS)[number]
type ModelKind = 'none' | 'openai' | 'other'

/** The required setting of each search engine. */
const ENGINES: Record<string, string> = {
  perplexity: 'search.perplexity_api_key',
  tavily: 'search.tavily_api_key',
  brave: 'search.brave_api_key',
  searxng: 'search.searxng_url',
  wikipedia: 'search.wikipedia_contact',
}

/** The settings of each platform that the setup shows at first: required ones, and optional ones. */
const PLATFORM_SETTINGS: Record<string, { required: string[]; optional: string[] }> = {
  telegram: { required: ['token'], optional: [] },
  discord: { required: ['token'], optional: [] },
  slack: { required: ['bot_token'], optional: ['app_token'] },
  matrix: { required: ['homeserver', 'user'], optional: ['password'] },
  irc: { required: ['host'], optional: ['channels'] },
  xmpp: { required: ['jid', 'password'], optional: ['rooms'] },
  onebot: { required: [], optional: ['mode', 'url', 'token'] },
  dingtalk: { required: ['client_id', 'client_secret'], optional: [] },
  feishu: { required: ['app_id', 'app_secret'], optional: [] },
}

interface Draft {
  values: Values
  modelKind: ModelKind
  engine: string
  platform: string
}

interface StepProps {
  all: AllSettings
  draft: Draft
  problems: Record<string, string>
  set: (key: string, value: Json | undefined) => void
  change: (part: Partial<Draft>) => void
  onProblems: (problems: Record<string, string>) => void
}

function settingOf(all: AllSettings, key: string): Setting | undefined {
  return all.settings.find((one) => keyOf(one) === key)
}

function textOf({ all, draft }: Pick<StepProps, 'all' | 'draft'>, key: string): string {
  const typed = draft.values[key]
  return String((typed === undefined ? settingOf(all, key)?.value : typed) ?? '')
}

function zones(present: string): string[] {
  return [...new Set([present, ...Intl.supportedValuesOf('timeZone'), 'UTC'])].filter(Boolean)
}

function BotStep(props: StepProps): ReactNode {
  const words = useWords().setup
  const { all, problems, set } = props
  const languages = settingOf(all, 'bot.language')?.value_schema.enum ?? []
  const zone = textOf(props, 'bot.timezone')
  return (
    <>
      <TextInput
        label={words.name}
        description={words.nameHint}
        value={textOf(props, 'bot.name')}
        error={problems['bot.name']}
        maxLength={40}
        onChange={(event) => set('bot.name', event.currentTarget.value)}
      />
      <Select
        label={words.language}
        description={words.languageHint}
        data={languages.map((code) => ({ value: String(code), label: LANGUAGES[String(code)]?.name ?? String(code) }))}
        allowDeselect={false}
        value={textOf(props, 'bot.language')}
        error={problems['bot.language']}
        onChange={(value) => value && set('bot.language', value)}
      />
      <Select
        label={words.zone}
        searchable
        data={zones(zone)}
        allowDeselect={false}
        value={zone}
        error={problems['bot.timezone']}
        onChange={(value) => value && set('bot.timezone', value)}
      />
    </>
  )
}

function ModelStep(props: StepProps): ReactNode {
  const words = useWords().setup
  const { all, draft, problems, set, change, onProblems } = props
  const kind = draft.modelKind
  return (
    <>
      <SegmentedControl
        aria-label={words.modelKind}
        value={kind}
        onChange={(next) => change({ modelKind: next as ModelKind })}
        data={(['none', 'openai', 'other'] as const).map((value) => ({ value, label: words.modelKinds[value] }))}
      />
      {kind === 'other' && (
        <TextInput
          label={words.modelAddress}
          description={words.modelAddressHint}
          placeholder="http://127.0.0.1:11434/v1"
          value={textOf(props, 'model.base_url')}
          error={problems['model.base_url']}
          onChange={(event) => set('model.base_url', event.currentTarget.value.trim())}
        />
      )}
      {kind !== 'none' && (
        <>
          <TextInput
            label={words.modelName}
            value={textOf(props, 'model.name')}
            error={problems['model.name']}
            onChange={(event) => set('model.name', event.currentTarget.value.trim())}
          />
          <PasswordInput
            label={words.modelKey}
            description={words.modelKeyHint}
            aria-invalid={Boolean(problems['model.api_key'])}
            autoComplete="new-password"
            value={String(draft.values['model.api_key'] ?? '')}
            error={problems['model.api_key']}
            onChange={(event) => set('model.api_key', event.currentTarget.value || undefined)}
          />
          <TestButton part="model" values={valuesOfStep('model', all, draft)} label={words.modelTest} onProblems={onProblems} />
        </>
      )}
    </>
  )
}

function SearchStep(props: StepProps): ReactNode {
  const words = useWords().setup
  const { all, draft, problems, set, change, onProblems } = props
  const labelOf = useLabels()
  const setting = settingOf(all, ENGINES[draft.engine] ?? '')
  return (
    <>
      <Select
        label={words.searchEngine}
        allowDeselect={false}
        data={[{ value: '', label: words.searchNone }, ...Object.keys(ENGINES).map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }))]}
        value={draft.engine}
        onChange={(value) => change({ engine: value ?? '' })}
      />
      {setting && (
        <>
          <SettingField
            key={keyOf(setting)}
            setting={setting}
            label={labelOf(setting)}
            typed={draft.values[keyOf(setting)]}
            error={problems[keyOf(setting)]}
            onChange={(value) => set(keyOf(setting), value)}
          />
          <TestButton part="search" values={{ ...valuesOfStep('search', all, draft), 'search.engines': [draft.engine] }} label={words.searchTest} onProblems={onProblems} />
        </>
      )}
    </>
  )
}

function PlatformStep(props: StepProps): ReactNode {
  const words = useWords()
  const { all, draft, problems, set, change, onProblems } = props
  const labelOf = useLabels()
  const [isWhole, setWhole] = useState(false)
  const group = `platforms.${draft.platform}`
  const names: Record<string, string> = words.settings.groups
  const own = all.settings.filter((one) => one.group === group)
  const { required, optional } = PLATFORM_SETTINGS[draft.platform] ?? { required: [], optional: [] }
  const shown = [...required, ...optional]
  const first = shown.flatMap((name) => own.filter((one) => one.name === name))
  const more = own.filter((one) => !shown.includes(one.name))
  return (
    <>
      <Select
        label={words.setup.platform}
        allowDeselect={false}
        data={[
          { value: '', label: words.setup.platformNone },
          ...Object.keys(PLATFORM_SETTINGS).filter((one) => all.platforms.includes(one)).map((value) => ({ value, label: names[`platforms.${value}`] ?? value })),
        ]}
        value={draft.platform}
        onChange={(value) => change({ platform: value ?? '' })}
      />
      {draft.platform && (
        <>
          <div>
            {[...first, ...(isWhole ? more : [])].map((setting) => (
              <SettingField
                key={keyOf(setting)}
                setting={setting}
                label={labelOf(setting)}
                typed={draft.values[keyOf(setting)]}
                error={problems[keyOf(setting)]}
                onChange={(value) => set(keyOf(setting), value)}
              />
            ))}
          </div>
          {more.length > 0 && (
            <Button variant="subtle" color="gray" size="compact-md" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
              {isWhole ? words.setup.less : words.setup.more}
            </Button>
          )}
          <TestButton part={draft.platform} values={valuesOfStep('platform', all, draft)} label={words.setup.platformTest} onProblems={onProblems} />
        </>
      )}
    </>
  )
}

/** The values to save for one step; null or an empty text resets what an earlier choice has stored. */
function valuesOfStep(step: Step, all: AllSettings, { values, modelKind, engine, platform }: Draft): Values {
  const select = (isWanted: (key: string) => boolean) => Object.fromEntries(Object.entries(values).filter(([key]) => isWanted(key)))
  if (step === 'bot') return select((key) => key.startsWith('bot.'))
  if (step === 'search') return engine ? select((key) => key === ENGINES[engine]) : {}
  if (step === 'platform') return platform ? select((key) => key.startsWith(`platforms.${platform}.`)) : {}
  if (step === 'done') return {}
  const model = modelKind === 'none' ? {} : select((key) => key.startsWith('model.'))
  if (modelKind !== 'other') delete model['model.base_url']
  if (modelKind !== 'other' && settingOf(all, 'model.base_url')?.value) model['model.base_url'] = ''
  if (modelKind === 'none' && settingOf(all, 'model.api_key')?.is_set) model['model.api_key'] = null
  return model
}

function isEmpty(all: AllSettings, draft: Draft, key: string): boolean {
  const typed = draft.values[key]
  const setting = settingOf(all, key)
  const value = typed === undefined ? (setting?.is_secret ? setting.is_set : setting?.value) : typed
  return !value || (Array.isArray(value) && !value.length)
}

/** Return the keys of required settings of one step that are empty. */
function findEmptySettings(step: Step, all: AllSettings, draft: Draft): string[] {
  const required: Record<Step, string[]> = {
    bot: ['bot.name'],
    model: { none: [], openai: ['model.api_key', 'model.name'], other: ['model.base_url', 'model.name'] }[draft.modelKind],
    search: draft.engine ? [ENGINES[draft.engine] ?? ''] : [],
    platform: (PLATFORM_SETTINGS[draft.platform]?.required ?? []).map((name) => `platforms.${draft.platform}.${name}`),
    done: [],
  }
  return required[step].filter((key) => settingOf(all, key)?.is_editable && isEmpty(all, draft, key))
}

/** Return the values of all steps that differ from the stored ones. */
function findChanges(all: AllSettings, draft: Draft): Values {
  const values = Object.assign({}, ...STEPS.map((step) => valuesOfStep(step, all, draft))) as Values
  const enabled = settingOf(all, 'platforms.enabled')?.value
  if (draft.platform && Array.isArray(enabled) && !enabled.includes(draft.platform)) values['platforms.enabled'] = [...enabled, draft.platform]
  const isChange = (value: Json, setting?: Setting) => (setting?.is_secret ? value !== null || setting.is_set : value !== setting?.value)
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => settingOf(all, key)?.is_editable !== false && isChange(value, settingOf(all, key))),
  )
}

function Summary({ all, values }: { all: AllSettings; values: Values }): ReactNode {
  const words = useWords()
  const labelOf = useLabels()
  const entries = Object.entries(values)
  const groups: Record<string, string> = words.settings.groups
  const nameOf = (key: string, value: string) => {
    if (key === 'platforms.enabled') return groups[`platforms.${value}`] ?? groups[value] ?? value
    return (key === 'bot.language' && LANGUAGES[value]?.name) || value
  }
  if (!entries.length) return <p className="muted">{words.setup.nothingToSave}</p>
  return (
    <dl className="setup-summary">
      {entries.map(([key, value]) => {
        const setting = settingOf(all, key)
        const named = [value].flat().map((each) => nameOf(key, String(each ?? '')))
        const shown = setting?.is_secret && value !== null ? '••••••' : named.join(', ')
        return (
          <div key={key}>
            <dt>{setting ? labelOf(setting).name : key}</dt>
            <dd dir="auto">{shown || words.settings.none}</dd>
          </div>
        )
      })}
    </dl>
  )
}

function stepOfKey(key: string): Step {
  if (key.startsWith('model.')) return 'model'
  if (key.startsWith('search.')) return 'search'
  return key.startsWith('platforms.') ? 'platform' : 'bot'
}

function begin(all: AllSettings, language: string): Draft {
  const zone = settingOf(all, 'bot.timezone')
  const proposed: Values = zone?.is_editable && !zone.value ? { 'bot.timezone': Intl.DateTimeFormat().resolvedOptions().timeZone } : {}
  const own = settingOf(all, 'bot.language')
  if (own?.origin === 'default' && own.is_editable && own.value_schema.enum?.includes(language)) proposed['bot.language'] = language
  const hasServer = Boolean(settingOf(all, 'model.base_url')?.value)
  const hasKey = settingOf(all, 'model.api_key')?.is_set
  return { values: proposed, modelKind: hasServer ? 'other' : hasKey ? 'openai' : 'none', engine: '', platform: '' }
}

const FIELDS = { bot: BotStep, model: ModelStep, search: SearchStep, platform: PlatformStep }
const LEADS = { bot: 'botLead', model: 'modelLead', search: 'searchLead', platform: 'platformLead', done: 'doneLead' } as const

function Ready({ name }: { name: string }): ReactNode {
  const words = useWords().setup
  const [, go] = useLocation()
  return (
    <section className="card setup" data-setup="ready">
      <h2 className="ready" tabIndex={-1} ref={(heading) => heading?.focus()}>
        <IconCircleCheck size={24} aria-hidden="true" /> {fill(words.ready, { name })}
      </h2>
      <p>{words.readyLead}</p>
      <div className="setup-actions">
        <Button onClick={() => go('/')}>{words.open}</Button>
        <Button variant="default" onClick={() => go('/settings')}>
          {words.toSettings}
        </Button>
      </div>
    </section>
  )
}

function Wizard({ all }: { all: AllSettings }): ReactNode {
  const words = useWords()
  const save = useSave()
  const language = useLanguage((state) => state.language)
  const [draft, setDraft] = useState(() => begin(all, language))
  const [step, setStep] = useState<Step>('bot')
  const [tested, setTested] = useState<Record<string, string>>({})
  const [isReady, setReady] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const hasMoved = useRef(false)
  const place = STEPS.indexOf(step)
  const values = findChanges(all, draft)
  useEffect(() => {
    if (hasMoved.current) heading.current?.focus()
    hasMoved.current = true
  }, [step])
  if (isReady) return <Ready name={textOf({ all, draft }, 'bot.name')} />
  const move = (by: number) => setStep(STEPS[place + by] ?? step)
  const finish = async () => {
    if (!Object.keys(values).length || (await save.save(values))) setReady(true)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const empty = findEmptySettings(step, all, draft)
    const form = event.currentTarget
    if (step === 'done') void finish()
    else if (!empty.length) move(1)
    else {
      setTested(Object.fromEntries(empty.map((key) => [key, words.tools.required])))
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
    }
  }
  const set = (key: string, value: Json | undefined) => {
    save.forgive(key)
    setTested(({ [key]: _, ...others }) => others)
    setDraft((before) => {
      const { [key]: _, ...others } = before.values
      return { ...before, values: value === undefined ? others : { ...others, [key]: value } }
    })
  }
  const Fields = step === 'done' ? null : FIELDS[step]
  const faulty = Object.keys(save.problems)[0]
  return (
    <form className="card setup" onSubmit={submit} noValidate data-setup={step}>
      <p className="muted">{words.setup.lead}</p>
      <ol className="setup-progress" aria-label={fill(words.setup.step, { n: place + 1, all: STEPS.length })}>
        {STEPS.map((one, index) => (
          <li key={one} data-reached={index <= place || undefined} aria-current={one === step ? 'step' : undefined}>
            <span>{words.setup.steps[one]}</span>
          </li>
        ))}
      </ol>
      <h2 ref={heading} tabIndex={-1}>
        {words.setup[LEADS[step]]}
      </h2>
      <div className="setup-fields">
        {Fields ? (
          <Fields
            all={all}
            draft={draft}
            problems={{ ...tested, ...save.problems }}
            set={set}
            change={(part) => {
              setTested({})
              setDraft((before) => ({ ...before, ...part }))
            }}
            onProblems={setTested}
          />
        ) : (
          <Summary all={all} values={values} />
        )}
      </div>
      <div role="status" className={save.notice?.isProblem ? 'problem' : 'muted'}>
        {save.isBusy ? words.settings.applying : save.notice?.text}
        {faulty && !save.isBusy && (
          <Button variant="subtle" size="compact-md" onClick={() => setStep(stepOfKey(faulty))}>
            {words.setup.steps[stepOfKey(faulty)]}
          </Button>
        )}
      </div>
      <div className="setup-actions">
        <Link href="/" className="skip-setup">
          {words.setup.skip}
        </Link>
        <span className="space" />
        {place > 0 && (
          <Button variant="default" onClick={() => move(-1)} disabled={save.isBusy}>
            {words.setup.back}
          </Button>
        )}
        <Button type="submit" loading={save.isBusy}>
          {step === 'done' ? words.setup.finish : words.setup.next}
        </Button>
      </div>
    </form>
  )
}

/** The first set-up: name, model, search and one platform, each of which can be tried before it is saved. */
export function Setup(): ReactNode {
  const words = useWords().setup
  const settings = useQuery({ queryKey: SETTINGS_KEY, queryFn: fetchSettings })
  return (
    <Page title={words.title}>
      <Answer query={settings}>{(all) => <Wizard all={all} />}</Answer>
    </Page>
  )
}
