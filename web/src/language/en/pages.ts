import activity from './activity.json'
import health from './health.json'
import metrics from './metrics.json'

export default { ...activity, ...health, ...metrics }
