import { createInterface } from 'node:readline/promises'
import { CliError, EXIT, usageError } from './exit.ts'

export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

export interface Prompt {
  /** One line of text. Where nobody can answer it refuses, and `instead` says how to do without. */
  ask(question: string, instead: string): Promise<string>
  /** Returns when the person agrees, or did beforehand with `--yes`; throws otherwise. */
  confirm(question: string): Promise<void>
}

const cancelled = () => new CliError(EXIT.cancelled, 'You stopped it; nothing was changed.')

/** Questions go to stderr, so that they are seen while the result is piped. */
export function createPrompt({ input, output }: Terminal, yes: boolean): Prompt {
  const canAsk = input.isTTY === true && output.isTTY === true

  async function readLine(question: string): Promise<string> {
    const lines = createInterface({ input, output })
    // Left alone, the end of input would leave the question open for ever.
    const stopped = new Promise<never>((_resolve, reject) => {
      lines.once('SIGINT', () => {
        output.write('\n')
        reject(cancelled())
      })
      lines.once('close', () => reject(cancelled()))
    })
    try {
      return (await Promise.race([lines.question(question), stopped])).trim()
    } finally {
      stopped.catch(() => {})
      lines.close()
    }
  }

  return {
    async ask(question, instead) {
      if (!canAsk) throw usageError('Something is missing, and nobody can be asked for it here.', instead)
      return readLine(`${question} `)
    },
    async confirm(question) {
      if (yes) return
      if (!canAsk)
        throw usageError(
          'This needs your consent, and nobody can be asked here.',
          'Add --yes to go on without asking.',
        )
      const answer = await readLine(`${question} [y/N] `)
      if (!/^y(?:es)?$/i.test(answer))
        throw new CliError(EXIT.failure, 'You did not agree; nothing was changed.')
    },
  }
}
