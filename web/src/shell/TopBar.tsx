import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { spotlight } from '@mantine/spotlight'
import { IconLayoutSidebarRight, IconMoon, IconSearch, IconSun } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { LANGUAGES, localeOf, useLanguage, useWords, type Language } from '../language/language'
import { LinkPill } from './LinkState'

/** Change between light and dark; what the system says counts until one chose. */
export function useThemeSwitch(): { isDark: boolean; flip: () => void } {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  return { isDark, flip: () => setColorScheme(isDark ? 'light' : 'dark') }
}

/** The language after the chosen one, and its choice. */
export function useLanguageSwitch(): { next: Language; change: () => void } {
  const { language, choose } = useLanguage()
  const all = Object.keys(LANGUAGES)
  const next = all[(all.indexOf(language) + 1) % all.length] as Language
  return { next, change: () => void choose(next) }
}

/** The bar over every page: its title, the connection, search, colours and language. */
export function TopBar({ title, aside, onPanel }: { title: string; aside?: ReactNode; onPanel?: () => void }): ReactNode {
  const words = useWords()
  const { isDark, flip } = useThemeSwitch()
  const { next, change } = useLanguageSwitch()
  const locale = localeOf(next)
  return (
    <header className="top">
      <h1>{title}</h1>
      {aside}
      <span className="top-space" />
      <LinkPill />
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={words.bar.search} onClick={spotlight.open}>
        <IconSearch size={19} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={isDark ? words.bar.light : words.bar.dark} onClick={flip}>
        {isDark ? <IconSun size={19} /> : <IconMoon size={19} />}
      </ActionIcon>
      <button type="button" className="language" onClick={change} title={locale.change}>
        <span lang={locale.tag}>{locale.short}</span>
      </button>
      {onPanel && (
        <ActionIcon className="panel-button" variant="subtle" color="gray" size={44} aria-label={words.bar.panel} onClick={onPanel}>
          <IconLayoutSidebarRight size={20} />
        </ActionIcon>
      )}
    </header>
  )
}
