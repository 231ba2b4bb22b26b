import '@mantine/notifications/styles.layer.css'

import { Notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'

/** Short answers to what a person did, in the corner. */
export function Notices(): ReactNode {
  return <Notifications position="bottom-right" limit={3} containerWidth={296} />
}
