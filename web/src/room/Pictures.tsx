import { useState, type MouseEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { lazyPart } from '../shell/lazyPart'
import { loadedLater } from '../shell/loadedLater'
import type { Attachment } from '../wire/frames'
import { isOurs, SafeLink } from './links'

const Lightbox = lazyPart(() => import('./Lightbox').then((module) => module.Lightbox))
const FileCard = loadedLater(() => import('./FileCard').then((module) => module.FileCard), FileLink)

function FileLink({ file }: { file: Attachment }): ReactNode {
  return (
    <SafeLink className="file" href={file.url}>
      <bdi>{file.description || file.url}</bdi>
    </SafeLink>
  )
}

/** Pictures of our own shown, everything else as a card: nothing is fetched from elsewhere. */
export function Pictures({ attachments = [] }: { attachments?: Attachment[] }): ReactNode {
  const words = useWords()
  const [opened, setOpened] = useState<number | null>(null)
  const images = attachments.filter((one) => one.kind === 'image' && one.url && isOurs(one.url))
  const files = attachments.filter((one) => !images.includes(one))
  if (!attachments.length) return null
  const open = (event: MouseEvent, at: number) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    setOpened(at)
  }
  return (
    <span className="pictures">
      {images.map((one, at) => (
        <a
          key={one.url}
          href={one.url ?? ''}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={fill(words.room.image, { name: one.description })}
          onClick={(event) => open(event, at)}
        >
          <img className="picture" src={one.url ?? ''} alt={one.description} loading="lazy" />
        </a>
      ))}
      {files.map((one, at) => (
        <FileCard key={one.url ?? at} file={one} />
      ))}
      {opened !== null && <Lightbox images={images} first={opened} onClose={() => setOpened(null)} />}
    </span>
  )
}
