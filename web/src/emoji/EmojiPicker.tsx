import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { useLanguage, useWords } from '../language/language'
import { Answer } from '../shell/Answer'
import { isComposing } from '../shell/keys'
import { loadEmoji, noteEmoji, recentEmoji, type Emoji } from './data'
import './emoji.css'

const MAX_FOUND = 64

function Group({ name, emoji, onPick }: { name: string; emoji: Emoji[]; onPick: (emoji: string) => void }): ReactNode {
  if (!emoji.length) return null
  return (
    <section>
      <h3 className="emoji-group">{name}</h3>
      <div className="emoji-grid">
        {emoji.map(([one, , label]) => (
          <button key={one} type="button" className="emoji-one" aria-label={label} title={label} onClick={() => onPick(one)}>
            {one}
          </button>
        ))}
      </div>
    </section>
  )
}

function found(emoji: Emoji[], wanted: string): Emoji[] {
  const parts = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  return emoji.filter(([, , label, tags]) => parts.every((part) => `${label} ${tags}`.toLowerCase().includes(part))).slice(0, MAX_FOUND)
}

/** Move the focus among the emoji with the arrows; Enter in the search picks the first one found. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const box = event.currentTarget
  const all = [...box.querySelectorAll<HTMLButtonElement>('.emoji-one')]
  const grid = all[0]?.parentElement
  if (!grid || isComposing(event)) return
  const columns = getComputedStyle(grid).gridTemplateColumns.split(' ').length
  const at = all.findIndex((one) => one === document.activeElement)
  const search = box.querySelector('input')
  const isSearching = document.activeElement === search
  if (event.key === 'Enter' && isSearching && search?.value.trim()) all[0]?.click()
  else if (event.key === 'ArrowDown' && at < 0) all[0]?.focus()
  else if (event.key === 'ArrowUp' && at >= 0 && at < columns) search?.focus()
  else {
    const step = { ArrowDown: columns, ArrowUp: -columns, ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step || at < 0) return
    all[Math.min(Math.max(at + step, 0), all.length - 1)]?.focus()
  }
  event.preventDefault()
}

/** Every emoji by its group, those used last first, and a search by words. */
export function EmojiPicker({ onPick }: { onPick: (emoji: string) => void }): ReactNode {
  const words = useWords()
  const language = useLanguage((state) => state.language)
  const [wanted, setWanted] = useState('')
  const query = useQuery({ queryKey: ['emoji', language], queryFn: () => loadEmoji(language), staleTime: Infinity })
  const pick = (emoji: string) => {
    noteEmoji(emoji)
    onPick(emoji)
  }
  return (
    <div className="emoji-picker" data-emoji-picker onKeyDown={moveFocus}>
      <TextInput
        data-autofocus
        aria-label={words.emoji.find}
        placeholder={words.emoji.find}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
      />
      <div className="emoji-list" tabIndex={0} role="group" aria-label={words.emoji.title}>
        <Answer query={query}>
          {(all) => {
            if (wanted.trim()) {
              const shown = found(all, wanted)
              return shown.length ? <Group name={words.emoji.title} emoji={shown} onPick={pick} /> : <p className="muted">{words.emoji.nothing}</p>
            }
            const recent = recentEmoji()
            return (
              <>
                <Group name={words.emoji.recent} emoji={all.filter(([one]) => recent.includes(one))} onPick={pick} />
                {Object.entries(words.emoji.groups).map(([group, name]) => (
                  <Group key={group} name={name} emoji={all.filter((one) => one[1] === Number(group))} onPick={pick} />
                ))}
              </>
            )
          }}
        </Answer>
      </div>
    </div>
  )
}
