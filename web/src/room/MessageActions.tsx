import { ActionIcon, Menu, Popover } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconArrowBackUp, IconCopy, IconDots, IconMoodSmile, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import type { Message } from '../wire/frames'
import { lazyPart } from '../shell/lazyPart'
import { wordsOf } from '../cards/answer'
import { useRoom } from './store'

const EmojiPicker = lazyPart(() => import('../emoji/EmojiPicker').then((module) => module.EmojiPicker))

export const EMOJI = ['👍', '❤️', '😂', '🎉', '👀', '✅']

/** What can be done with a message: shown on hover, focus and long press. */
export function MessageActions({ message, isMine }: { message: Message; isMine: boolean }): ReactNode {
  const words = useWords()
  const { react, startReply, startEdit, remove } = useRoom.getState()
  const [isPicking, setPicking] = useState(false)
  const [isMore, setMore] = useState(false)
  const setOpen = (isOpen: boolean) => {
    setPicking(isOpen)
    setMore(false)
  }
  const pick = (emoji: string) => {
    react(message.id, emoji)
    setOpen(false)
  }
  // Browsers have a clipboard for pages of this machine and for those with a certificate only.
  const copy = async () => {
    await navigator.clipboard.writeText(wordsOf(message))
    notifications.show({ message: words.copied, autoClose: 2500, withCloseButton: false })
  }
  return (
    <div className="actions" data-open={isPicking || undefined}>
      <Popover opened={isPicking} onChange={setOpen} position="top" withinPortal trapFocus returnFocus>
        <Popover.Target>
          <ActionIcon
            variant="default"
            size={36}
            data-react
            aria-label={words.room.react}
            onClick={() => setOpen(!isPicking)}
          >
            <IconMoodSmile size={17} />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown p={4} aria-label={words.room.react}>
          {isMore ? (
            <EmojiPicker onPick={pick} />
          ) : (
            <>
              {EMOJI.map((emoji) => (
                <ActionIcon key={emoji} variant="subtle" color="gray" size={36} aria-label={fill(words.room.reactWith, { emoji })} onClick={() => pick(emoji)}>
                  {emoji}
                </ActionIcon>
              ))}
              <ActionIcon variant="subtle" color="gray" size={36} aria-label={words.emoji.more} onClick={() => setMore(true)}>
                <IconPlus size={17} />
              </ActionIcon>
            </>
          )}
        </Popover.Dropdown>
      </Popover>
      <ActionIcon variant="default" size={36} aria-label={words.room.reply} onClick={() => startReply(message.id)}>
        <IconArrowBackUp size={17} />
      </ActionIcon>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={words.room.actions}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isMine && (
            <Menu.Item leftSection={<IconPencil size={15} />} onClick={() => startEdit(message.id)}>
              {words.room.edit}
            </Menu.Item>
          )}
          {navigator.clipboard && (
            <Menu.Item leftSection={<IconCopy size={15} />} onClick={() => void copy()}>
              {words.room.copyText}
            </Menu.Item>
          )}
          {isMine && (
            <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={() => remove(message.id)}>
              {words.room.remove}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}
