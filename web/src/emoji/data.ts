/** The emoji that the picker offers, with words to find them by in the language of the page. */

/** An emoji, its group, its name, and more words to find it by. */
export type Emoji = [emoji: string, group: number, label: string, tags: string]

const LOADERS: Record<string, () => Promise<{ default: Emoji[] }>> = {
  en: () => import('virtual:emoji/en'),
  zh: () => import('virtual:emoji/zh'),
  es: () => import('virtual:emoji/es'),
}

/** Load the emoji with the words of `language`; English ones where there are no others. */
export async function loadEmoji(language: string): Promise<Emoji[]> {
  return (await (LOADERS[language] ?? (LOADERS.en as (typeof LOADERS)[string]))()).default
}

const KEY = 'bubbles.emoji'
const MAX_RECENT = 16

export function recentEmoji(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one): one is string => typeof one === 'string') : []
  } catch {
    return []
  }
}

export function noteEmoji(emoji: string): void {
  const recent = [emoji, ...recentEmoji().filter((one) => one !== emoji)].slice(0, MAX_RECENT)
  localStorage.setItem(KEY, JSON.stringify(recent))
}
