/**
 * DNS answers over UDP against BIND with the same zone: answers per second of the server's own CPU time, as ratios of
 * rounds that run in turn. Each server has one core, the load the other.
 *
 *   node bench/dns.ts
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBind } from '#test/support/bind.ts'
import { startChildServer } from './child-server.ts'
import { onLoadCore, toServerCore } from './cores.ts'
import { benchQuestions, benchZone } from './dns-zone.ts'
import { medianRatio } from './median.ts'
import { cpuSeconds } from './process-cpu.ts'
import { atLeast, printRows, type Row } from './row.ts'
import { rounds, seconds, warmUps } from './trial.ts'

const ROUNDS = rounds(7)
const SECONDS = seconds(2)
/** Compiling what turns out to be hot is no part of what is measured. */
const WARM_UP_SECONDS = warmUps(5)

interface Subject {
  readonly port: string
  readonly pid: number | undefined
}

/** Answers how many questions were answered. */
async function load({ port }: Subject, file: string, forSeconds: number): Promise<number> {
  if (forSeconds === 0) return 0
  const args = ['-s', '127.0.0.1', '-p', port, '-d', file, '-l', String(forSeconds), '-c', '4', '-T', '1']
  const child = spawn(...onLoadCore('dnsperf', args), { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('')
  const answered = /Queries completed:\s+(\d+)/.exec(output)?.[1]
  const codes = /Response codes:\s+(.*)/.exec(output)?.[1] ?? ''
  if (answered === undefined || /SERVFAIL|REFUSED|NXDOMAIN/.test(codes)) throw new Error(output)
  return Number(answered)
}

async function answersPerCpuSecond(subject: Subject, file: string): Promise<number> {
  const before = await cpuSeconds(subject.pid)
  const answered = await load(subject, file, SECONDS)
  return answered / ((await cpuSeconds(subject.pid)) - before)
}

export async function run(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bench-dns-'))
  const file = join(folder, 'questions')
  const zone = benchZone()
  await writeFile(file, `${benchQuestions(zone)}\n`)
  const bind = await startBind([zone])
  if (bind.pid !== undefined) toServerCore(bind.pid)
  const aloft = await startChildServer(join(import.meta.dirname, 'dns-server.ts'), [])
  try {
    const ours = { port: new URL(aloft.url).port, pid: aloft.pid }
    const theirs = { port: String(bind.port), pid: bind.pid }
    const rates = { ours: [] as number[], theirs: [] as number[] }
    for (const subject of [ours, theirs]) await load(subject, file, WARM_UP_SECONDS)
    for (let round = 0; round < ROUNDS; round++) {
      rates.ours.push(await answersPerCpuSecond(ours, file))
      rates.theirs.push(await answersPerCpuSecond(theirs, file))
    }
    return [atLeast('P9', 'DNS answers over UDP, against BIND', medianRatio(rates.ours, rates.theirs), 0.75)]
  } finally {
    await aloft.stop()
    await bind.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())
