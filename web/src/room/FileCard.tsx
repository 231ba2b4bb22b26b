import { Button } from '@mantine/core'
import { IconDownload, IconEye, IconEyeOff, IconFile, IconFileText, IconFileZip, IconMusic, IconVideo } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import type { Attachment } from '../wire/frames'
import { isOurs, linkable, SafeLink } from './links'

const TEXTS = new Set(['txt', 'md', 'csv', 'tsv', 'json', 'log', 'toml', 'yaml', 'yml', 'ini', 'ics', 'py'])
const ICONS: Record<string, typeof IconFile> = {
  zip: IconFileZip, gz: IconFileZip, mp3: IconMusic, ogg: IconMusic, wav: IconMusic, mp4: IconVideo, webm: IconVideo,
}
const PREVIEW = 2000

function endingOf(name: string): string {
  return /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
}

/** A file with its name, a way to get it, and for text its beginning. */
export function FileCard({ file }: { file: Attachment }): ReactNode {
  const words = useWords()
  const [text, setText] = useState<string | null>(null)
  const [hasFailed, setFailed] = useState(false)
  const name = file.description || file.url || ''
  const ending = endingOf(name)
  const Icon = TEXTS.has(ending) ? IconFileText : (ICONS[ending] ?? IconFile)
  const url = linkable(file.url)
  const hasPreview = TEXTS.has(ending) && !!url && isOurs(url)
  const toggle = async () => {
    if (text !== null) {
      setText(null)
      return
    }
    try {
      const response = await fetch(url as string)
      if (!response.ok) throw new Error(response.statusText)
      const whole = await response.text()
      setText(whole.length > PREVIEW ? `${whole.slice(0, PREVIEW)}…` : whole)
      setFailed(false)
    } catch {
      setFailed(true)
    }
  }
  return (
    <span className="file-card" data-file={ending}>
      <span className="file-line">
        <Icon size={22} stroke={1.6} aria-hidden="true" />
        <SafeLink className="file" href={file.url}>
          <bdi>{name}</bdi>
        </SafeLink>
        <span className="muted mono">{ending.toUpperCase()}</span>
        {hasPreview && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            aria-expanded={text !== null}
            leftSection={text === null ? <IconEye size={15} /> : <IconEyeOff size={15} />}
            onClick={() => void toggle()}
          >
            {text === null ? words.message.preview : words.message.hidePreview}
          </Button>
        )}
        {url && isOurs(url) && (
          <a className="file-get" href={url} download={name} aria-label={fill(words.message.download, { name })}>
            <IconDownload size={17} aria-hidden="true" />
          </a>
        )}
      </span>
      {hasFailed && <span role="alert">{words.notLoaded}</span>}
      {text !== null && (
        <pre className="block mono" tabIndex={0} role="group" aria-label={name}>
          {text}
        </pre>
      )}
    </span>
  )
}
