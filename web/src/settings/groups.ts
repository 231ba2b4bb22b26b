import type { Setting } from './api'

/** The groups of settings by category, in the order in which they are shown. */
export const CATEGORIES = {
  basics: ['bot', 'time', 'reminders', 'history', 'memory'],
  model: ['model', 'budget'],
  search: ['search', 'web'],
  chats: ['platforms', 'router', 'platforms.telegram', 'platforms.discord', 'platforms.slack', 'platforms.matrix', 'platforms.irc', 'platforms.xmpp', 'platforms.onebot', 'platforms.dingtalk', 'platforms.feishu', 'console'],
  tools: ['tool_servers', 'workspace', 'plugins', 'skills'],
  server: ['http', 'storage', 'record', 'log', 'telemetry'],
} as const

export type Category = keyof typeof CATEGORIES

/** The part of the bot that can be tried after settings of a group were typed. */
export function testedPart(group: string): string | null {
  if (group === 'model' || group === 'search') return group
  return group.startsWith('platforms.') ? group.slice('platforms.'.length) : null
}

/** The settings whose key, group or meaning has all words of `wanted`. */
export function matching(settings: Setting[], wanted: string, textOf: (setting: Setting) => string): Setting[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  return settings.filter((setting) => {
    const text = textOf(setting).toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
