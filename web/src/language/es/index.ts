import type { Words } from '../words'
import activity from './activity.json'
import health from './health.json'
import join from './join.json'
import metrics from './metrics.json'
import reminders from './reminders.json'
import room from './room.json'
import shell from './shell.json'
import tools from './tools.json'

const words: Words = { ...shell, ...join, ...room, ...reminders, ...tools, ...activity, ...health, ...metrics }

export default words
