import { Button, Menu, Modal, TextInput } from '@mantine/core'
import { IconHighlight, IconLogout, IconPencil } from '@tabler/icons-react'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { complain } from '../room/alerts'
import { useNotices } from '../room/notices'
import { useRoom } from '../room/store'
import { useDensity } from '../theme/theme'
import { OwnMenuButton } from './OwnMenuButton'

type Asked = 'name' | 'words'

/** Ask for one's name, or for the words that count as a mention. */
function Question({ asked, onDone }: { asked: Asked; onDone: () => void }): ReactNode {
  const words = useWords()
  const identity = useRoom((state) => state.identity)
  const { ownWords, chooseWords } = useNotices()
  const isName = asked === 'name'
  const [text, setText] = useState(isName ? (identity?.name ?? '') : ownWords.replaceAll('\n', ', '))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isName) chooseWords(text)
    else if (identity && text.trim() !== identity.name) useRoom.getState().enter({ ...identity, name: text.trim() })
    onDone()
  }
  return (
    <form onSubmit={submit}>
      <TextInput
        label={isName ? words.rooms.yourName : words.rooms.ownWords}
        description={isName ? undefined : words.rooms.ownWordsHint}
        value={text}
        maxLength={isName ? 40 : 400}
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" mt="md" disabled={isName && !text.trim()}>
        {words.save}
      </Button>
    </form>
  )
}

/** One's own name, and how one is told of mentions and reminders. */
export function OwnMenu(): ReactNode {
  const words = useWords()
  const name = useRoom((state) => state.identity?.name ?? '')
  const { isNotifying, isLoud, notify, makeLoud } = useNotices()
  const { density, choose } = useDensity()
  const [asked, ask] = useState<Asked | null>(null)
  // Browsers let a page ask only because of a click.
  const flip = async () => {
    if (!(await notify(!isNotifying))) complain(words.rooms.notificationsBlocked)
  }
  return (
    <>
      <Menu position="bottom-end" withinPortal portalProps={{ target: '.top' }} classNames={{ itemIndicator: 'own-mark' }} defaultOpened>
        <Menu.Target>
          <OwnMenuButton />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{name}</Menu.Label>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => ask('name')}>
            {words.rooms.rename}
          </Menu.Item>
          <Menu.Item leftSection={<IconHighlight size={16} />} onClick={() => ask('words')}>
            {words.rooms.ownWords}
          </Menu.Item>
          <Menu.CheckboxItem checked={isNotifying} onChange={() => void flip()}>
            {words.rooms.notifications}
          </Menu.CheckboxItem>
          <Menu.CheckboxItem checked={isLoud} onChange={makeLoud}>
            {words.rooms.sound}
          </Menu.CheckboxItem>
          <Menu.CheckboxItem checked={density === 'compact'} onChange={(on) => choose(on ? 'compact' : 'comfortable')}>
            {words.rooms.compact}
          </Menu.CheckboxItem>
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => useRoom.getState().leave()}>
            {words.rooms.leave}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={asked !== null} onClose={() => ask(null)} title={asked === 'words' ? words.rooms.ownWords : words.rooms.rename} closeButtonProps={{ 'aria-label': words.close }}>
        {asked && <Question asked={asked} onDone={() => ask(null)} />}
      </Modal>
    </>
  )
}
