/** A fresh id. `crypto.randomUUID` exists in secure contexts only, and a bot in the home network has no certificate. */
export function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
