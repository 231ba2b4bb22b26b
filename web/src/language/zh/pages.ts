import type { PageWords } from '../words'
import activity from './activity.json'
import health from './health.json'
import metrics from './metrics.json'

const words: PageWords = { ...activity, ...health, ...metrics }

export default words
