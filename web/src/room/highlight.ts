/** Colours code: loaded with the first block of code that names its language. */

import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'

const lowlight = createLowlight({ bash, css, diff, go, ini, java, javascript, json, python, rust, sql, typescript, xml, yaml })

export interface Token {
  text: string
  className: string
}

interface Node {
  type: string
  value?: string
  properties?: { className?: string[] }
  children?: Node[]
}

function tokensOf(node: Node, className: string): Token[] {
  if (node.type === 'text') return [{ text: node.value ?? '', className }]
  const own = node.properties?.className?.join(' ') ?? className
  return (node.children ?? []).flatMap((child) => tokensOf(child, own))
}

/** The words of `code` with the classes of their kinds; null for a language that is not known. */
export function highlight(code: string, language: string): Token[] | null {
  if (!lowlight.registered(language)) return null
  return tokensOf(lowlight.highlight(language, code) as Node, '')
}
