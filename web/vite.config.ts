import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rollup } from 'vite'
import { emoji } from './emoji'
import { componentStyles } from './mantine'
import { notices, ROOT } from './notices'

const BOT = 'http://127.0.0.1:8765'

// What the room shows at once, in one file too; the rest of its folder is loaded on demand.
const ROOM = new RegExp(
  [
    'room/(Room|Composer|Face|MessageList|MessageRow|Choices|Pictures|links|laterParts|PlainText|attaching|completion|draft)',
    'room/(Attachments|PendingRow|Stamp|TypingRow|Welcome|offered)',
    'cards/(answer|AnswerCards|FiredCard|ReminderCard|useReminder|useUndo)',
    'emoji/EmojiButton|tools/api|language/bilingual|reminders/(useWhom|Countdown|useReminderActions|api)',
  ]
    .map((part) => `/src/(${part})\\.tsx?$`)
    .join('|'),
)

// What stands beside the log, after it.
const BESIDE = /\/src\/(room\/(SidePanel|LinkPreviews)|rooms\/(RoomList|CopyLink)|reminders\/Timeline)\.tsx$/

const PARTS: Record<string, RegExp> = {
  room: /\/src\/room\/Room\.tsx$/,
  join: /\/src\/join\/Join\.tsx$/,
  ...Object.fromEntries(['en', 'es', 'zh'].map((language) => [language, new RegExp(`/src/language/${language}/index\\.ts$`)])),
}

/** Names the files of the first parts in the page, for `scheme.js`. */
function preloads(): Plugin {
  return {
    name: 'preloads',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle, chunk: first }) {
        if (!bundle || !first) return html
        const filesOf = (chunk: Rollup.OutputChunk, found = new Set<string>()): Set<string> => {
          found.add(chunk.fileName)
          for (const file of chunk.viteMetadata?.importedCss ?? []) found.add(file)
          for (const file of chunk.imports) if (!found.has(file)) filesOf(bundle[file] as Rollup.OutputChunk, found)
          return found
        }
        const isFirst = filesOf(first)
        const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
        const attributes = Object.entries(PARTS).map(([part, module]) => {
          const chunk = chunks.find((one) => one.moduleIds.some((id) => module.test(id)))
          if (!chunk) throw new Error(`no file has ${module}`)
          const files = [...filesOf(chunk)].filter((file) => !isFirst.has(file))
          return ` data-${part}="${files.map((file) => `/${file}`).join(' ')}"`
        })
        return html.replace('src="/scheme.js"', (script) => script + attributes.join(''))
      },
    },
  }
}

export default defineConfig({
  plugins: [react(), componentStyles(), emoji(ROOT), notices(ROOT), preloads()],
  build: {
    outDir: '../bot/http/pages',
    emptyOutDir: true,
    // The content security policy refuses data: addresses of fonts.
    assetsInlineLimit: 0,
    // A browser without `modulepreload` loads the same files a little later.
    modulePreload: { polyfill: false },
    target: 'es2022',
    chunkSizeWarningLimit: 800,
    reportCompressedSize: false,
    rolldownOptions: {
      // One file for everything that is needed first: on a slow computer thirty small ones take longer.
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'] },
            { name: 'room', test: ROOM },
            { name: 'field', test: /\/TextInput\.mjs$/ },
            { name: 'beside', test: BESIDE },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      '/api': { target: BOT, ws: true },
      '/health': BOT,
    },
  },
})
