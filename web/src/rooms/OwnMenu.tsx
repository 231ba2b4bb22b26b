import { Button, Menu, Modal, TextInput } from '@mantine/core'
import { IconLogout, IconPencil } from '@tabler/icons-react'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { complain } from '../room/alerts'
import { useNotices } from '../room/notices'
import { useRoom } from '../room/store'
import { useDensity } from '../theme/theme'
import { OwnMenuButton } from './OwnMenuButton'

function Rename({ onDone }: { onDone: () => void }): ReactNode {
  const words = useWords()
  const identity = useRoom((state) => state.identity)
  const [name, setName] = useState(identity?.name ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!identity || !name.trim()) return
    if (name.trim() !== identity.name) useRoom.getState().enter({ ...identity, name: name.trim() })
    onDone()
  }
  return (
    <form onSubmit={submit}>
      <TextInput label={words.rooms.yourName} value={name} maxLength={40} data-autofocus onChange={(event) => setName(event.currentTarget.value)} />
      <Button type="submit" mt="md" disabled={!name.trim()}>
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
  const [isRenaming, setRenaming] = useState(false)
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
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setRenaming(true)}>
            {words.rooms.rename}
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
      <Modal opened={isRenaming} onClose={() => setRenaming(false)} title={words.rooms.rename} closeButtonProps={{ 'aria-label': words.close }}>
        <Rename onDone={() => setRenaming(false)} />
      </Modal>
    </>
  )
}
