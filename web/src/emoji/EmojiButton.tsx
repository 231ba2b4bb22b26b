import { IconMoodSmile } from '@tabler/icons-react'
import type { ComponentPropsWithRef, ReactNode } from 'react'
import { useWords } from '../language/language'
import { loadedOnPress } from '../shell/loadedLater'

/** The button of the emoji. */
export function EmojiButton(props: ComponentPropsWithRef<'button'>): ReactNode {
  const words = useWords()
  return (
    <button type="button" aria-haspopup="dialog" {...props} className="attach" aria-label={words.emoji.title} title={words.emoji.title}>
      <IconMoodSmile size={20} aria-hidden="true" />
    </button>
  )
}

export const EmojiMenu = loadedOnPress<{ onPick: (emoji: string) => void }>(
  () => import('./EmojiMenu').then((module) => module.EmojiMenu),
  ({ onPress }) => <EmojiButton onClick={onPress} />,
)
