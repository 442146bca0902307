import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

/** A piece of a page that a reader types into a shell. */
interface Block {
  readonly line: number
  readonly script: string
  /** Lines that it has to print, in this order; `…` stands for anything. */
  readonly shows: readonly string[]
  /** What is typed into a terminal of its own goes on until the end. */
  readonly ownTerminal: boolean
  /** Why a test cannot run it. */
  readonly notRun?: string
}

const FENCE = /^( *)```(\w*)\s*$/
const NOT_RUN = /^ *<!-- not run: (.+) -->$/
const OWN_TERMINAL = /^ *<!-- a terminal of its own -->$/

/**
 * The blocks of a page. `sh` fences are run. A `text` fence right after one has what it prints. A comment in front of
 * a fence says that it is not run, and why, or that it has a terminal of its own.
 */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  const lines = markdown.split('\n')
  let note = ''
  let follows = false
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', language] = FENCE.exec(lines[at] ?? '') ?? []
    if (language === undefined) {
      if (lines[at]?.trim()) [note, follows] = [lines[at] ?? '', false]
      continue
    }
    const line = at + 1
    const held: string[] = []
    for (at++; at < lines.length && lines[at] !== `${indent}\`\`\``; at++)
      held.push((lines[at] ?? '').slice(indent.length))
    const last = blocks.at(-1)
    if (language === 'text' && follows && last) blocks[blocks.length - 1] = { ...last, shows: held }
    follows = language === 'sh'
    if (follows) {
      const [, notRun] = NOT_RUN.exec(note) ?? []
      const ownTerminal = OWN_TERMINAL.test(note)
      const script = `${held.join('\n')}\n`
      blocks.push({ line, script, shows: [], ownTerminal, ...(notRun && { notRun }) })
    }
    note = ''
  }
  return blocks
}

/** By its path in the repository. */
export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8')

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The first of these lines that is not there, or not after those before it. */
export function missingLine(shows: readonly string[], printed: string): string | undefined {
  const lines = printed.split('\n').map((line) => line.trimEnd())
  let from = 0
  for (const shown of shows.filter((line) => line.trim() && line.trim() !== '…')) {
    // People read columns, so how wide they are does not matter.
    const words = shown
      .trim()
      .split(/\s+/)
      .map((word) => word.split('…').map(quoted).join('.*'))
    const pattern = new RegExp(`^\\s*${words.join('\\s+')}$`)
    const found = lines.findIndex((line, index) => index >= from && pattern.test(line))
    if (found < 0) return shown
    from = found + 1
  }
  return undefined
}

interface Where {
  /** The folder that the page starts in; the reader's home unless said. */
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
}

export interface Reader {
  /** Does what the page says. Throws at the first block that fails or prints something else. */
  follow(page: string, where?: Where): Promise<void>
  /** Ends what still runs in terminals. */
  leave(): Promise<void>
}

interface ReaderOptions {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  /** How pages spell what is another thing on this machine, as ports. */
  readonly spelling: ReadonlyMap<string, string>
}

/** Somebody who types what is on a page, block by block, into one shell. */
export function createReader({ home, env, spelling }: ReaderOptions): Reader {
  const terminals: ChildProcess[] = []
  const respell = (text: string): string =>
    [...spelling].reduce((all, [from, to]) => all.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to), text)

  const openShell = ({ folder = home, env: more }: Where = {}): ChildProcess =>
    spawn('bash', ['--noprofile', '--norc', '-euo', 'pipefail'], {
      cwd: folder,
      env: { ...env, ...more, HOME: home },
      stdio: ['pipe', 'pipe', 'pipe'],
      // With what it starts it is a group, which is ended as one.
      detached: true,
    })

  /** Types a script; answers all it printed until this is there, or until the shell ended. */
  async function type(shell: ChildProcess, script: string, until: (printed: string) => boolean) {
    let printed = ''
    const done = Promise.withResolvers<boolean>()
    const hear = (part: string) => {
      printed += part
      if (until(printed)) done.resolve(true)
    }
    const end = () => done.resolve(false)
    shell.stdout?.setEncoding('utf8').on('data', hear)
    shell.stderr?.setEncoding('utf8').on('data', hear)
    shell.once('close', end)
    shell.stdin?.write(script)
    const alive = await done.promise
    shell.stdout?.off('data', hear).resume()
    shell.stderr?.off('data', hear).resume()
    shell.off('close', end)
    return { printed, alive }
  }

  async function close(shell: ChildProcess): Promise<void> {
    if (shell.exitCode !== null || shell.signalCode !== null) return
    // Not before what it started has ended as well and let go of the output.
    const gone = once(shell, 'close')
    if (shell.pid) process.kill(-shell.pid, 'SIGTERM')
    await gone
  }

  return {
    async follow(page, where) {
      const shell = openShell(where)
      try {
        for (const [index, block] of blocksOf(readPage(page)).entries()) {
          if (block.notRun) continue
          const shows = block.shows.map(respell)
          // From a file and without input, so that no command takes the rest of the page for its own.
          const file = join(home, `.${page.replaceAll('/', '-')}-${index}.sh`)
          writeFileSync(file, respell(block.script))
          const end = `block ${index} is done`
          const fail = (what: string, printed: string): never => {
            throw new Error(`${page}:${block.line}: ${what}\n\n${block.script}\n${printed}`)
          }
          if (block.ownTerminal) {
            const terminal = openShell()
            terminals.push(terminal)
            const ready = (printed: string) => missingLine(shows, printed) === undefined
            const { printed, alive } = await type(terminal, `source ${file} < /dev/null\n`, ready)
            if (!alive) fail('it ended', printed)
            continue
          }
          const typed = `source ${file} < /dev/null 2>&1\nprintf '\\n%s\\n' "${end}"\n`
          const { printed, alive } = await type(shell, typed, (text) => text.endsWith(`${end}\n`))
          if (!alive) fail('it failed', printed)
          const missing = missingLine(shows, printed)
          if (missing !== undefined) fail(`it did not print: ${missing}`, printed)
        }
      } finally {
        await close(shell)
      }
    },
    async leave() {
      await Promise.all(terminals.map(close))
    },
  }
}
