import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  /** Both, in the order in which they came. */
  readonly all: string
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** As soon as it prints this, it is let go. */
  readonly until?: RegExp
  /** Called with everything that it has printed, whenever there is more. */
  readonly onOutput?: (all: string) => void
}

const LONGEST = 180_000

/** A program as somebody runs it in a terminal. What it asks is answered by what it is given. */
export async function runCommand(
  command: readonly [string, ...string[]],
  { cwd, env = {}, input, until, onOutput }: RunOptions,
): Promise<Ran> {
  const [program, ...args] = command
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env } as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST)
  let [stdout, all] = ['', '']
  const take = (text: string): void => {
    all += text
    onOutput?.(all)
    if (until?.test(all)) child.kill('SIGINT')
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    take(text)
  })
  child.stderr.setEncoding('utf8').on('data', take)
  child.stdin.on('error', () => {})
  child.stdin.end(input ?? '')
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  return { code: until?.test(all) ? 0 : code, stdout, all }
}
