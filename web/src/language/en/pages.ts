import activity from './activity.json'
import health from './health.json'
import metrics from './metrics.json'
import palette from './palette.json'
import settings from './settings.json'
import toolHelp from './toolHelp.json'
import tools from './tools.json'

export default { ...activity, ...health, ...metrics, ...palette, ...settings, ...toolHelp, ...tools }
