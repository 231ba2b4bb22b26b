/** Lists as people and models write them, made into the lists that Markdown reads. */

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)/
const FENCE = /^\s*(?:```|~~~)/

interface Level {
  /** The column of the marker as it was written. */
  indent: number
  /** The column where the text of the item begins, after it was moved. */
  content: number
  /** How far the item was moved to the right. */
  moved: number
}

/** Move an item that stands below another one, but not far enough to the right to be inside of it: "1. a" over "  - b". */
function placed(line: string, levels: Level[]): string {
  const [whole = '', space = '', marker = '', gap = ''] = ITEM.exec(line) ?? []
  const indent = space.length
  while (levels.length && (levels.at(-1) as Level).indent >= indent) levels.pop()
  const parent = levels.at(-1)
  const moved = parent ? Math.max(parent.moved, parent.content - indent) : 0
  levels.push({ indent, content: indent + moved + marker.length + 1, moved })
  return `${' '.repeat(moved)}${space}${marker}${gap}${line.slice(whole.length)}`
}

/** Keep lists apart from the lines around them, and items inside of their parents.
 *
 * Markdown would make a line after a list part of its last item, and an item that is indented less than the text of its
 * parent an item beside it.
 */
export function withNestedLists(text: string): string {
  let levels: Level[] = []
  let isInCode = false
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const isFence = FENCE.test(line)
    const wasInList = levels.length > 0
    if (!isInCode && !isFence && ITEM.test(line)) {
      const item = placed(line, levels)
      lines.push(wasInList || !lines.at(-1)?.trim() ? item : `\n${item}`)
    } else if (wasInList && (isInCode || !line.trim() || /^\s/.test(line))) {
      lines.push(line.trim() ? ' '.repeat((levels.at(-1) as Level).moved) + line : line)
    } else {
      levels = []
      lines.push(wasInList && lines.at(-1)?.trim() ? `\n${line}` : line)
    }
    if (isFence) isInCode = !isInCode
  }
  return lines.join('\n')
}
