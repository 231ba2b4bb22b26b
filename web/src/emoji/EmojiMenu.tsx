import { Popover } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { EmojiButton } from './EmojiButton'
import { EmojiPicker } from './EmojiPicker'

/** A button with the emoji over it. */
export function EmojiMenu({ onPick }: { onPick: (emoji: string) => void }): ReactNode {
  const words = useWords()
  const [isOpen, setOpen] = useState(true)
  const pick = (emoji: string) => {
    setOpen(false)
    onPick(emoji)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="top-end" withinPortal trapFocus returnFocus>
      <Popover.Target>
        <EmojiButton onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown p={8} aria-label={words.emoji.title}>
        <EmojiPicker onPick={pick} />
      </Popover.Dropdown>
    </Popover>
  )
}
