import { Button, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { useRoom } from '../room/store'

/** Open this room once more as another person. */
export function SecondTab({ onDone }: { onDone: () => void }): ReactNode {
  const words = useWords()
  const room = useRoom((state) => state.identity?.room ?? '')
  const [name, setName] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!name.trim()) return
        window.open(`/?${new URLSearchParams({ as: name.trim(), room })}`, '_blank', 'noopener')
        onDone()
      }}
    >
      <TextInput label={words.join.name} value={name} onChange={(event) => setName(event.currentTarget.value)} data-autofocus maxLength={40} />
      <Button type="submit" mt="md" disabled={!name.trim()}>
        {words.join.enter}
      </Button>
    </form>
  )
}
