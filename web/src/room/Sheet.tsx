import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../language/language'
import { SidePanel } from './SidePanel'

/** The side panel as a sheet over the room, for narrow windows. */
export function Sheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode {
  const words = useWords()
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="bottom"
      size="72%"
      title={words.panel.title}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      <SidePanel />
    </Drawer>
  )
}
