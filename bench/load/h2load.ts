import { spawn } from 'node:child_process'
import { onLoadCore } from '../measure/cores.ts'
import { isTrial } from '../measure/trial.ts'

type Headers = Readonly<Record<string, string>>

function headersOf({ Host: host, ...headers }: Headers): string[] {
  const all = { ...headers, ...(host === undefined ? {} : { ':authority': host }) }
  return Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
}

interface Served {
  readonly count: number
  readonly perSecond: number
}

async function start(url: string, args: readonly string[]): Promise<Served> {
  const child = spawn(...onLoadCore('h2load', [...args, url]), { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('')
  const served = /status codes: (\d+) 2xx/.exec(output)?.[1]
  const failed = / ([1-9]\d*) (?:[345]xx|failed|errored|timeout)/.exec(output)?.[0]
  if (served === undefined || served === '0' || failed !== undefined)
    throw new Error(`${url}: ${failed ?? output}`)
  return { count: Number(served), perSecond: Number(/, ([\d.]+) req\/s/.exec(output)?.[1]) }
}

async function startHttp2(url: string, seconds: number, headers: Headers): Promise<Served> {
  const howLong = isTrial ? ['--requests=128'] : [`--duration=${seconds}`, '--warm-up-time=0']
  return start(url, ['-t1', '-c8', '-m16', ...howLong, ...headersOf(headers)])
}

/** Asks for one address over HTTP/2; answers how many requests were served. */
export async function h2load(url: string, seconds: number, headers: Headers = {}): Promise<number> {
  if (seconds === 0) return 0
  return (await startHttp2(url, seconds, headers)).count
}

/** The same; answers how many requests were served in each second. */
export const h2loadRate = async (url: string, seconds: number, headers: Headers = {}): Promise<number> =>
  (await startHttp2(url, seconds, headers)).perSecond

/** Asks for one address so many times over HTTP/1.1. */
export const askTimes = async (url: string, times: number, headers: Headers = {}): Promise<number> =>
  (await start(url, ['--h1', '-t1', '-c16', `--requests=${times}`, ...headersOf(headers)])).count
