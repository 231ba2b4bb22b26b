import { Popover } from '@mantine/core'
import { useRef, useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { EmojiButton } from './EmojiButton'
import { EmojiPicker } from './EmojiPicker'

/** A button with the emoji over it. */
export function EmojiMenu({ onPick }: { onPick: (emoji: string) => void }): ReactNode {
  const words = useWords()
  const opener = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(true)
  // Not `returnFocus`: it would take the focus from the field that has just got an emoji.
  const change = (opens: boolean) => {
    setOpen(opens)
    if (!opens) opener.current?.focus()
  }
  const pick = (emoji: string) => {
    setOpen(false)
    onPick(emoji)
  }
  return (
    <Popover opened={isOpen} onChange={change} position="top-end" withinPortal trapFocus>
      <Popover.Target>
        <EmojiButton ref={opener} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown p={8} aria-label={words.emoji.title}>
        <EmojiPicker onPick={pick} />
      </Popover.Dropdown>
    </Popover>
  )
}
