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

/** A component that is loaded when it is first shown, and a function that loads it before; its failure is shown later. */
type Lazy<Props extends object> = ComponentType<Props> & { preload: () => Promise<void> }

/** Make a component that is loaded when it is first shown; where that fails, it says so and offers to try again.
 *
 * `Frame` is around it while it loads and after a failure. `React.lazy` keeps a rejected promise for ever, so each
 * attempt is a lazy component of its own; one that is loaded is shown without it, which would show `Frame` first.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Frame: ComponentType<{ children: ReactNode }> = Fragment,
): Lazy<Props> {
  let hasFailed = false
  let loaded: ComponentType<Props> | null = null
  const preload = async () => {
    try {
      loaded ??= await load()
    } catch {
      hasFailed = true
    }
  }
  const begin = () => {
    hasFailed = false
    return lazy(async () => {
      try {
        loaded ??= await load()
        return { default: loaded }
      } catch (error) {
        hasFailed = true
        throw error
      }
    }) as unknown as ComponentType<Props>
  }
  let current = begin()
  function LazyPart(props: Props): ReactNode {
    const [{ attempt, Loaded }, setShown] = useState(() => {
      if (hasFailed) current = begin()
      return { attempt: 0, Loaded: loaded ?? current }
    })
    const retry = () => {
      current = begin()
      setShown({ attempt: attempt + 1, Loaded: current })
    }
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
  return Object.assign(LazyPart, { preload })
}
