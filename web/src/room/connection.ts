/** The one WebSocket of this tab: opens, watches, resumes and closes it. */

import Reconnecting from 'partysocket/ws'
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
const POLICY_VIOLATION = 1008

export class Connection {
  private readonly socket: Reconnecting
  private readonly beat: number
  private offline = 0
  private probe = 0
  private heardAt = Date.now()
  private hasBeenLive = false

  constructor(
    private readonly identity: Identity,
    private readonly listener: Listener,
  ) {
    this.socket = new Reconnecting(() => this.address(), [], {
      minReconnectionDelay: 300,
      maxReconnectionDelay: 3000,
      reconnectionDelayGrowFactor: 1.4,
      connectionTimeout: 5000,
      maxEnqueuedMessages: 0,
    })
    this.socket.addEventListener('open', () => this.opened())
    this.socket.addEventListener('close', (event) => this.closed(event.code))
    this.socket.addEventListener('message', (event) => this.heard(String(event.data)))
    this.beat = window.setInterval(() => this.check(), PING_MS)
    window.addEventListener('online', this.retry)
    window.addEventListener('offline', this.verify)
    listener.link('connecting')
    this.startOfflineClock()
  }

  /** Send a frame; false when there is no connection to send it on. */
  say(type: string, data: Record<string, unknown>): boolean {
    if (this.socket.readyState !== WebSocket.OPEN) return false
    this.socket.send(JSON.stringify({ v: 1, type, session_id: this.identity.room, data }))
    return true
  }

  readonly retry = (): void => {
    window.clearTimeout(this.probe)
    this.probe = 0
    this.socket.reconnect()
  }

  /** The browser has lost its network: find out if the bot, which may be on this machine, is still there. */
  private readonly verify = (): void => {
    if (this.probe || !this.hasBeenLive || !this.say('ping', {})) return
    this.listener.link('reconnecting')
    this.probe = window.setTimeout(() => {
      this.probe = 0
      this.socket.reconnect()
    }, PROBE_MS)
  }

  close(): void {
    window.clearInterval(this.beat)
    window.clearTimeout(this.offline)
    window.clearTimeout(this.probe)
    window.removeEventListener('online', this.retry)
    window.removeEventListener('offline', this.verify)
    this.socket.close()
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
    window.clearTimeout(this.offline)
  }

  private heard(text: string): void {
    this.heardAt = Date.now()
    const frame = JSON.parse(text) as Frame
    this.listener.frame(frame)
    if (this.probe) {
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
    window.clearTimeout(this.probe)
    this.probe = 0
    if (code === POLICY_VIOLATION) {
      this.socket.close()
      this.listener.link('refused')
      return
    }
    this.startOfflineClock()
  }

  private startOfflineClock(): void {
    if (this.hasBeenLive && !navigator.onLine) this.listener.link('offline')
    if (this.offline !== 0) return
    if (this.hasBeenLive && navigator.onLine) this.listener.link('reconnecting')
    this.offline = window.setTimeout(() => this.listener.link('offline'), OFFLINE_AFTER_MS)
  }

  private check(): void {
    if (this.socket.readyState !== WebSocket.OPEN) return
    if (Date.now() - this.heardAt > SILENCE_MS) this.socket.reconnect()
    else this.say('ping', {})
  }
}
