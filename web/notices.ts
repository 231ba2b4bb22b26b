import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

interface Manifest {
  name: string
  version: string
  license?: string
  dependencies?: Record<string, string>
}

const PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//
const LICENCE = /^(licen[cs]e|copying)/i

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function entry(folder: string): string {
  const { name, version, license } = manifestOf(folder)
  const file = readdirSync(folder).find((each) => LICENCE.test(each))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license ?? 'see its package'}`
  return `${name} ${version} (${license ?? 'licence below'})\n\n${text.replaceAll('\r\n', '\n')}\n`
}

/** Writes third-party-notices.txt beside the page: the licence of every package whose code or fonts are in the build. */
export function notices(root: string): Plugin {
  return {
    name: 'third-party-notices',
    generateBundle(_, bundle) {
      const direct = Object.keys(manifestOf(root).dependencies ?? {})
      const folders = new Set(direct.map((name) => join(root, 'node_modules', name)))
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        for (const id of chunk.moduleIds) {
          const folder = PACKAGE.exec(id.replaceAll('\\', '/').replace(/^\0/, ''))?.[1]
          if (folder) folders.add(folder)
        }
      }
      const entries = [...folders].map(entry)
      const source = [...new Set(entries)].sort().join(`\n${'-'.repeat(72)}\n\n`)
      this.emitFile({ type: 'asset', fileName: 'third-party-notices.txt', source })
    },
  }
}

export const ROOT = dirname(new URL(import.meta.url).pathname)
