import { IconFile } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import type { Attachment } from '../wire/frames'
import { SafeLink } from './links'

function isOurs(url: string): boolean {
  return (url.startsWith('/') && !url.startsWith('//')) || url.startsWith('data:image/')
}

/** Pictures of our own shown, everything else as a link: nothing is fetched from elsewhere. */
export function Pictures({ attachments }: { attachments?: Attachment[] }): ReactNode {
  const words = useWords()
  if (!attachments?.length) return null
  return (
    <span className="pictures">
      {attachments.map((one, at) =>
        one.kind === 'image' && one.url && isOurs(one.url) ? (
          <a key={at} href={one.url} target="_blank" rel="noopener noreferrer" aria-label={fill(words.room.image, { name: one.description })}>
            <img className="picture" src={one.url} alt={one.description} loading="lazy" />
          </a>
        ) : (
          <SafeLink key={at} className="file" href={one.url}>
            <IconFile size={16} aria-hidden="true" /> <bdi>{one.description || one.url}</bdi>
          </SafeLink>
        ),
      )}
    </span>
  )
}
