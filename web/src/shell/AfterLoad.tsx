import { useEffect, useState, type ReactNode } from 'react'

const QUIET_MS = 1500
const USED = ['keydown', 'pointerdown'] as const

/** Shows its children a moment after the page, or as soon as somebody uses it or `isDue`: what comes first is loaded alone. */
export function AfterLoad({ isDue = false, children }: { isDue?: boolean; children: ReactNode }): ReactNode {
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    if (isLoaded) return
    const show = () => setLoaded(true)
    if (isDue) return show()
    const timer = window.setTimeout(show, QUIET_MS)
    for (const event of USED) window.addEventListener(event, show)
    return () => {
      window.clearTimeout(timer)
      for (const event of USED) window.removeEventListener(event, show)
    }
  }, [isLoaded, isDue])
  return isLoaded ? children : null
}
