import { Button, TextInput } from '@mantine/core'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { isRoomName } from '../wire/identity'

/** A typed name as that of a room: without the mark before it, and with dashes for spaces. */
function roomNamed(name: string): string {
  return name.trim().replace(/^#\s*/, '').replace(/\s+/g, '-')
}

/** Asks for the name of a new room. */
export function NewRoom({ onOpen, onCancel }: { onOpen: (room: string) => void; onCancel: () => void }): ReactNode {
  const words = useWords()
  const [name, setName] = useState('')
  const [isTried, setTried] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (isRoomName(roomNamed(name))) onOpen(roomNamed(name))
  }
  return (
    <form className="new-room" onSubmit={submit} onKeyDown={(event) => event.key === 'Escape' && onCancel()} noValidate>
      <TextInput
        label={words.rooms.name}
        value={name}
        maxLength={64}
        autoFocus
        onChange={(event) => setName(event.currentTarget.value)}
        error={isTried && !isRoomName(roomNamed(name)) && words.rooms.nameWrong}
      />
      <Button type="submit" size="compact-md" mt={8}>
        {words.rooms.open}
      </Button>
    </form>
  )
}
