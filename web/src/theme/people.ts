/** The hue of a person, the same in every tab and after every restart. */
export function hueOf(name: string): number {
  let hash = 0
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360_007
  return hash % 360
}

/** The background of a person's round picture; white letters keep a contrast of 4.5 on it. */
export function faceColour(name: string): string {
  return `oklch(0.52 0.11 ${hueOf(name)})`
}

/** The colour of a person's name on the page's background. */
export function nameColour(name: string): string {
  return `oklch(var(--person-lightness) 0.11 ${hueOf(name)})`
}

/** The letter that stands for a person. */
export function initialOf(name: string): string {
  return (Array.from(name.trim())[0] ?? '?').toUpperCase()
}
