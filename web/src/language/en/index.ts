import join from './join.json'
import reminders from './reminders.json'
import room from './room.json'
import shell from './shell.json'
import tools from './tools.json'

export default { ...join, ...reminders, ...room, ...shell, ...tools }
