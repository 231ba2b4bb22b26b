/** What is half written in a room: kept in this tab, through other pages and a reload, until somebody leaves. */

const KEY = 'bubbles.draft.'

export function keptDraft(room: string): string {
  return sessionStorage.getItem(KEY + room) ?? ''
}

export function keepDraft(room: string, text: string): void {
  if (text) sessionStorage.setItem(KEY + room, text)
  else sessionStorage.removeItem(KEY + room)
}

export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(KEY)) sessionStorage.removeItem(key)
  }
}
