import { type Channel, kindOf } from './channel.ts'
import { giveUpAfter } from './give-up-after.ts'

/** A question that one end of a channel can put to the other. */
export interface Topic<Answer, Question = void> {
  readonly name: string
  /** How many ms an answer is waited for; without, as long as it takes. */
  readonly timeout?: number
  /** What the parts of its messages are called, if earlier versions call them something else. */
  readonly parts?: Parts
  /** Never there; keeps the types of the question and its answer with the name. */
  readonly types?: { readonly question: Question; readonly answer: Answer }
}

interface Parts {
  readonly id: string
  readonly question: string
  readonly answer: string
}

const PARTS: Parts = { id: 'id', question: 'question', answer: 'answer' }

/** Asks the other end. Undefined if there was no answer in time. */
export type Ask<Answer, Question = void> = (question: Question) => Promise<Answer | undefined>

/** Made once for a topic and an end of a channel. */
export function createAsk<Answer, Question>(
  channel: Channel,
  { name, timeout, parts = PARTS }: Topic<Answer, Question>,
): Ask<Answer, Question> {
  const [askKind, answerKind] = [`${name}.ask`, `${name}.answer`]
  const waiting = new Map<unknown, (answer: Answer | undefined) => void>()
  let asked = 0
  channel.onMessage((message) => {
    if (kindOf(message) !== answerKind) return
    const { [parts.id]: id, [parts.answer]: answer } = message as Record<string, unknown>
    waiting.get(id)?.(answer as Answer)
  })
  return (question) => {
    const id = ++asked
    return new Promise((resolve) => {
      const settle = (answer: Answer | undefined) => {
        waiting.delete(id)
        clearTimeout(timer)
        resolve(answer)
      }
      const timer = timeout === undefined ? undefined : giveUpAfter(timeout, () => settle(undefined))
      waiting.set(id, settle)
      try {
        channel.send({ kind: askKind, [parts.id]: id, [parts.question]: question })
      } catch {
        settle(undefined)
      }
    })
  }
}

/**
 * Answers what the other end asks, which may be anything, as that end may be confused or taken over. An answer that fails is
 * none: whoever asked waits for so long and no longer.
 */
export function answerTo<Answer, Question>(
  channel: Channel,
  { name, parts = PARTS }: Topic<Answer, Question>,
  answer: (question: unknown) => Answer | Promise<Answer>,
): void {
  const [askKind, answerKind] = [`${name}.ask`, `${name}.answer`]
  channel.onMessage(async (message) => {
    if (kindOf(message) !== askKind) return
    const { [parts.id]: id, [parts.question]: question } = message as Record<string, unknown>
    try {
      channel.send({ kind: answerKind, [parts.id]: id, [parts.answer]: await answer(question) })
    } catch {
      // There is no answer, or the process that asked is gone.
    }
  })
}
