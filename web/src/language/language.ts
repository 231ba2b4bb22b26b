/** The language of the page and its texts, which are loaded when the language is chosen.
 *
 * A language is a folder here: its texts in JSON, with the keys of `en`, and `locale.json`.
 */

import { create } from 'zustand'
import type { FirstWords, PageWords, Words } from './words'

export type Language = string

interface Locale {
  /** The language's name in itself, and a code of two or three letters. */
  name: string
  short: string
  /** The BCP 47 tag of the texts, and the one whose customs dates follow. */
  tag: string
  dates: string
}

const KEY = 'bubbles.language'
const FALLBACK = 'en'
const folders = import.meta.glob<Locale>('./*/locale.json', { eager: true, import: 'default' })
const firstTexts = import.meta.glob<FirstWords>('./*/index.ts', { import: 'default' })
const pageTexts = import.meta.glob<PageWords>('./*/pages.ts', { import: 'default' })

/** Every language of the page by its code. */
export const LANGUAGES: Record<Language, Locale> = Object.fromEntries(
  Object.entries(folders).map(([path, locale]) => [path.split('/')[1] as Language, locale]),
)

export function localeOf(language: Language): Locale {
  return LANGUAGES[language] as Locale
}

function preferred(): Language {
  const stored = localStorage.getItem(KEY)
  const wanted = [stored, ...navigator.languages.map((tag) => tag.toLowerCase().split('-')[0])]
  return wanted.find((language) => language && language in LANGUAGES) ?? FALLBACK
}

interface LanguageState {
  language: Language
  words: Words
  choose: (language: Language) => Promise<void>
}

/** The texts of the pages beside the room, from the first time that one of them is loaded. */
let pages: Promise<void> | null = null

async function load(language: Language, hasPages = pages !== null): Promise<Pick<LanguageState, 'language' | 'words'>> {
  const [first, others] = await Promise.all([
    firstTexts[`./${language}/index.ts`]?.(),
    hasPages ? pageTexts[`./${language}/pages.ts`]?.() : null,
  ])
  document.documentElement.lang = localeOf(language).tag
  // Those of the pages are there before a page is: `loadPageWords`.
  return { language, words: { ...first, ...others } as Words }
}

export const useLanguage = create<LanguageState>((set) => ({
  language: preferred(),
  // Nothing is rendered before `loadLanguage` has set them.
  words: {} as Words,
  choose: async (language) => {
    localStorage.setItem(KEY, language)
    set(await load(language))
  },
}))

/** Load the texts of the preferred language; the page is rendered after it. */
export async function loadLanguage(): Promise<void> {
  useLanguage.setState(await load(useLanguage.getState().language))
}

/** Load the texts of the pages beside the room; each of them is shown after it. */
export function loadPageWords(): Promise<void> {
  pages ??= load(useLanguage.getState().language, true).then(useLanguage.setState, (error: unknown) => {
    pages = null
    throw error
  })
  return pages
}

/** The texts of the page in the chosen language. */
export function useWords(): Words {
  return useLanguage((state) => state.words)
}
