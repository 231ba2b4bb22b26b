/** What `@` and `/` offer while one types. */

import type { Tool } from '../tools/api'
import type { Author } from '../wire/frames'

export interface Offer {
  value: string
  label: string
  detail: string
  /** The function whose arguments are asked for in a form. */
  tool?: Tool
}

export interface Asked {
  kind: 'mention' | 'function'
  from: number
  typed: string
}

/** What is being completed at `caret`: `@` behind a space, behind Chinese (which has none) or at the start, `/` only at the start. */
export function askedAt(text: string, caret: number): Asked | null {
  const before = text.slice(0, caret)
  const mention = /(?:^|[\s\p{Script=Han}，。！？、：；（(])@([^\s@]{0,32})$/u.exec(before)
  if (mention) return { kind: 'mention', from: caret - (mention[1] ?? '').length - 1, typed: mention[1] ?? '' }
  const command = /^\/([^\s]{0,40})$/u.exec(before)
  if (command) return { kind: 'function', from: 0, typed: command[1] ?? '' }
  return null
}

export function mentionOffers(members: readonly Author[], typed: string, everyone: string): Offer[] {
  const offers = members.map((member) => ({ value: `@${member.name} `, label: member.name, detail: '' }))
  offers.push({ value: '@all ', label: 'all', detail: everyone })
  return matching(offers, typed)
}

export function matching(offers: Offer[], typed: string): Offer[] {
  const wanted = typed.toLowerCase()
  return offers.filter((offer) => offer.label.toLowerCase().includes(wanted)).slice(0, 8)
}
