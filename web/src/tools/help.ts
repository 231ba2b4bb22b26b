import { told } from '../language/bilingual'
import { useLanguage, useWords } from '../language/language'
import type { Tool } from './api'
import type { Schema } from './schema'

const isBuiltIn = (tool: Tool): boolean => tool.source === 'built-in'

/** Return what a tool does in the language of the page: our own words for the built-in ones, else its description. */
export function useToolHelp(): (tool: Tool) => string {
  const language = useLanguage((state) => state.language)
  const texts: Record<string, string> = useWords().toolHelp ?? {}
  return (tool) => (isBuiltIn(tool) ? texts[tool.name] : undefined) ?? told(tool.description, language)
}

/** Return the meaning of an argument of `tool` in the language of the page, as `useToolHelp` does. */
export function useArgumentHelp(tool: Tool): (name: string, schema: Schema) => string | undefined {
  const language = useLanguage((state) => state.language)
  const texts: Record<string, string> = useWords().argumentHelp ?? {}
  return (name, schema) =>
    (isBuiltIn(tool) ? (texts[`${tool.name}.${name}`] ?? texts[name]) : undefined) ?? (schema.description && told(schema.description, language))
}
