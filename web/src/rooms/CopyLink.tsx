import { ActionIcon } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconLink } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useWords } from '../language/language'
import { linkTo } from './api'

/** Copies the link to a room; where browsers have no clipboard, it is shown to be copied. */
export function CopyLink({ room }: { room: string }): ReactNode {
  const words = useWords()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(linkTo(room))
      notifications.show({ message: words.rooms.linkCopied, autoClose: 2500, withCloseButton: false })
    } catch {
      window.prompt(words.rooms.linkTitle, linkTo(room))
    }
  }
  return (
    <ActionIcon variant="subtle" color="gray" size={36} aria-label={words.rooms.link} onClick={() => void copy()}>
      <IconLink size={19} />
    </ActionIcon>
  )
}
