import { useEffect, useState } from 'react'
import { useLanguage } from '../language/language'
import { keyOf, type Setting } from './api'

export interface Label {
  name: string
  hint: string
}

type Texts = Record<string, string[]>

const SETTING_KEY = /[a-z_]+(?:\.[a-z_]+)+/g

const files = import.meta.glob<Texts>('./labels/*.json', { import: 'default' })

async function load(language: string): Promise<Texts> {
  const found = files[`./labels/${language}.json`] ?? files['./labels/en.json']
  return found ? found() : {}
}

function useTexts(): Texts {
  const language = useLanguage((state) => state.language)
  const [texts, setTexts] = useState<Texts>({})
  useEffect(() => {
    let isWanted = true
    void load(language).then((found) => isWanted && setTexts(found))
    return () => {
      isWanted = false
    }
  }, [language])
  return texts
}

/** Return the label of a setting by its key, such as `model.base_url`; the key if it has none. */
export function useSettingName(): (key: string) => string {
  const texts = useTexts()
  return (key) => texts[key]?.[0] ?? key
}

/** Return a text with the labels of settings in place of their keys. */
export function useNamedSettings(): (text: string) => string {
  const nameOf = useSettingName()
  return (text) => text.replace(SETTING_KEY, (key) => (nameOf(key) === key ? key : `“${nameOf(key)}”`))
}

/** Return the label of a setting in the language of the page; a setting without one has its description. */
export function useLabels(): (setting: Setting) => Label {
  const texts = useTexts()
  return (setting) => {
    const [name = setting.description, hint = ''] = texts[keyOf(setting)] ?? []
    return { name, hint }
  }
}
