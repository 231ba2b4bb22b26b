/** Whether the bot now serves another page than the one that is open: its scripts have other names. */
export async function isOutdated(): Promise<boolean> {
  const open = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src')
  try {
    const answer = await fetch('/', { cache: 'no-store' })
    return answer.ok && open !== null && open !== undefined && !(await answer.text()).includes(open)
  } catch {
    return false
  }
}
