/** Files on their way into a message: sent at once, so that the message itself is quick. */

import { useState } from 'react'
import { useWords } from '../language/language'
import { fill } from '../language/words'
import type { Attachment } from '../wire/frames'
import { freshId } from '../wire/ids'
import { Refused, upload, withQuery } from '../wire/rest'
import { useRoom } from './store'

export interface Attached {
  id: string
  name: string
  kept: Attachment | null
  problem: string
}

const MAX_FILES = 10

export interface Attaching {
  files: Attached[]
  isSending: boolean
  ready: Attachment[]
  add: (files: Iterable<File>) => void
  remove: (id: string) => void
  clear: () => void
}

/** The files that the next message will have. */
export function useAttaching(): Attaching {
  const words = useWords()
  const [files, setFiles] = useState<Attached[]>([])
  const room = useRoom((state) => state.identity?.room ?? '')
  const maxKilobytes = useRoom((state) => state.maxKilobytes)

  async function send(one: Attached, file: File): Promise<void> {
    const change = (changes: Partial<Attached>) =>
      setFiles((known) => known.map((each) => (each.id === one.id ? { ...each, ...changes } : each)))
    if (file.size > maxKilobytes * 1000) {
      change({ problem: fill(words.composer.fileTooLarge, { kilobytes: maxKilobytes }) })
      return
    }
    try {
      const path = withQuery(`/api/chat/sessions/${encodeURIComponent(room)}/files`, { filename: one.name })
      change({ kept: await upload<Attachment>(path, file) })
    } catch (error) {
      change({ problem: error instanceof Refused ? error.message : words.composer.fileNotSent })
    }
  }

  return {
    files,
    isSending: files.some((one) => !one.kept && !one.problem),
    ready: files.flatMap((one) => (one.kept ? [one.kept] : [])),
    add: (added) => {
      const chosen = [...added].slice(0, MAX_FILES - files.length).map((file) => ({ file, one: { id: freshId(), name: file.name, kept: null, problem: '' } }))
      setFiles((known) => [...known, ...chosen.map(({ one }) => one)])
      for (const { file, one } of chosen) void send(one, file)
    },
    remove: (id) => setFiles((known) => known.filter((one) => one.id !== id)),
    clear: () => setFiles([]),
  }
}
