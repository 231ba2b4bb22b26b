import type { KeyboardEvent } from 'react'

const IME_KEY = 229

/** Return whether a key belongs to an input method that is still composing; browsers report it in one of two ways. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.nativeEvent.keyCode === IME_KEY
}
