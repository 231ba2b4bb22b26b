import { Alert, Button, Skeleton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useWords } from '../language/language'
import { canRetry } from '../wire/rest'

interface AnswerProps<T> {
  query: UseQueryResult<T>
  empty?: ReactNode
  isEmpty?: (data: T) => boolean
  children: (data: T) => ReactNode
}

/** What a question to the bot gave: rows of skeletons, the error with a retry, nothing, or the data. */
export function Answer<T>({ query, empty, isEmpty, children }: AnswerProps<T>): ReactNode {
  const words = useWords()
  if (query.isPending) {
    return (
      <div role="status" aria-label={words.loading} className="skeleton-rows">
        {[0, 1, 2, 3, 4].map((row) => (
          <Skeleton key={row} height={44} radius={10} />
        ))}
      </div>
    )
  }
  if (query.isError && query.data === undefined) {
    return (
      <Alert color="red" variant="outline" title={words.notLoaded} role="alert">
        <p>{query.error.message}</p>
        {canRetry(query.error) && (
          <Button size="compact-md" variant="default" onClick={() => void query.refetch()} loading={query.isFetching}>
            {words.retry}
          </Button>
        )}
      </Alert>
    )
  }
  if (query.data === undefined) return null
  return isEmpty?.(query.data) ? empty : children(query.data)
}
