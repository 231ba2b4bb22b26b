import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconLayoutSidebarRight, IconMoon, IconSearch, IconSun } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { LANGUAGES, localeOf, useLanguage, useWords } from '../language/language'
import { OwnMenu } from '../rooms/OwnMenuButton'
import { LinkPill } from './LinkState'

/** Open the palette, or close it; what holds its state is loaded with it. */
export async function togglePalette(): Promise<void> {
  const { spotlight } = await import('@mantine/spotlight')
  spotlight.toggle()
}

/** Change between light and dark; what the system says counts until one chose. */
export function useThemeSwitch(): { isDark: boolean; flip: () => void } {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  return { isDark, flip: () => setColorScheme(isDark ? 'light' : 'dark') }
}

/** The languages of the page by their own names; the closed field shows the code. */
function LanguageSelect(): ReactNode {
  const words = useWords()
  const { language, choose } = useLanguage()
  return (
    <span className="language">
      <span aria-hidden="true">{localeOf(language).short}</span>
      <select aria-label={words.bar.language} value={language} onChange={(event) => void choose(event.currentTarget.value)}>
        {Object.entries(LANGUAGES).map(([code, { name, tag }]) => (
          <option key={code} value={code} lang={tag}>
            {name}
          </option>
        ))}
      </select>
    </span>
  )
}

/** The bar over every page: its title, the connection, search, colours and language. */
export function TopBar({ title, before, aside, onPanel }: { title: string; before?: ReactNode; aside?: ReactNode; onPanel?: () => void }): ReactNode {
  const words = useWords()
  const { isDark, flip } = useThemeSwitch()
  return (
    <header className="top">
      {before}
      <h1>{title}</h1>
      {aside}
      <span className="top-space" />
      <LinkPill />
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={words.bar.search} onClick={() => void togglePalette()}>
        <IconSearch size={19} />
      </ActionIcon>
      <ActionIcon className="theme" variant="subtle" color="gray" size={36} aria-label={isDark ? words.bar.light : words.bar.dark} onClick={flip}>
        {isDark ? <IconSun size={19} /> : <IconMoon size={19} />}
      </ActionIcon>
      <LanguageSelect />
      <OwnMenu />
      {onPanel && (
        <ActionIcon className="panel-button" variant="subtle" color="gray" size={44} aria-label={words.bar.panel} onClick={onPanel}>
          <IconLayoutSidebarRight size={20} />
        </ActionIcon>
      )}
    </header>
  )
}
