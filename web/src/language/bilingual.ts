import type { Language } from './language'

const CHINESE_FIRST = /^([^/]*\p{Script=Han}[^/]*) \/ (.+)$/su

/** The half for readers of `language` of a description that a model reads in both: "设置提醒 / Set a reminder …". */
export function told(description: string, language: Language): string {
  const [, chinese, english] = CHINESE_FIRST.exec(description) ?? []
  if (!chinese || !english) return description
  return language === 'zh' ? chinese : english.charAt(0).toUpperCase() + english.slice(1)
}
