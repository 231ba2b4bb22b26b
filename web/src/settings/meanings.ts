import { useEffect, useState } from 'react'
import { useLanguage } from '../language/language'
import { keyOf, type Setting } from './api'

const files = import.meta.glob<Record<string, string>>('./meanings/*.json', { import: 'default' })

/** Return the meaning of a setting in the language of the page; where a language has none, in English. */
export function useMeanings(): (setting: Setting) => string {
  const language = useLanguage((state) => state.language)
  const [texts, setTexts] = useState<Record<string, string>>({})
  useEffect(() => {
    let isWanted = true
    const load = files[`./meanings/${language}.json`]
    void (load ? load() : Promise.resolve({})).then((found) => isWanted && setTexts(found))
    return () => {
      isWanted = false
    }
  }, [language])
  return (setting) => texts[keyOf(setting)] ?? setting.description
}
