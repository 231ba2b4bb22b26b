import { Center, Loader } from '@mantine/core'
import { Fragment, lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { Crash } from './Crash'
import { ErrorBoundary } from './ErrorBoundary'

function Loading(): ReactNode {
  const words = useWords()
  return (
    <Center h="60%" role="status" aria-label={words.loading}>
      <Loader />
    </Center>
  )
}

/** Make a component that is loaded when it is first shown; where that fails, it says so and offers to try again.
 *
 * `Frame` is around it while it loads and after a failure. `React.lazy` keeps a rejected promise for ever, so each
 * attempt is a lazy component of its own.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Frame: ComponentType<{ children: ReactNode }> = Fragment,
): ComponentType<Props> {
  let hasFailed = false
  const begin = () => {
    hasFailed = false
    return lazy(async () => {
      try {
        return { default: await load() }
      } catch (error) {
        hasFailed = true
        throw error
      }
    }) as unknown as ComponentType<Props>
  }
  let current = begin()
  return function LazyPart(props: Props): ReactNode {
    const [attempt, setAttempt] = useState(() => {
      if (hasFailed) current = begin()
      return 0
    })
    const retry = () => {
      current = begin()
      setAttempt(attempt + 1)
    }
    const Loaded = current
    const failed = (error: unknown) => (
      <Frame>
        <Crash error={error} onRetry={retry} />
      </Frame>
    )
    const loading = (
      <Frame>
        <Loading />
      </Frame>
    )
    return (
      <ErrorBoundary key={attempt} fallback={failed}>
        <Suspense fallback={loading}>
          <Loaded {...props} />
        </Suspense>
      </ErrorBoundary>
    )
  }
}
