import '@mantine/core/styles/baseline.layer.css'
import '@mantine/core/styles/default-css-variables.layer.css'
import '@mantine/core/styles/global.layer.css'
import './theme/tokens.css'
import './shell/shell.css'
import './room/room.css'
import './cards/cards.css'
import './shell/page.css'

import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { App, Join, Room } from './app'
import { loadLanguage } from './language/language'
import { Crash } from './shell/Crash'
import { ErrorBoundary } from './shell/ErrorBoundary'
import { useRoom } from './room/store'
import { theme, variables } from './theme/theme'
import { rememberedIdentity } from './wire/identity'
import { Refused } from './wire/rest'

const RETRIES = 2
const HELLO_MS = 100

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

const known = rememberedIdentity()
if (known) {
  useRoom.getState().enter(known)
  // The address of a message ends with its id.
  if (location.hash.length > 1) useRoom.getState().jump(decodeURIComponent(location.hash.slice(1)))
}
function show(): void {
  createRoot(document.getElementById('root') as HTMLElement).render(
    <QueryClientProvider client={queries}>
      <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
        <ErrorBoundary fallback={(error) => <Crash error={error} />}>
          <App />
        </ErrorBoundary>
      </MantineProvider>
    </QueryClientProvider>,
  )
}

/** Wait for the messages of the room, but no longer than a moment: to show the empty room before them is work for nothing. */
function hello(): Promise<void> {
  return new Promise((resolve) => {
    const stop = useRoom.subscribe(({ epoch }) => {
      if (!epoch) return
      stop()
      resolve()
    })
    setTimeout(resolve, HELLO_MS)
  })
}

// Rendered once, when all of it is there; the other pages say themselves that they are loading. Not with `await`, because
// the files of the parts import this one.
void Promise.all([loadLanguage(), !known ? Join.preload() : location.pathname === '/' && Promise.all([Room.preload(), hello()])]).then(show)
