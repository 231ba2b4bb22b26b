import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../language/language'

// The header of a drawer is none of the page.
const ATTRIBUTES = { header: { role: 'presentation' } }

interface SheetProps {
  isOpen: boolean
  onClose: () => void
  title: string
  position: 'bottom' | 'left'
  size: string | number
  children: ReactNode
}

/** Something that stands beside the room, over it in narrow windows. */
export function Sheet({ isOpen, onClose, title, position, size, children }: SheetProps): ReactNode {
  const words = useWords()
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position={position}
      size={size}
      title={title}
      closeButtonProps={{ 'aria-label': words.close }}
      attributes={ATTRIBUTES}
    >
      {children}
    </Drawer>
  )
}
