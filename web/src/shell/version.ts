/** Whether the bot now serves another page than the one that is open: one of its scripts has another name. */
export async function isOutdated(): Promise<boolean> {
  const scripts = [...document.querySelectorAll<HTMLScriptElement>('script[type=module][src]')]
  try {
    const answer = await fetch('/', { cache: 'no-store' })
    const page = await answer.text()
    return answer.ok && scripts.some((script) => !page.includes(script.getAttribute('src') as string))
  } catch {
    return false
  }
}
