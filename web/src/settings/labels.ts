import { useEffect, useState } from 'react'
import { useLanguage } from '../language/language'
import { keyOf, type Setting } from './api'

export interface Label {
  name: string
  hint: string
}

type Texts = Record<string, string[]>

const files = import.meta.glob<Texts>('./labels/*.json', { import: 'default' })

async function load(language: string): Promise<Texts> {
  const found = files[`./labels/${language}.json`] ?? files['./labels/en.json']
  return found ? found() : {}
}

/** Return the label of a setting in the language of the page; a setting without one has its description. */
export function useLabels(): (setting: Setting) => Label {
  const language = useLanguage((state) => state.language)
  const [texts, setTexts] = useState<Texts>({})
  useEffect(() => {
    let isWanted = true
    void load(language).then((found) => isWanted && setTexts(found))
    return () => {
      isWanted = false
    }
  }, [language])
  return (setting) => {
    const [name = setting.description, hint = ''] = texts[keyOf(setting)] ?? []
    return { name, hint }
  }
}
