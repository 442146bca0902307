import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { showLimit } from '#contract/amounts.ts'
import { CliError, EXIT, usageError } from './exit.ts'
import { safeText } from './output/plain-text.ts'

export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

export interface Prompt {
  /** Whether everything was agreed to beforehand, with `--yes`. */
  readonly agreed: boolean
  /** Whether there is somebody to ask. */
  readonly canAsk: boolean
  /** One line of text. Where nobody can answer it refuses, and `instead` says how to do without. */
  ask(question: string, instead: string): Promise<string>
  /**
   * A value that nobody should see: typed without showing, or all of stdin when that is no terminal,
   * without the line break at its end.
   */
  secret(question: string, instead: string): Promise<string>
  /** Returns when the person agrees, or did beforehand with `--yes`; throws otherwise. */
  confirm(question: string): Promise<void>
  /** The same where `--yes` is not enough, because nobody who adds it to every line means this as well. */
  agree(question: string, unanswered: CliError): Promise<void>
}

const cancelled = () => new CliError(EXIT.cancelled, 'Cancelled.')

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

/** More than anything that is asked for may hold. */
const MOST = 1024 * 1024

async function readAll(input: Terminal['input']): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > MOST) throw usageError(`Too much input on stdin: the limit is ${showLimit(MOST)}.`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '')
}

/** Questions go to stderr, so that they are seen while the result is piped. */
export function createPrompt({ input, output }: Terminal, yes: boolean): Prompt {
  const canAsk = input.isTTY === true && output.isTTY === true

  async function readLine(text: string, hidden = false): Promise<string> {
    const question = safeText(text)
    if (hidden) output.write(question)
    const lines = hidden
      ? createInterface({ input, output: nowhere(), terminal: true })
      : createInterface({ input, output })
    // Left alone, the end of input would leave the question open for ever.
    const stopped = new Promise<never>((_resolve, reject) => {
      lines.once('SIGINT', () => {
        output.write('\n')
        reject(cancelled())
      })
      lines.once('close', () => reject(cancelled()))
    })
    try {
      const answer = await Promise.race([lines.question(hidden ? '' : question), stopped])
      if (hidden) output.write('\n')
      return hidden ? answer : answer.trim()
    } finally {
      stopped.catch(() => {})
      lines.close()
    }
  }

  async function beToldYes(question: string): Promise<void> {
    const answer = await readLine(`${question} [y/N] `)
    if (!/^y(?:es)?$/i.test(answer)) throw cancelled()
  }

  return {
    agreed: yes,
    canAsk,
    async ask(question, instead) {
      if (!canAsk) throw usageError('Input is missing, and there is no terminal to ask in.', instead)
      return readLine(`${question} `)
    },
    async secret(question, instead) {
      const missing = () => usageError('The value is missing, and there is no terminal to ask in.', instead)
      if (input.isTTY !== true) {
        const value = await readAll(input)
        if (value === '') throw missing()
        return value
      }
      if (!canAsk) throw missing()
      const value = await readLine(`${question} `, true)
      if (value === '') throw usageError('No input; nothing was changed.', instead)
      return value
    },
    async confirm(question) {
      if (yes) return
      if (!canAsk)
        throw usageError(
          'This needs confirmation, and there is no terminal to ask in.',
          'Add --yes to continue without asking.',
        )
      await beToldYes(question)
    },
    async agree(question, unanswered) {
      if (!canAsk) throw unanswered
      await beToldYes(question)
    },
  }
}
