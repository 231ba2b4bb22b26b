import { ActionIcon } from '@mantine/core'
import { IconAlarm, IconX } from '@tabler/icons-react'
import { useEffect, type ReactNode } from 'react'
import { useWords } from '../language/language'
import { useAlerts, type Toast } from '../room/alerts'
import { useRoom } from '../room/store'

const SHOWN_MS = 12_000

function OneToast({ toast }: { toast: Toast }): ReactNode {
  const words = useWords()
  const me = useRoom((room) => room.me.name)
  const dismiss = useAlerts((alerts) => alerts.dismiss)
  useEffect(() => {
    const timer = window.setTimeout(() => dismiss(toast.id), SHOWN_MS)
    return () => window.clearTimeout(timer)
  }, [toast.id, dismiss])
  return (
    <div className="toast" data-toast={toast.text} role="status">
      <span className="toast-icon">
        <IconAlarm size={18} aria-hidden="true" />
      </span>
      <span className="toast-words">
        <b>@{me}</b>
        <span className="muted" dir="auto">{toast.text}</span>
      </span>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={words.close} onClick={() => dismiss(toast.id)}>
        <IconX size={17} />
      </ActionIcon>
    </div>
  )
}

/** Reminders that are for the person of this tab, over the side panel and never over the composer. */
export function Toasts(): ReactNode {
  const toasts = useAlerts((alerts) => alerts.toasts)
  return (
    <div className="toasts">
      {toasts.map((toast) => (
        <OneToast key={toast.id} toast={toast} />
      ))}
    </div>
  )
}
