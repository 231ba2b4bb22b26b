import { ActionIcon } from '@mantine/core'
import { IconSettings } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { loadPageWords, useWords } from '../language/language'
import { lazyPart } from '../shell/lazyPart'

const RoomSettings = lazyPart(async () => (await Promise.all([import('./RoomSettings'), loadPageWords()]))[0].RoomSettings)

/** Opens the settings of a room. */
export function RoomSettingsButton({ room }: { room: string }): ReactNode {
  const words = useWords().rooms
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={words.settings} onClick={() => setOpen(true)}>
        <IconSettings size={19} />
      </ActionIcon>
      {isOpen && <RoomSettings room={room} onClose={() => setOpen(false)} />}
    </>
  )
}
