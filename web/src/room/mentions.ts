/** Finding people in text: "@Ada" and "@bot", longest names first. */

import { useNotices } from './notices'
import { useRoom } from './store'

export interface Piece {
  text: string
  mention: string | null
}

const EVERYONE = ['all', 'everyone', 'here', '所有人', '全体成员']

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** A word as a pattern: not within another one, where the script has spaces between words. */
function wholeWord(word: string): string {
  return UNSPACED.test(word) ? escaped(word) : `(?<![\\p{L}\\p{N}])${escaped(word)}(?![\\p{L}\\p{N}])`
}

/** A name as a pattern: not the beginning of a longer one, "@Ada" in "@Adam", where it ends with a Latin letter. */
function wholeName(name: string): string {
  return /[A-Za-z0-9_]$/.test(name) ? `${escaped(name)}(?![A-Za-z0-9_])` : escaped(name)
}

/** `text` cut at its mentions of `names`, and at the words of one's own; "@all" and its kin count as everybody. */
export function cutAtMentions(text: string, names: readonly string[], ownWords = ''): Piece[] {
  if (!text.includes('@') && !ownWords) return [{ text, mention: null }]
  const known = [...names, ...EVERYONE].filter(Boolean).sort((a, b) => b.length - a.length)
  const words = ownWords ? ownWords.split('\n').map(wholeWord) : []
  const pattern = new RegExp([`(?<![A-Za-z0-9_])@(${known.map(wholeName).join('|')})`, ...words].join('|'), 'giu')
  const pieces: Piece[] = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), mention: null })
    pieces.push({ text: match[0], mention: match[1] ?? match[0] })
    from = match.index + match[0].length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), mention: null })
  return pieces
}

export function meansMe(mention: string, me: string, ownWords = ''): boolean {
  const said = mention.toLowerCase()
  return said === me.toLowerCase() || EVERYONE.includes(said) || ownWords.toLowerCase().split('\n').includes(said)
}

/** The names that may be mentioned here, one a line, the name of the person of this tab, and their own words. */
export function useNames(): [string, string, string] {
  const names = useRoom((room) => [...room.members.map((member) => member.name), room.bot].join('\n'))
  const me = useRoom((room) => room.me.name)
  return [names, me, useNotices((state) => state.ownWords)]
}
