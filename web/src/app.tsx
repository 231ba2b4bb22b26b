import { Center, Loader } from '@mantine/core'
import { lazy, Suspense, useEffect, type ReactNode } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { Join } from './join/Join'
import { useLanguage, useWords } from './language/language'
import { Palette } from './palette/Palette'
import { Room } from './room/Room'
import { useRoom } from './room/store'
import { Announcer, TabTitle } from './shell/Announcer'
import { Page } from './shell/Page'
import { PAGES } from './shell/pages'
import { Rail } from './shell/Rail'
import { Toasts } from './shell/Toasts'
import { rememberedIdentity } from './wire/identity'

const Reminders = lazy(() => import('./reminders/Reminders').then((module) => ({ default: module.Reminders })))
const Tools = lazy(() => import('./tools/Tools').then((module) => ({ default: module.Tools })))
const Activity = lazy(() => import('./activity/Activity').then((module) => ({ default: module.Activity })))
const Health = lazy(() => import('./health/Health').then((module) => ({ default: module.Health })))
const Metrics = lazy(() => import('./metrics/Metrics').then((module) => ({ default: module.Metrics })))

function Pages(): ReactNode {
  const words = useWords()
  const [here] = useLocation()
  const page = PAGES.find(({ path }) => path === here) ?? PAGES[0]
  const loading = (
    <Page title={words.nav[page.key]}>
      <Center h="60%" role="status" aria-label={words.loading}>
        <Loader />
      </Center>
    </Page>
  )
  return (
    <Suspense fallback={loading}>
      <Switch>
        <Route path="/reminders" component={Reminders} />
        <Route path="/tools" component={Tools} />
        <Route path="/activity" component={Activity} />
        <Route path="/health" component={Health} />
        <Route path="/metrics-live" component={Metrics} />
        <Route component={Room} />
      </Switch>
    </Suspense>
  )
}

export function App(): ReactNode {
  const words = useWords()
  const language = useLanguage((state) => state.language)
  const identity = useRoom((room) => room.identity)
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en'
  }, [language])
  useEffect(() => {
    const known = rememberedIdentity()
    if (known) useRoom.getState().enter(known)
  }, [])
  return (
    <>
      <a className="skip" href="#content">
        {words.skip}
      </a>
      {identity ? (
        <div className="frame">
          <Rail />
          <div className="frame-main">
            <Pages />
          </div>
          <Toasts />
          <Palette />
        </div>
      ) : (
        <Join />
      )}
      <Announcer />
      <TabTitle />
    </>
  )
}
