import { IconActivity, IconAlarm, IconChartLine, IconHeartbeat, IconMessageCircle, IconSettings, IconTool, IconWand } from '@tabler/icons-react'
import { useRoom } from '../room/store'

/** The pages in the order of the rail; `key` names their word. */
export const PAGES = [
  { path: '/', key: 'chat', icon: IconMessageCircle },
  { path: '/reminders', key: 'reminders', icon: IconAlarm },
  { path: '/tools', key: 'tools', icon: IconTool },
  { path: '/activity', key: 'activity', icon: IconActivity },
  { path: '/health', key: 'health', icon: IconHeartbeat },
  { path: '/metrics-live', key: 'metrics', icon: IconChartLine },
  { path: '/settings', key: 'settings', icon: IconSettings },
  { path: '/setup', key: 'setup', icon: IconWand },
] as const

const FOR_EVERYBODY: string[] = ['chat', 'reminders', 'tools']

/** Return whether the bot shows settings and records of all rooms to this person; an older bot does not tell. */
export function useIsAdmin(): boolean {
  const role = useRoom((room) => room.me.role)
  return role === undefined || role === 'admin'
}

/** Return the pages that this person may see. */
export function usePages(): (typeof PAGES)[number][] {
  const isAdmin = useIsAdmin()
  return PAGES.filter(({ key }) => isAdmin || FOR_EVERYBODY.includes(key))
}
