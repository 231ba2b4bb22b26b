import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
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

export default defineConfig({
  plugins: [react(), componentStyles(), emoji(ROOT), notices(ROOT)],
  build: {
    outDir: '../bot/http/pages',
    emptyOutDir: true,
    // The content security policy refuses data: addresses of fonts.
    assetsInlineLimit: 0,
    target: 'es2022',
    chunkSizeWarningLimit: 800,
    reportCompressedSize: false,
    rolldownOptions: {
      // One file for everything that is needed first: on a slow computer thirty small ones take longer.
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }, { name: 'room', test: ROOM }] } },
    },
  },
  server: {
    proxy: {
      '/api': { target: BOT, ws: true },
      '/health': BOT,
    },
  },
})
