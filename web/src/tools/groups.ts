import type { Tool } from './api'

/** The built-in tools by what they are about; tools of others are grouped by their source. */
const BUILT_IN: Record<string, string[]> = {
  reminders: ['reminder_set', 'reminder_list', 'reminder_update', 'reminder_snooze', 'reminder_state', 'reminder_delete'],
  search: ['perplexity_search', 'web_fetch'],
  chat: ['summary', 'summary_schedule', 'history_search', 'explain', 'undo'],
  memory: ['memory_save', 'memory_search', 'memory_forget'],
  preferences: ['quiet_hours', 'time_zone', 'history_retention'],
  privacy: ['export_my_data', 'history_opt_out', 'history_opt_in', 'forget_me'],
  workspace: ['read_file', 'write_file', 'exec', 'spawn'],
}
const ORDER = [...Object.keys(BUILT_IN), 'other']

function groupOf(tool: Tool): string {
  if (tool.source !== 'built-in') return tool.source
  return Object.keys(BUILT_IN).find((group) => BUILT_IN[group]?.includes(tool.name)) ?? 'other'
}

function placeOf(group: string): number {
  const place = ORDER.indexOf(group)
  return place < 0 ? ORDER.length : place
}

/** The tools by group, ours first. */
export function groupsOf(tools: Tool[]): [string, Tool[]][] {
  const groups = new Map<string, Tool[]>()
  for (const tool of tools) groups.set(groupOf(tool), [...(groups.get(groupOf(tool)) ?? []), tool])
  return [...groups].sort(([one], [other]) => placeOf(one) - placeOf(other) || one.localeCompare(other))
}

/** The name of a group in the language of the page; sources of others have their own. */
export function nameOf(names: Record<string, string>, group: string): string {
  return names[group] ?? group
}
