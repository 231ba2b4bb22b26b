import type { Language } from './language'

const CHINESE_FIRST = /^([^/]*\p{Script=Han}[^/]*) \/ (.+)$/su

/** What a reader of `language` needs of a description that a model reads in both: "设置提醒 / Set a reminder …".
 *
 * The English half is the complete one, so readers of Chinese get both.
 */
export function told(description: string, language: Language): string {
  const halves = CHINESE_FIRST.exec(description)
  const english = halves?.[2]
  return language === 'en' && english ? english.charAt(0).toUpperCase() + english.slice(1) : description
}
