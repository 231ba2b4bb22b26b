// Before the first paint, so that a dark page does not flash up light; the policy forbids inline scripts.
const chosen = localStorage.getItem('mantine-color-scheme-value')
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light'

// Beside the first script, not after it: the texts, and the room or the form to join. The build writes their files here.
const files = document.currentScript.dataset
const languages = [localStorage.getItem('bubbles.language'), ...navigator.languages.map((tag) => tag.toLowerCase().split('-')[0])]
const isKnown = new URLSearchParams(location.search).has('as') || sessionStorage.getItem('bubbles.name')
const parts = [languages.find((language) => language in files) ?? 'en', isKnown ? (location.pathname === '/' ? 'room' : '') : 'join']
for (const href of parts.flatMap((part) => files[part]?.split(' ') ?? [])) {
  const rel = href.endsWith('.css') ? 'stylesheet' : 'modulepreload'
  document.head.append(Object.assign(document.createElement('link'), { rel, href, crossOrigin: '' }))
}
