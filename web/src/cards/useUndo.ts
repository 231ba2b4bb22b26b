/** Take a change back: the change of one button, whatever was changed since. */

import { useState } from 'react'
import { useWords } from '../language/language'
import { undoChange } from '../reminders/api'
import { useViewpoint } from '../reminders/useReminderActions'
import { complain } from '../room/alerts'

export function useUndo(): { undo: (changeId: string) => void; isBusy: boolean } {
  const words = useWords()
  const viewpoint = useViewpoint()
  const [isBusy, setBusy] = useState(false)
  const undo = async (changeId: string) => {
    setBusy(true)
    try {
      await undoChange(viewpoint, changeId)
    } catch (error) {
      complain(error instanceof Error ? error.message : words.notLoaded)
    } finally {
      setBusy(false)
    }
  }
  return { undo: (changeId) => void undo(changeId), isBusy }
}
