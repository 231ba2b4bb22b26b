/** Which buttons of a message the viewer sees, and which of them still do something. */

import type { Choice, Message } from '../wire/frames'

export interface Button {
  choice: Choice
  isUsed: boolean
}

/** The facts beside the message that decide about its buttons. */
export interface Viewpoint {
  me: string
  now: number
  /** The texts of the viewer's own replies to the message. */
  replies: readonly string[]
  /** Those of them that the bot does not have yet. */
  waiting: readonly string[]
  /** Who wrote the message that this one answers, if it is known. */
  asker: string | undefined
  /** Who set the reminder that the message delivers, if it is known. */
  creator: string | undefined
}

/** Whether the viewer may press `choice`: the bot says so; of an older one it follows from whom the message is for. */
function isFor(choice: Choice, message: Message, view: Viewpoint): boolean {
  if (choice.only_for) return !choice.only_for.length || choice.only_for.includes(view.me)
  if (message.reminder) {
    if (view.creator === view.me) return true
    const named = (message.mentions ?? []).filter((who) => who !== '@all')
    return named.length ? named.includes(view.me) : view.creator === undefined
  }
  return view.asker === undefined || view.asker === view.me
}

/** Whether `choice` does nothing any more. A press counts until the bot has it; from then on the bot says what is used. */
function isUsed(choice: Choice, message: Message, view: Viewpoint): boolean {
  if (view.waiting.includes(choice.says)) return true
  if (choice.state) {
    const isOver = !!choice.expires_at && Date.parse(choice.expires_at) <= view.now
    return choice.state !== 'live' || isOver
  }
  if (message.reminder) return view.replies.includes(choice.says)
  // A question has one answer.
  return !!message.choices?.some((each) => view.replies.includes(each.says))
}

/** The buttons of `message` that are the viewer's. */
export function buttonsOf(message: Message, view: Viewpoint): Button[] {
  const choices = (message.choices ?? []).filter((choice) => isFor(choice, message, view))
  return choices.map((choice) => ({ choice, isUsed: isUsed(choice, message, view) }))
}

/** When the next button of `message` expires, in milliseconds since 1970; undefined where none will. */
export function nextExpiry(message: Message, now: number): number | undefined {
  const times = (message.choices ?? []).map((choice) => Date.parse(choice.expires_at ?? '')).filter((time) => time > now)
  return times.length ? Math.min(...times) : undefined
}
