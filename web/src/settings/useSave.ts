import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import { Refused } from '../wire/rest'
import { fetchSettings, saveSettings, untilApplied, type Saved, type Values } from './api'

export interface Notice {
  isProblem: boolean
  text: string
}

export interface Save {
  isBusy: boolean
  problems: Record<string, string>
  notice: Notice | null
  /** Save new values; true where the bot has taken them. */
  save: (values: Values) => Promise<boolean>
  /** Do anything that changes settings, such as an undo. */
  run: (change: () => Promise<Saved>) => Promise<boolean>
  forgive: (key: string) => void
}

/** Save settings, wait until the bot has taken them over, and tell how that went. */
export function useSave(): Save {
  const words = useWords().settings
  const notLoaded = useWords().notLoaded
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [notice, setNotice] = useState<Notice | null>(null)

  const outcome = async (change: () => Promise<Saved>): Promise<Notice> => {
    const before = await fetchSettings()
    const saved = await change()
    if (!saved.is_applied) return { isProblem: false, text: fill(words.savedRestart, { keys: saved.restart.join(', ') }) }
    const now = await untilApplied(before.started_at)
    if (!now) return { isProblem: false, text: words.slow }
    if (now.problem) return { isProblem: true, text: fill(words.rejected, { why: now.problem }) }
    if (saved.restart.length) return { isProblem: false, text: fill(words.savedRestart, { keys: saved.restart.join(', ') }) }
    return { isProblem: false, text: words.saved }
  }
  const run = async (change: () => Promise<Saved>) => {
    setBusy(true)
    setNotice(null)
    setProblems({})
    try {
      const told = await outcome(change)
      setNotice(told)
      return !told.isProblem
    } catch (error) {
      if (error instanceof Refused) setProblems(error.fields)
      setNotice({ isProblem: true, text: error instanceof Error ? error.message : notLoaded })
      return false
    } finally {
      setBusy(false)
      await queries.invalidateQueries()
    }
  }
  const forgive = (key: string) => setProblems(({ [key]: _, ...others }) => others)
  return { isBusy, problems, notice, save: (values) => run(() => saveSettings(values)), run, forgive }
}
