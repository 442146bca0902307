import { type Channel, kindOf } from '#adapters/ipc/channel.ts'

/** A question that one end of a channel can put to the other. */
export interface Topic<Answer> {
  readonly name: string
  /** How many ms an answer is waited for; without, as long as it takes. */
  readonly timeout?: number
  /** Never there; keeps the type of the answer with the name. */
  readonly answer?: Answer
}

/** Asks the other end. Undefined where there was no answer in time. */
export type Ask<Answer> = () => Promise<Answer | undefined>

/** Made once for a topic and an end of a channel. */
export function createAsk<Answer>(channel: Channel, { name, timeout }: Topic<Answer>): Ask<Answer> {
  const waiting = new Map<number, (answer: Answer | undefined) => void>()
  let asked = 0
  const settle = (id: number, answer: Answer | undefined) => {
    waiting.get(id)?.(answer)
    waiting.delete(id)
  }
  channel.onMessage((message) => {
    if (kindOf(message) !== `${name}.answer`) return
    const { id, answer } = message as { id: number; answer: Answer }
    settle(id, answer)
  })
  return () => {
    const id = asked++
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
    waiting.set(id, resolve)
    const timer = timeout === undefined ? undefined : setTimeout(() => settle(id, undefined), timeout)
    channel.send({ kind: `${name}.ask`, id })
    return promise.finally(() => clearTimeout(timer))
  }
}

/** Answers what the other end asks. An answer that fails is none: whoever asked waits for so long and no longer. */
export function answerTo<Answer>(
  channel: Channel,
  { name }: Topic<Answer>,
  answer: () => Answer | Promise<Answer>,
): void {
  channel.onMessage((message) => {
    if (kindOf(message) !== `${name}.ask`) return
    const { id } = message as { id: number }
    Promise.resolve()
      .then(answer)
      .then(
        (found) => channel.send({ kind: `${name}.answer`, id, answer: found }),
        () => undefined,
      )
  })
}
