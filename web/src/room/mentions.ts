/** Finding people in text: "@Ada" and "@bot", longest names first. */

import { useRoom } from './store'

export interface Piece {
  text: string
  mention: string | null
}

const EVERYONE = ['all', 'everyone', 'here', '所有人', '全体成员']

/** `text` cut at its mentions of `names`; "@all" and its kin count as everybody. */
export function cutAtMentions(text: string, names: readonly string[]): Piece[] {
  if (!text.includes('@')) return [{ text, mention: null }]
  const known = [...names, ...EVERYONE].filter(Boolean).sort((a, b) => b.length - a.length)
  const escaped = known.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`@(${escaped.join('|')})`, 'giu')
  const pieces: Piece[] = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), mention: null })
    pieces.push({ text: match[0], mention: match[1] ?? '' })
    from = match.index + match[0].length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), mention: null })
  return pieces
}

export function meansMe(mention: string, me: string): boolean {
  const said = mention.toLowerCase()
  return said === me.toLowerCase() || EVERYONE.includes(said)
}

/** The names that may be mentioned here, one a line, and the name of the person of this tab. */
export function useNames(): [string, string] {
  const names = useRoom((room) => [...room.members.map((member) => member.name), room.bot].join('\n'))
  const me = useRoom((room) => room.me.name)
  return [names, me]
}
