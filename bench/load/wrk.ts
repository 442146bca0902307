import { type ChildProcess, spawn } from 'node:child_process'
import { onLoadCore } from '../measure/cores.ts'
import { cpuSecondsOfOne } from '../measure/process-cpu.ts'
import { amount, isTrial } from '../measure/trial.ts'

const CONNECTIONS = amount(32, 4)
/** Seconds. A trial ends as soon as something was measured. */
const LONGEST_TRIAL = 30
/** Of its own CPU time. Handshakes take some of it before anything is asked. */
const trialCpuSeconds = (url: string): number => (url.startsWith('https:') ? 0.05 : 0.02)

type Headers = Readonly<Record<string, string>>

/** Answers what it prints. */
async function start(
  url: string,
  seconds: number,
  headers: Headers,
  options: readonly string[],
): Promise<string> {
  const extra = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  // On a busy machine the first answer may take longer than the two seconds after which it gives up by itself.
  const howLong = isTrial ? [`-d${LONGEST_TRIAL}s`, `--timeout=${LONGEST_TRIAL}s`] : [`-d${seconds}s`]
  const args = ['-t1', ...options, ...howLong, ...extra, url]
  const child = spawn(...onLoadCore('wrk', args), { stdio: ['ignore', 'pipe', 'inherit'] })
  const enough = isTrial ? endSoon(child, trialCpuSeconds(url)) : undefined
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('')
  clearInterval(enough)
  return output
}

function servedIn(url: string, output: string): number {
  const served = /(\d+) requests in/.exec(output)?.[1]
  const failed = /Non-2xx[^\n]*|Socket errors[^\n]*/.exec(output)?.[0]
  if (served === undefined || served === '0' || failed !== undefined)
    throw new Error(`${url}: ${failed ?? output}`)
  return Number(served)
}

/** Asks for one address over connections that are kept alive; answers how many requests were served. */
export async function wrk(url: string, seconds: number, headers: Headers = {}): Promise<number> {
  if (seconds === 0) return 0
  return servedIn(url, await start(url, seconds, headers, [`-c${CONNECTIONS}`]))
}

/** The same, where a script of wrk says what is asked for each time. */
export async function wrkScript(url: string, seconds: number, script: string): Promise<number> {
  return servedIn(url, await start(url, seconds, {}, [`-c${CONNECTIONS}`, '-s', script]))
}

/** The same as `wrk`; answers how many requests were served in each second. */
export async function wrkRate(url: string, seconds: number, headers: Headers = {}): Promise<number> {
  const output = await start(url, seconds, headers, [`-c${CONNECTIONS}`])
  servedIn(url, output)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1])
}

const MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 }

/** The same over so many connections; answers how many milliseconds half and nearly all of the requests took. */
export async function wrkWaits(
  url: string,
  seconds: number,
  { headers, connections }: { readonly headers: Headers; readonly connections: number },
): Promise<{ readonly p50: number; readonly p99: number }> {
  const output = await start(url, seconds, headers, [`-c${connections}`, '--latency'])
  servedIn(url, output)
  const at = (share: string): number => {
    const [, value, unit = ''] = new RegExp(`${share}%\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? []
    return Number(value) * (MS[unit] ?? Number.NaN)
  }
  return { p50: at('50'), p99: at('99') }
}

/** It takes whole seconds alone, and prints what it has counted when it is interrupted. */
const endSoon = (child: ChildProcess, cpuSeconds: number): NodeJS.Timeout =>
  setInterval(() => {
    // By the time that it had, not by the clock: on a busy machine it may not have begun yet.
    if (cpuSecondsOfOne(child.pid as number) >= cpuSeconds) child.kill('SIGINT')
  }, 25)
