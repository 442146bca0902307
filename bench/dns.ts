/**
 * DNS answers over UDP against BIND with the same zone, and against a Node program that sends each question back: answers per second of the server's own CPU time, as ratios of
 * rounds that run in turn. Each server has one core, the load the other.
 *
 *   node bench/dns.ts
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBind } from '#test/support/dns/bind.ts'
import { startChildServer } from './child-server.ts'
import { comparisons } from './compare.ts'
import { onLoadCore, toServerCore } from './cores.ts'
import { benchQuestions, benchZone } from './dns-zone.ts'
import { atHalfRate } from './half-rate.ts'
import { cpuSeconds, SHORTEST } from './process-cpu.ts'
import { printRows, type Row } from './row.ts'
import { isTrial, rounds, seconds, warmUps } from './trial.ts'

const ROUNDS = rounds(7)
const SECONDS = seconds(2)
/** How often each question is asked in a trial, whatever the clock says. */
const TRIAL_ROUNDS = 1
/** So that asking each of them once is soon over. */
const TRIAL_RATE = 5000
/** Compiling what turns out to be hot is no part of what is measured. */
const WARM_UP_SECONDS = warmUps(5)

interface Subject {
  readonly port: string
  readonly pid: number | undefined
}

interface Order {
  readonly file: string
  readonly forSeconds: number
  readonly options?: readonly string[]
}

/** Answers what it prints, if all went well. */
async function dnsperf({ port }: Subject, { file, forSeconds, options = [] }: Order): Promise<string> {
  const howLong = isTrial ? ['-n', String(TRIAL_ROUNDS)] : ['-l', String(forSeconds)]
  const args = ['-s', '127.0.0.1', '-p', port, '-d', file, ...howLong, '-c', '4', '-T', '1', ...options]
  const child = spawn(...onLoadCore('dnsperf', args), { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('')
  const codes = /Response codes:\s+(.*)/.exec(output)?.[1]
  if (codes === undefined || /SERVFAIL|REFUSED|NXDOMAIN/.test(codes)) throw new Error(output.slice(-2000))
  return output
}

/** Answers how many questions were answered. */
async function load(subject: Subject, file: string, forSeconds: number): Promise<number> {
  if (forSeconds === 0) return 0
  const output = await dnsperf(subject, { file, forSeconds })
  return Number(/Queries completed:\s+(\d+)/.exec(output)?.[1])
}

/** More than are ever under way: none waits to be sent until another was answered. */
const OUTSTANDING = '60000'

/** At a steady rate: milliseconds that each question waited. */
async function paced(subject: Subject, file: string, rate: number, forSeconds: number): Promise<number[]> {
  const options = ['-Q', String(isTrial ? TRIAL_RATE : rate), '-q', OUTSTANDING, '-v']
  const output = await dnsperf(subject, { file, forSeconds, options })
  return [...output.matchAll(/^> NOERROR .* ([\d.]+)$/gm)].map(([, seconds]) => Number(seconds) * 1000)
}

async function answersPerCpuSecond(subject: Subject, file: string): Promise<number> {
  const before = await cpuSeconds(subject.pid)
  const answered = await load(subject, file, SECONDS)
  return answered / Math.max((await cpuSeconds(subject.pid)) - before, SHORTEST)
}

/** One of the two is enough. */
const withEither = (rows: readonly Row[]): Row[] => {
  const met = rows.some((row) => row.met)
  return rows.map((row) => ({ ...row, met }))
}

export async function run(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bench-dns-'))
  const file = join(folder, 'questions')
  const zone = benchZone()
  await writeFile(file, `${benchQuestions(zone)}\n`)
  const bind = await startBind([zone])
  if (bind.pid !== undefined) toServerCore(bind.pid)
  const aloft = await startChildServer(join(import.meta.dirname, 'dns-server.ts'), [])
  const echo = await startChildServer(join(import.meta.dirname, 'limit-server.ts'), ['dgram'])
  try {
    const ours = { port: new URL(aloft.url).port, pid: aloft.pid }
    const subjects: Readonly<Record<string, Subject>> = {
      aloft: ours,
      BIND: { port: String(bind.port), pid: bind.pid },
      'a bare dgram echo': { port: new URL(echo.url).port, pid: echo.pid },
    }
    const rates = new Map<string, number[]>()
    for (const subject of Object.values(subjects)) await load(subject, file, WARM_UP_SECONDS)
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, subject] of Object.entries(subjects))
        rates.set(name, [...(rates.get(name) ?? []), await answersPerCpuSecond(subject, file)])
    const what = 'DNS answers over UDP'
    const waits = await atHalfRate({
      ...{ id: 'P9', what },
      load: (forSeconds) => load(ours, file, forSeconds),
      paced: (rate, forSeconds) => paced(ours, file, rate, forSeconds),
    })
    return [...withEither(comparisons('P9', what, rates, { BIND: 0.75, 'a bare dgram echo': 0.9 })), waits]
  } finally {
    await aloft.stop()
    await echo.stop()
    await bind.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())
