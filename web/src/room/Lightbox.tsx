import { ActionIcon, Group, Modal } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconExternalLink } from '@tabler/icons-react'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import type { Attachment } from '../wire/frames'

/** The pictures of a message, one at a time over the whole window; arrow keys turn to the next. */
export function Lightbox({ images, first, onClose }: { images: Attachment[]; first: number; onClose: () => void }): ReactNode {
  const words = useWords()
  const [at, setAt] = useState(first)
  const image = images[at] as Attachment
  const turn = (step: number) => setAt((at + step + images.length) % images.length)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') turn(-1)
    if (event.key === 'ArrowRight') turn(1)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      fullScreen
      title={image.description || words.message.lightbox}
      classNames={{ body: 'lightbox', content: 'lightbox-content' }}
      closeButtonProps={{ 'aria-label': words.close }}
      onKeyDown={onKeyDown}
      data-lightbox
    >
      <img src={image.url ?? ''} alt={image.description} />
      <Group justify="center" gap={8}>
        {images.length > 1 && (
          <ActionIcon variant="default" size={44} aria-label={words.message.previous} onClick={() => turn(-1)}>
            <IconChevronLeft size={20} />
          </ActionIcon>
        )}
        <ActionIcon variant="default" size={44} component="a" href={image.url ?? ''} target="_blank" rel="noopener noreferrer" aria-label={words.message.openImage}>
          <IconExternalLink size={20} />
        </ActionIcon>
        {images.length > 1 && (
          <ActionIcon variant="default" size={44} aria-label={words.message.next} onClick={() => turn(1)}>
            <IconChevronRight size={20} />
          </ActionIcon>
        )}
      </Group>
    </Modal>
  )
}
