import { IconActivity, IconAlarm, IconChartLine, IconHeartbeat, IconMessageCircle, IconSettings, IconTool, IconWand } from '@tabler/icons-react'

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

/** The pages of the rail; the others are found in the palette and by links. */
export const MAIN_PAGES = PAGES.filter((page) => page.key !== 'setup')
