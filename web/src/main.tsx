import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import './theme/tokens.css'
import './shell/shell.css'
import './room/room.css'
import './shell/page.css'

import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { App } from './app'
import { loadLanguage } from './language/language'
import { Crash } from './shell/Crash'
import { ErrorBoundary } from './shell/ErrorBoundary'
import { theme, variables } from './theme/theme'
import { Refused } from './wire/rest'

const RETRIES = 2

// Before the first paint, so that a dark room does not flash up light; the policy forbids inline scripts.
const chosen = localStorage.getItem('mantine-color-scheme-value')
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal is an answer; only a bot that is not reached is asked again.
      retry: (count, error) => !(error instanceof Refused) && count < RETRIES,
      refetchOnWindowFocus: false,
      staleTime: 5_000,
    },
  },
})

await loadLanguage()

createRoot(document.getElementById('root') as HTMLElement).render(
  <QueryClientProvider client={queries}>
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <Notifications position="bottom-right" limit={3} containerWidth={296} />
      <ErrorBoundary fallback={(error) => <Crash error={error} />}>
        <App />
      </ErrorBoundary>
    </MantineProvider>
  </QueryClientProvider>,
)
