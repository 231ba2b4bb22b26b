import cards from './cards.json'
import join from './join.json'
import reminders from './reminders.json'
import room from './room.json'
import rooms from './rooms.json'
import shell from './shell.json'

export default { ...cards, ...join, ...reminders, ...room, ...rooms, ...shell }
