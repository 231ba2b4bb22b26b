/** The one WebSocket of this tab: opens, watches, resumes and closes it. */

import type { Frame } from '../wire/frames'
import { browserZone } from '../format/clock'
import { useLanguage } from '../language/language'
import { token, type Identity } from '../wire/identity'

export type Link = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'refused'

export interface Listener {
  frame: (frame: Frame) => void
  link: (link: Link) => void
  place: () => { epoch: string; seq: number }
}

const OFFLINE_AFTER_MS = 30_000
const PING_MS = 15_000
const SILENCE_MS = 25_000
const PROBE_MS = 1500
const OPENING_MS = 5000
const FIRST_DELAY_MS = 300
const MAX_DELAY_MS = 3000
const DELAY_GROWTH = 1.4
const POLICY_VIOLATION = 1008

export class Connection {
  private socket: WebSocket | null = null
  private readonly beat: number
  private offline = 0
  private probe = 0
  /** When no connection comes about, the next attempt. */
  private next = 0
  private delayMs = FIRST_DELAY_MS
  private heardAt = Date.now()
  private hasBeenLive = false

  constructor(
    private readonly identity: Identity,
    private readonly listener: Listener,
  ) {
    this.beat = window.setInterval(() => this.check(), PING_MS)
    window.addEventListener('online', this.retry)
    window.addEventListener('offline', this.verify)
    listener.link('connecting')
    this.startOfflineClock()
    this.open()
  }

  /** Open a socket in place of the one before, whose events count no longer. */
  private open(): void {
    this.shut()
    const socket = new WebSocket(this.address())
    this.socket = socket
    const on = <Type extends keyof WebSocketEventMap>(type: Type, heard: (event: WebSocketEventMap[Type]) => void) =>
      socket.addEventListener(type, (event) => socket === this.socket && heard(event))
    on('open', () => this.opened())
    on('close', (event) => this.closed(event.code))
    on('message', (event) => this.heard(String(event.data)))
    this.next = window.setTimeout(this.retry, OPENING_MS)
  }

  private shut(): void {
    window.clearTimeout(this.next)
    window.clearTimeout(this.probe)
    this.probe = 0
    const { socket } = this
    this.socket = null
    socket?.close()
  }

  /** Send a frame; false when there is no connection to send it on. */
  say(type: string, data: Record<string, unknown>): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false
    this.socket.send(JSON.stringify({ v: 1, type, session_id: this.identity.room, data }))
    return true
  }

  readonly retry = (): void => {
    this.startOfflineClock()
    this.open()
  }

  /** The browser has lost its network: find out if the bot, which may be on this machine, is still there. */
  private readonly verify = (): void => {
    if (this.probe || !this.hasBeenLive || !this.say('ping', {})) return
    this.listener.link('reconnecting')
    this.probe = window.setTimeout(this.retry, PROBE_MS)
  }

  close(): void {
    window.clearInterval(this.beat)
    window.clearTimeout(this.offline)
    window.removeEventListener('online', this.retry)
    window.removeEventListener('offline', this.verify)
    this.shut()
  }

  private address(): string {
    const { epoch, seq } = this.listener.place()
    const query = new URLSearchParams({ session_id: this.identity.room, name: this.identity.name, time_zone: browserZone(), language: useLanguage.getState().language })
    if (epoch) {
      query.set('epoch', epoch)
      query.set('last_seq', String(seq))
    }
    if (token()) query.set('token', token())
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
    return `${scheme}//${location.host}/api/chat/ws?${query}`
  }

  private opened(): void {
    this.heardAt = Date.now()
    window.clearTimeout(this.next)
    window.clearTimeout(this.offline)
  }

  private heard(text: string): void {
    this.heardAt = Date.now()
    const frame = JSON.parse(text) as Frame
    this.listener.frame(frame)
    if (this.probe && frame.type === 'pong') { // other frames may have been on their way before
      window.clearTimeout(this.probe)
      this.probe = 0
      this.listener.link('live')
    }
    if (frame.type !== 'hello') return
    this.hasBeenLive = true
    this.offline = 0
    this.listener.link('live')
  }

  private closed(code: number): void {
    this.shut()
    if (code === POLICY_VIOLATION) {
      this.listener.link('refused')
      return
    }
    this.startOfflineClock()
    this.next = window.setTimeout(() => this.open(), this.delayMs)
    this.delayMs = Math.min(MAX_DELAY_MS, this.delayMs * DELAY_GROWTH)
  }

  private startOfflineClock(): void {
    if (this.hasBeenLive && !navigator.onLine) this.listener.link('offline')
    if (this.offline !== 0) return
    if (this.hasBeenLive && navigator.onLine) this.listener.link('reconnecting')
    this.offline = window.setTimeout(() => this.listener.link('offline'), OFFLINE_AFTER_MS)
  }

  private check(): void {
    if (!this.say('ping', {})) return
    this.delayMs = FIRST_DELAY_MS
    if (Date.now() - this.heardAt > SILENCE_MS) this.retry()
  }
}
