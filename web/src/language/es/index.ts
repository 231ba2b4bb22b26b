import type { FirstWords } from '../words'
import join from './join.json'
import reminders from './reminders.json'
import room from './room.json'
import shell from './shell.json'
import tools from './tools.json'

const words: FirstWords = { ...join, ...reminders, ...room, ...shell, ...tools }

export default words
