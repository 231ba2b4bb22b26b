import { create } from 'zustand'
import { en, type Words } from './en'
import { zh } from './zh'

export type Language = 'en' | 'zh'

const KEPT = 'bubbles.language'
const WORDS: Record<Language, Words> = { en, zh }

function preferred(): Language {
  const kept = localStorage.getItem(KEPT)
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

interface LanguageState {
  language: Language
  choose: (language: Language) => void
}

export const useLanguage = create<LanguageState>((set) => ({
  language: preferred(),
  choose: (language) => {
    localStorage.setItem(KEPT, language)
    set({ language })
  },
}))

/** The sentences of the page in the chosen language. */
export function useWords(): Words {
  return WORDS[useLanguage((state) => state.language)]
}

export function wordsOf(language: Language): Words {
  return WORDS[language]
}
