/** Desktop notifications and sound for what is meant for this person; both are off until they are chosen. */

import { create } from 'zustand'

const NOTIFYING = 'bubbles.notifications'
const LOUD = 'bubbles.sound'
const OWN_WORDS = 'bubbles.words'
const MAX_WORDS = 20
const ICON = '/icon.svg'
const TONES = [660, 880]
const TONE_SECONDS = 0.12

interface Notices {
  isNotifying: boolean
  isLoud: boolean
  /** The words that count as a mention of this person, one a line. */
  ownWords: string
  /** Switch notifications; asks the browser's permission, so only for a click. False where it is not given. */
  notify: (on: boolean) => Promise<boolean>
  makeLoud: (on: boolean) => void
  chooseWords: (written: string) => void
}

function isAllowed(): boolean {
  return 'Notification' in window && Notification.permission === 'granted'
}

export const useNotices = create<Notices>((set) => ({
  isNotifying: localStorage.getItem(NOTIFYING) === 'on' && isAllowed(),
  isLoud: localStorage.getItem(LOUD) === 'on',
  ownWords: localStorage.getItem(OWN_WORDS) ?? '',
  notify: async (on) => {
    const isOn = on && 'Notification' in window && (await Notification.requestPermission()) === 'granted'
    localStorage.setItem(NOTIFYING, isOn ? 'on' : 'off')
    set({ isNotifying: isOn })
    return isOn === on
  },
  makeLoud: (on) => {
    localStorage.setItem(LOUD, on ? 'on' : 'off')
    set({ isLoud: on })
    if (on) ring()
  },
  chooseWords: (written) => {
    const ownWords = written.split(/[,，、\n]/).map((word) => word.trim()).filter(Boolean).slice(0, MAX_WORDS).join('\n')
    localStorage.setItem(OWN_WORDS, ownWords)
    set({ ownWords })
  },
}))

let audio: AudioContext | null = null

/** Play two short tones. */
function ring(): void {
  audio ??= new AudioContext()
  const start = audio.currentTime
  TONES.forEach((frequency, at) => {
    const [tone, volume] = [(audio as AudioContext).createOscillator(), (audio as AudioContext).createGain()]
    const begin = start + at * TONE_SECONDS
    tone.frequency.value = frequency
    volume.gain.setValueAtTime(0.08, begin)
    volume.gain.exponentialRampToValueAtTime(0.001, begin + TONE_SECONDS)
    tone.connect(volume).connect((audio as AudioContext).destination)
    tone.start(begin)
    tone.stop(begin + TONE_SECONDS)
  })
}

/** Tell of something that is meant for this person: `tag` makes a second one of the same replace the first. */
export function showNotice(title: string, text: string, tag: string): void {
  const { isNotifying, isLoud } = useNotices.getState()
  if (isLoud) ring()
  if (!isNotifying || !document.hidden || !isAllowed()) return
  try {
    const notice = new Notification(title, { body: text, tag, icon: ICON })
    notice.onclick = () => {
      window.focus()
      notice.close()
    }
  } catch {
    // Browsers of phones show notifications of service workers only.
  }
}
