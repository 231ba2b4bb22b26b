/** Who this tab is and in which room: a person is a tab's, the name that is proposed is the browser's. */

export interface Identity {
  name: string
  room: string
}

const ROOM_RULE = /^[\p{L}\p{N}_-]{1,64}$/u
const NAME = 'bubbles.name'
const ROOM = 'bubbles.room'
const TOKEN = 'bubbles.token'

export const DEFAULT_ROOM = 'lobby'

export function isRoomName(room: string): boolean {
  return ROOM_RULE.test(room)
}

/** Who this tab already is; null before joining. The address may say it (`?as=Lin&room=lobby`), for second tabs. */
export function rememberedIdentity(): Identity | null {
  const asked = new URLSearchParams(location.search)
  const room = asked.get('room') ?? sessionStorage.getItem(ROOM) ?? DEFAULT_ROOM
  const name = asked.get('as') ?? sessionStorage.getItem(NAME)
  return name && isRoomName(room) ? { name, room } : null
}

export function proposedName(): string {
  return localStorage.getItem(NAME) ?? ''
}

export function proposedRoom(): string {
  const asked = new URLSearchParams(location.search).get('room')
  return asked && isRoomName(asked) ? asked : (sessionStorage.getItem(ROOM) ?? DEFAULT_ROOM)
}

const VISITED = 'bubbles.rooms'
const MAX_VISITED = 30

/** The rooms that this browser was in, the last one first. */
export function visitedRooms(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(VISITED) ?? '[]')
    return Array.isArray(stored) ? stored.filter((room): room is string => typeof room === 'string' && isRoomName(room)) : []
  } catch {
    return []
  }
}

export function remember(identity: Identity): void {
  const visited = [identity.room, ...visitedRooms().filter((room) => room !== identity.room)]
  localStorage.setItem(VISITED, JSON.stringify(visited.slice(0, MAX_VISITED)))
  const address = new URL(location.href)
  if (address.searchParams.has('room')) address.searchParams.set('room', identity.room)
  if (address.searchParams.has('as')) address.searchParams.set('as', identity.name)
  if (address.href !== location.href) history.replaceState(history.state, '', address)
  sessionStorage.setItem(NAME, identity.name)
  sessionStorage.setItem(ROOM, identity.room)
  localStorage.setItem(NAME, identity.name)
}

export function forget(): void {
  sessionStorage.removeItem(NAME)
}

/** The operator's token, kept for this tab only. */
export function token(): string {
  return sessionStorage.getItem(TOKEN) ?? ''
}

export function keepToken(value: string): void {
  if (value) sessionStorage.setItem(TOKEN, value)
  else sessionStorage.removeItem(TOKEN)
}
