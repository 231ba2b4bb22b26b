/** The time zone in which the page shows times: that of the person, which the bot says; before, the browser's. */

import { useMemo } from 'react'
import { create } from 'zustand'
import { useLanguage, type Language } from '../language/language'

/** The language and the time zone in which times are shown. */
export interface Clock {
  language: Language
  zone: string
}

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

export const useZone = create<{ zone: string }>(() => ({ zone: browserZone() }))

/** Show times in `zone`; a name that this browser does not know changes nothing. */
export function showZone(zone: string | undefined): void {
  if (zone && zone !== useZone.getState().zone && isKnownZone(zone)) useZone.setState({ zone })
}

export function isKnownZone(zone: string): boolean {
  try {
    return Boolean(Intl.DateTimeFormat(undefined, { timeZone: zone }))
  } catch {
    return false
  }
}

/** The name of a zone to show; of an offset with the usual sign: `Etc/GMT-8` is UTC+8. */
export function zoneLabel(zone: string): string {
  const offset = /^Etc\/GMT([+-])(\d+)$/.exec(zone)
  return offset ? `UTC${offset[1] === '+' ? '-' : '+'}${offset[2]}` : zone.replaceAll('_', ' ')
}

export function useClock(): Clock {
  const language = useLanguage((state) => state.language)
  const zone = useZone((state) => state.zone)
  return useMemo(() => ({ language, zone }), [language, zone])
}
