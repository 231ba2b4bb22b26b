import type { ComponentPropsWithRef, ReactNode } from 'react'
import { useWords } from '../language/language'
import { Face } from '../room/Face'
import { useRoom } from '../room/store'
import { loadedOnPress } from '../shell/loadedLater'

/** The button of one's own menu. */
export function OwnMenuButton(props: ComponentPropsWithRef<'button'>): ReactNode {
  const words = useWords()
  const name = useRoom((state) => state.identity?.name ?? '')
  return (
    <button type="button" aria-haspopup="menu" {...props} className="own-menu" aria-label={`${words.rooms.me}: ${name}`}>
      <Face who={{ id: '', name, kind: 'person' }} size={30} />
    </button>
  )
}

export const OwnMenu = loadedOnPress(
  () => import('./OwnMenu').then((module) => module.OwnMenu),
  ({ onPress }) => <OwnMenuButton onClick={onPress} />,
)
