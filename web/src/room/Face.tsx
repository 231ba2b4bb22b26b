import { IconRobot } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { faceColour, initialOf } from '../theme/people'
import type { Author } from '../wire/frames'

/** A member's picture: people are circles, the bot is a square. */
export function Face({ who, size = 34 }: { who: Author; size?: number }): ReactNode {
  if (who.kind === 'bot') {
    return (
      <span className="face face-bot" style={{ width: size, height: size }} aria-hidden="true">
        <IconRobot size={Math.round(size * 0.6)} stroke={1.6} />
      </span>
    )
  }
  return (
    <span className="face" style={{ width: size, height: size, background: faceColour(who.name) }} aria-hidden="true">
      {initialOf(who.name)}
    </span>
  )
}

/** Everybody who is here, overlapping; the count is said to screen readers. */
export function Facepile({ members, label }: { members: Author[]; label: string }): ReactNode {
  return (
    <span className="facepile" role="img" aria-label={`${label}: ${members.map((member) => member.name).join(', ')}`}>
      {members.slice(0, 7).map((member) => (
        <span key={member.id} className="facepile-one" data-bot={member.kind === 'bot' || undefined}>
          <Face who={member} size={26} />
        </span>
      ))}
      {members.length > 7 && <span className="facepile-more">+{members.length - 7}</span>}
    </span>
  )
}
