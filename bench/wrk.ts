import { type ChildProcess, spawn } from 'node:child_process'
import { onLoadCore } from './cores.ts'
import { cpuSecondsOfOne } from './process-cpu.ts'
import { amount, isTrial } from './trial.ts'

const CONNECTIONS = amount(32, 4)
/** Seconds. A trial ends as soon as something was measured. */
const LONGEST_TRIAL = 30
/** Of its own CPU time. Handshakes take some of it before anything is asked. */
const trialCpuSeconds = (url: string): number => (url.startsWith('https:') ? 0.1 : 0.05)

/** Asks for one address over connections that are kept alive; answers how many requests were served. */
export async function wrk(
  url: string,
  seconds: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  if (seconds === 0) return 0
  const extra = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  // On a busy machine the first answer may take longer than the two seconds after which it gives up by itself.
  const howLong = isTrial ? [`-d${LONGEST_TRIAL}s`, `--timeout=${LONGEST_TRIAL}s`] : [`-d${seconds}s`]
  const args = ['-t1', `-c${CONNECTIONS}`, ...howLong, ...extra, url]
  const child = spawn(...onLoadCore('wrk', args), { stdio: ['ignore', 'pipe', 'inherit'] })
  const enough = isTrial ? endSoon(child, trialCpuSeconds(url)) : undefined
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('')
  clearInterval(enough)
  const served = /(\d+) requests in/.exec(output)?.[1]
  const failed = /Non-2xx[^\n]*|Socket errors[^\n]*/.exec(output)?.[0]
  if (served === undefined || served === '0' || failed !== undefined)
    throw new Error(`${url}: ${failed ?? output}`)
  return Number(served)
}

/** It takes whole seconds alone, and prints what it has counted when it is interrupted. */
const endSoon = (child: ChildProcess, cpuSeconds: number): NodeJS.Timeout =>
  setInterval(() => {
    // By the time that it had, not by the clock: on a busy machine it may not have begun yet.
    if (cpuSecondsOfOne(child.pid as number) >= cpuSeconds) child.kill('SIGINT')
  }, 25)
