import { useEffect, type ComponentType, type ReactNode } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { loadPageWords, useWords } from './language/language'
import { useRoom } from './room/store'
import { AfterLoad } from './shell/AfterLoad'
import { Announcer } from './shell/Announcer'
import { Crash } from './shell/Crash'
import { ErrorBoundary } from './shell/ErrorBoundary'
import { lazyPart } from './shell/lazyPart'
import { loadedLater } from './shell/loadedLater'
import { NotFound } from './shell/NotFound'
import { Page } from './shell/Page'
import { PAGES } from './shell/pages'
import { Rail } from './shell/Rail'
import { TabTitle } from './shell/TabTitle'
import { Toasts } from './shell/Toasts'
import { togglePalette } from './shell/TopBar'

type PageKey = (typeof PAGES)[number]['key']

function framed(key: PageKey): (props: { children: ReactNode }) => ReactNode {
  return function Framed({ children }) {
    return <Page title={useWords().nav[key]}>{children}</Page>
  }
}

const Notices = loadedLater(() => import('./shell/Notices').then((module) => module.Notices))
const Palette = loadedLater(async () => (await Promise.all([import('./palette/Palette'), loadPageWords()]))[0].Palette)
export const Join = lazyPart(() => import('./join/Join').then((module) => module.Join))
export const Room = lazyPart(() => import('./room/Room').then((module) => module.Room), framed('chat'))

/** A page with its texts. */
function lazyPage(key: PageKey, load: () => Promise<ComponentType>): ComponentType {
  return lazyPart(async () => (await Promise.all([load(), loadPageWords()]))[0], framed(key))
}

const Reminders = lazyPage('reminders', () => import('./reminders/Reminders').then((module) => module.Reminders))
const Tools = lazyPage('tools', () => import('./tools/Tools').then((module) => module.Tools))
const Activity = lazyPage('activity', () => import('./activity/Activity').then((module) => module.Activity))
const Health = lazyPage('health', () => import('./health/Health').then((module) => module.Health))
const Metrics = lazyPage('metrics', () => import('./metrics/Metrics').then((module) => module.Metrics))
const Settings = lazyPage('settings', () => import('./settings/Settings').then((module) => module.Settings))
const Setup = lazyPage('setup', () => import('./settings/Setup').then((module) => module.Setup))

function Pages({ shown }: { shown: PageKey }): ReactNode {
  const Frame = framed(shown)
  return (
    <ErrorBoundary
      key={shown}
      fallback={(error) => (
        <Frame>
          <Crash error={error} />
        </Frame>
      )}
    >
      <Switch>
        <Route path="/reminders" component={Reminders} />
        <Route path="/tools" component={Tools} />
        <Route path="/activity" component={Activity} />
        <Route path="/health" component={Health} />
        <Route path="/metrics-live" component={Metrics} />
        <Route path="/settings" component={Settings} />
        <Route path="/setup" component={Setup} />
        <Route component={Room} />
      </Switch>
    </ErrorBoundary>
  )
}

export function App(): ReactNode {
  const words = useWords()
  const identity = useRoom((room) => room.identity)
  const [path] = useLocation()
  const page = PAGES.find((one) => one.path === path)
  useEffect(() => {
    // Here and not in the palette, which may not be loaded yet.
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      void togglePalette()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  if (!page) return <NotFound path={path} />
  return (
    <>
      <a className="skip" href="#content">
        {words.skip}
      </a>
      {identity ? (
        <div className="frame">
          <Rail />
          <div className="frame-main">
            <Pages shown={page.key} />
          </div>
          <Toasts />
          <AfterLoad>
            <Palette />
          </AfterLoad>
        </div>
      ) : (
        <Join />
      )}
      <AfterLoad>
        <Notices />
      </AfterLoad>
      <Announcer />
      <TabTitle />
    </>
  )
}
