import activity from './activity.json'
import health from './health.json'
import metrics from './metrics.json'
import settings from './settings.json'
import toolHelp from './toolHelp.json'

export default { ...activity, ...health, ...metrics, ...settings, ...toolHelp }
