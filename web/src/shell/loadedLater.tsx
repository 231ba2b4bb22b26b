import { startTransition, useEffect, useState, type ComponentType, type ReactNode } from 'react'

const RETRY_MS = 5000

/** A component that is loaded later, and a function that loads it before it is shown. */
type Later<Props extends object> = ComponentType<Props> & { preload: () => Promise<void> }

/** Make a component that is loaded when it is first shown, with `Fallback` in its place until then; failures are retried. */
export function loadedLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Fallback: ComponentType<Props> = () => null,
): Later<Props> {
  let loaded: ComponentType<Props> | null = null
  let loading: Promise<void> | null = null
  const begin = () => {
    loading ??= load()
      .then((component) => {
        loaded = component
      })
      .finally(() => {
        loading = null
      })
    return loading
  }
  function LoadedLater(props: Props): ReactNode {
    const [Shown, show] = useState(() => loaded)
    useEffect(() => {
      if (Shown) return
      let timer = 0
      let isGone = false
      const attempt = () => {
        // Many may be waiting for it, such as the messages of a long room: what a person does goes first.
        begin().then(
          () => startTransition(() => show(() => loaded)),
          () => {
            if (!isGone) timer = window.setTimeout(attempt, RETRY_MS)
          },
        )
      }
      attempt()
      return () => {
        isGone = true
        window.clearTimeout(timer)
      }
    }, [Shown])
    return Shown ? <Shown {...props} /> : <Fallback {...props} />
  }
  return Object.assign(LoadedLater, { preload: begin })
}

interface Pressed {
  onPress?: () => void
}

/** Make a component that is loaded when the button in its place is pressed, and that begins open. */
export function loadedOnPress<Props extends object>(load: () => Promise<ComponentType<Props>>, Place: ComponentType<Props & Pressed>): ComponentType<Props> {
  const Loaded = loadedLater<Props>(load, Place)
  return function LoadedOnPress(props: Props): ReactNode {
    const [isPressed, setPressed] = useState(false)
    return isPressed ? <Loaded {...props} /> : <Place {...props} onPress={() => setPressed(true)} />
  }
}
