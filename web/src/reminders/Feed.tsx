import { Button, CopyButton, Modal, TextInput } from '@mantine/core'
import { IconCalendarShare } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useWords } from '../language/language'
import { makeFeed } from './api'
import { useViewpoint } from './useReminderActions'

/** A secret address under which calendar programs find these reminders; made when it is asked for. */
export function Feed(): ReactNode {
  const words = useWords()
  const viewpoint = useViewpoint()
  const feed = useMutation({ mutationFn: () => makeFeed(viewpoint) })
  return (
    <>
      <Button className="feed" variant="default" leftSection={<IconCalendarShare size={16} />} loading={feed.isPending} onClick={() => feed.mutate()}>
        {words.reminders.feed}
      </Button>
      <Modal
        opened={feed.isSuccess || feed.isError}
        onClose={feed.reset}
        title={words.reminders.feed}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        <TextInput
          readOnly
          label={words.reminders.feed}
          description={words.reminders.feedHint}
          value={feed.data ?? ''}
          error={feed.error?.message}
        />
        <CopyButton value={feed.data ?? ''}>
          {({ copied, copy }) => (
            <Button mt="md" variant="default" disabled={!feed.data} onClick={copy}>
              {copied ? words.copied : words.copy}
            </Button>
          )}
        </CopyButton>
      </Modal>
    </>
  )
}
