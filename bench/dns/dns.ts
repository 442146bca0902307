/**
 * DNS answers over UDP against BIND with the same zone, and against a Node program that sends each question back: answers per second of the server's own CPU time, as ratios of
 * rounds that run in turn. Each server has one core, the load the other.
 *
 *   node bench/dns/dns.ts
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBind } from '#test/support/dns/bind.ts'
import { atHalfRate } from '../load/half-rate.ts'
import { comparisons, measure, type Subject } from '../measure/compare.ts'
import { onLoadCore, toServerCore } from '../measure/cores.ts'
import { isTrial } from '../measure/trial.ts'
import { paced } from '../pace/pace.ts'
import { startChildServer } from '../peer/child-server.ts'
import { printRows, type Row } from '../report/row.ts'
import { benchQuestions, benchZone } from './dns-zone.ts'

/** How often each question is asked in a trial, whatever the clock says. */
const TRIAL_ROUNDS = 1

interface Target {
  readonly port: string
  readonly file: string
}

/** Answers what it prints, if all went well. */
async function dnsperf({ port, file }: Target, forSeconds: number): Promise<string> {
  const howLong = isTrial ? ['-n', String(TRIAL_ROUNDS)] : ['-l', String(forSeconds)]
  const args = ['-s', '127.0.0.1', '-p', port, '-d', file, ...howLong, '-c', '4', '-T', '1']
  const child = spawn(...onLoadCore('dnsperf', args), { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('')
  const codes = /Response codes:\s+(.*)/.exec(output)?.[1]
  if (codes === undefined || /SERVFAIL|REFUSED|NXDOMAIN/.test(codes)) throw new Error(output.slice(-2000))
  return output
}

const subject = (name: string, pid: number | undefined, target: Target): Subject => ({
  ...{ name, pids: () => (pid === undefined ? [] : [pid]), withChildren: true },
  load: async (forSeconds) =>
    Number(/Queries completed:\s+(\d+)/.exec(await dnsperf(target, forSeconds))?.[1]),
})

/** One of the two is enough. */
const withEither = (rows: readonly Row[]): Row[] => {
  const met = rows.some((row) => row.met)
  return rows.map((row) => ({ ...row, met }))
}

export async function run(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bench-dns-'))
  const file = join(folder, 'questions')
  const zone = benchZone()
  const questions = benchQuestions(zone)
  await writeFile(file, `${questions.join('\n')}\n`)
  const bind = await startBind([zone])
  if (bind.pid !== undefined) toServerCore(bind.pid)
  const aloft = await startChildServer(join(import.meta.dirname, 'dns-server.ts'), [])
  const echo = await startChildServer(join(import.meta.dirname, '../peer/limit-server.ts'), ['dgram'])
  try {
    const ours = { port: new URL(aloft.url).port, file }
    const pairs = await measure(subject('aloft', aloft.pid, ours), [
      subject('BIND', bind.pid, { port: String(bind.port), file }),
      subject('a bare dgram echo', echo.pid, { port: new URL(echo.url).port, file }),
    ])
    const what = 'DNS answers over UDP'
    const waits = await atHalfRate({
      ...{ id: 'P9', what },
      greatest: async (seconds) =>
        Number(/Queries per second:\s+([\d.]+)/.exec(await dnsperf(ours, seconds))?.[1]),
      paced: (rate, seconds) =>
        paced({ pace: { rate, seconds }, aim: { port: Number(ours.port), questions } }),
    })
    return [...withEither(comparisons('P9', what, pairs, { BIND: 0.75, 'a bare dgram echo': 0.9 })), waits]
  } finally {
    await aloft.stop()
    await echo.stop()
    await bind.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())
