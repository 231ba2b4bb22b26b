import { IconActivity, IconAlarm, IconChartLine, IconHeartbeat, IconMessageCircle, IconTool } from '@tabler/icons-react'

/** The pages in the order of the rail; `key` names their word. */
export const PAGES = [
  { path: '/', key: 'chat', icon: IconMessageCircle },
  { path: '/reminders', key: 'reminders', icon: IconAlarm },
  { path: '/tools', key: 'tools', icon: IconTool },
  { path: '/activity', key: 'activity', icon: IconActivity },
  { path: '/health', key: 'health', icon: IconHeartbeat },
  { path: '/metrics-live', key: 'metrics', icon: IconChartLine },
] as const
