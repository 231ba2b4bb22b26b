import { existsSync } from 'node:fs'
import type { Plugin } from 'vite'

const CLASS_NAMES = /^(.*\/@mantine\/core)\/esm\/.+\/(\w+)\.module\.mjs$/

/** Loads the styles of a Mantine component with the component, so that a chunk brings those of its own components only.
 *
 * They are in the cascade layer `mantine`: the page's own styles win whatever is loaded later.
 */
export function componentStyles(): Plugin {
  return {
    name: 'mantine-component-styles',
    transform(code, id) {
      const found = CLASS_NAMES.exec(id.replaceAll('\\', '/'))
      const file = found && `${found[1]}/styles/${found[2]}.layer.css`
      return file && existsSync(file) ? { code: `${code}\nimport '${file}'\n`, map: null } : undefined
    },
  }
}
