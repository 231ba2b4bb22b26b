import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { spotlight } from '@mantine/spotlight'
import { IconLayoutSidebarRight, IconMoon, IconSearch, IconSun } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useLanguage, useWords } from '../language/language'
import { LinkPill } from './LinkState'

/** Change between light and dark; what the system says counts until one chose. */
export function useThemeSwitch(): { isDark: boolean; flip: () => void } {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  return { isDark, flip: () => setColorScheme(isDark ? 'light' : 'dark') }
}

export function useLanguageSwitch(): () => void {
  const { language, choose } = useLanguage()
  return () => choose(language === 'en' ? 'zh' : 'en')
}

/** The bar over every page: its title, the connection, search, colours and language. */
export function TopBar({ title, aside, onPanel }: { title: string; aside?: ReactNode; onPanel?: () => void }): ReactNode {
  const words = useWords()
  const { isDark, flip } = useThemeSwitch()
  const flipLanguage = useLanguageSwitch()
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
      <button type="button" className="language" onClick={flipLanguage} title={words.bar.language}>
        <span lang={words.otherLanguage === 'EN' ? 'en' : 'zh'}>{words.otherLanguage}</span>
      </button>
      {onPanel && (
        <ActionIcon className="panel-button" variant="subtle" color="gray" size={44} aria-label={words.bar.panel} onClick={onPanel}>
          <IconLayoutSidebarRight size={20} />
        </ActionIcon>
      )}
    </header>
  )
}
