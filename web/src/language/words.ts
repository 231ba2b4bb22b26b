import type first from './en'
import type pages from './en/pages'

/** Forms of a text by the plural category of its number `{n}`; a language has those that its grammar has. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

type Wording<Text> = Text extends string
  ? string
  : Text extends readonly string[]
    ? string[]
    : Text extends { one: string; other: string }
      ? Plural
      : { [Key in keyof Text]: Wording<Text[Key]> }

/** The texts of the room and of what is around every page: the keys of the English ones, which every language has. */
export type FirstWords = Wording<typeof first>

/** The texts of the other pages, which are loaded with the first of them. */
export type PageWords = Wording<typeof pages>

/** The texts of the page in one language. */
export type Words = FirstWords & PageWords

type Values = Record<string, string | number>

/** Replace each `{name}` in a text by its value. */
export function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** Choose the form of a text for the number `n` in the language of the page, and fill it. */
export function plural(forms: Plural, n: number, values: Values = {}): string {
  const category = new Intl.PluralRules(document.documentElement.lang).select(n)
  return fill(forms[category] ?? forms.other, { n, ...values })
}
