import { memo, type ReactNode } from 'react'
import { SafeLink } from './links'
import { cutAtMentions, meansMe, useNames } from './mentions'

const LINK = /(https?:\/\/[^\s<>"'）】」]+[^\s<>"'）】」.,;:!?，。；：！？])/u

/** Text with its mentions and links, exactly as written. */
export function Linked({ text }: { text: string }): ReactNode {
  const [names, me, ownWords] = useNames()
  return text.split(LINK).map((part, at) =>
    at % 2 ? (
      <SafeLink key={at} href={part}>
        {part}
      </SafeLink>
    ) : (
      cutAtMentions(part, names.split('\n'), ownWords).map((piece, index) =>
        piece.mention === null ? (
          piece.text
        ) : (
          <span key={`${at}-${index}`} className="mention" data-me={meansMe(piece.mention, me, ownWords) || undefined}>
            {piece.text}
          </span>
        ),
      )
    ),
  )
}

/** What a person says. */
export const PlainText = memo(function PlainText({ text }: { text: string }): ReactNode {
  return (
    <span className="plain" dir="auto">
      <Linked text={text} />
    </span>
  )
})
