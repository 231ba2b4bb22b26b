import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

interface Emoji {
  unicode: string
  label: string
  group?: number
  order?: number
  tags?: string[]
}

const NAME = 'virtual:emoji/'
// Skin tones and hair are parts of other emoji.
const PARTS = 2

/** Offers `virtual:emoji/<language>`: each emoji as [emoji, group, label, words to find it by]. */
export function emoji(root: string): Plugin {
  return {
    name: 'emoji',
    resolveId: (id) => (id.startsWith(NAME) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${NAME}`)) return null
      const file = join(root, 'node_modules/emojibase-data', id.slice(NAME.length + 1), 'compact.json')
      const all = JSON.parse(readFileSync(file, 'utf8')) as Emoji[]
      const shown = all.filter((one) => one.group !== undefined && one.group !== PARTS).sort((one, other) => (one.order ?? 0) - (other.order ?? 0))
      return `export default ${JSON.stringify(shown.map((one) => [one.unicode, one.group, one.label, (one.tags ?? []).join(' ')]))}`
    },
  }
}
