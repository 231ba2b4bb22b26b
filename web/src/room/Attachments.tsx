import { ActionIcon, Loader } from '@mantine/core'
import { IconAlertTriangle, IconFile, IconPaperclip, IconPhoto, IconX } from '@tabler/icons-react'
import { useRef, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import type { Attached } from './attaching'

function State({ one }: { one: Attached }): ReactNode {
  if (one.problem) return <IconAlertTriangle size={16} aria-hidden="true" />
  if (!one.kept) return <Loader size={14} aria-hidden="true" />
  return one.kept.kind === 'image' ? <IconPhoto size={16} aria-hidden="true" /> : <IconFile size={16} aria-hidden="true" />
}

/** What will go with the message, each with a way to leave it out. */
export function AttachedFiles({ files, onRemove }: { files: Attached[]; onRemove: (id: string) => void }): ReactNode {
  const words = useWords()
  if (!files.length) return null
  return (
    <ul className="attached" aria-label={words.composer.files}>
      {files.map((one) => (
        <li key={one.id} data-attached={one.problem ? 'failed' : one.kept ? 'ready' : 'sending'}>
          <State one={one} />
          <span className="attached-name">{one.name}</span>
          {one.problem && (
            <span className="over" role="alert">
              {one.problem}
            </span>
          )}
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={fill(words.composer.leaveOut, { name: one.name })} onClick={() => onRemove(one.id)}>
            <IconX size={16} />
          </ActionIcon>
        </li>
      ))}
    </ul>
  )
}

/** Chooses files of this computer. */
export function AttachButton({ types, onFiles }: { types: string[]; onFiles: (files: Iterable<File>) => void }): ReactNode {
  const words = useWords()
  const field = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        accept={types.map((type) => `.${type}`).join(',')}
        onChange={(event) => {
          onFiles(event.target.files ?? [])
          event.target.value = ''
        }}
      />
      <button type="button" className="attach" aria-label={words.composer.attach} title={words.composer.attach} onClick={() => field.current?.click()}>
        <IconPaperclip size={20} aria-hidden="true" />
      </button>
    </>
  )
}
