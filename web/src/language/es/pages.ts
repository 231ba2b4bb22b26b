import type { PageWords } from '../words'
import activity from './activity.json'
import health from './health.json'
import metrics from './metrics.json'
import palette from './palette.json'
import settings from './settings.json'
import toolHelp from './toolHelp.json'
import tools from './tools.json'

const words: PageWords = { ...activity, ...health, ...metrics, ...palette, ...settings, ...toolHelp, ...tools }

export default words
