import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onLoadCore } from './cores.ts'
import { isTrial } from './trial.ts'

type Headers = Readonly<Record<string, string>>

function headersOf({ Host: host, ...headers }: Headers): string[] {
  const all = { ...headers, ...(host === undefined ? {} : { ':authority': host }) }
  return Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
}

/** Answers how many requests were served. */
async function start(url: string, args: readonly string[]): Promise<number> {
  const child = spawn(...onLoadCore('h2load', [...args, url]), { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('')
  const served = /status codes: (\d+) 2xx/.exec(output)?.[1]
  const failed = / ([1-9]\d*) (?:[345]xx|failed|errored|timeout)/.exec(output)?.[0]
  if (served === undefined || served === '0' || failed !== undefined)
    throw new Error(`${url}: ${failed ?? output}`)
  return Number(served)
}

/** Asks for one address over HTTP/2; answers how many requests were served. */
export async function h2load(url: string, seconds: number, headers: Headers = {}): Promise<number> {
  if (seconds === 0) return 0
  const howLong = isTrial ? ['--requests=128'] : [`--duration=${seconds}`, '--warm-up-time=0']
  return start(url, ['-t1', '-c8', '-m16', ...howLong, ...headersOf(headers)])
}

/** Asks for one address so many times over HTTP/1.1. */
export const askTimes = (url: string, times: number, headers: Headers = {}): Promise<number> =>
  start(url, ['--h1', '-t1', '-c16', `--requests=${times}`, ...headersOf(headers)])

/** Requests a second of a connection: it looks only every 10 ms whether one is due. */
const MOST_EACH = 95
/** Between the beginnings of two connections, so that they do not all ask at the same time. */
const APART_MS = 3
/** Left out at the beginning. */
const WARM_MS = 500

export interface Pace {
  /** Requests a second, of all connections together. */
  readonly rate: number
  readonly seconds: number
  readonly http2: boolean
}

/**
 * Asks for one address at a steady rate. Answers how many milliseconds each request took from when it was due: one that was
 * sent late because the one before it on its connection was not answered has waited as well.
 */
export async function paced(url: string, pace: Pace, headers: Headers = {}): Promise<number[]> {
  const { rate, seconds, http2 } = pace
  const connections = Math.ceil(rate / MOST_EACH)
  const each = rate / connections
  const perConnection = Math.max(2, Math.round(each * seconds))
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bench-paced-'))
  const log = join(folder, 'requests')
  try {
    await start(url, [
      ...(http2 ? ['-m16'] : ['--h1']),
      ...['-t1', `-c${connections}`, '-r1', `--rate-period=${APART_MS}ms`],
      ...[`--rps=${each}`, `--requests=${connections * perConnection}`, `--log-file=${log}`],
      ...headersOf(headers),
    ])
    const due = Array.from({ length: connections }, (_, n) =>
      Array.from({ length: perConnection }, (_, i) => n * APART_MS + (i * 1000) / each),
    )
      .flat()
      .sort((a, b) => a - b)
    const allBegun = connections * APART_MS + (isTrial ? 0 : WARM_MS)
    const firstEnds = (perConnection * 1000) / each
    return waitsIn(await readFile(log, 'utf8'), due, (at) => isTrial || (at >= allBegun && at < firstEnds))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A line is when a request was sent, in microseconds, its status, and how many microseconds later its answer had come. */
function waitsIn(log: string, due: readonly number[], counts: (dueAt: number) => boolean): number[] {
  const sent = log
    .trim()
    .split('\n')
    .map((line) => line.split('\t').map(Number))
    .map(([at = 0, , took = 0]) => ({ at: at / 1000, took: took / 1000 }))
    .sort((a, b) => a.at - b.at)
  const begin = sent[0]?.at ?? 0
  return sent.flatMap(({ at, took }, n) => {
    const dueAt = due[n] ?? 0
    return counts(dueAt) ? [Math.max(0, at - begin - dueAt) + took] : []
  })
}
