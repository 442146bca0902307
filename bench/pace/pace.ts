import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { onLoadCore } from '../measure/cores.ts'
import type { DnsAim } from './dns.ts'
import type { HttpAim } from './http1.ts'
import type { Pace, Paced } from './schedule.ts'

export interface Order {
  readonly pace: Pace
  readonly aim: DnsAim | (HttpAim & { readonly http2: boolean })
}

const PROGRAM = join(import.meta.dirname, 'program.ts')

/** Asks at a steady rate, from the core of the load. */
export async function paced(order: Order): Promise<Paced> {
  const args = [PROGRAM, JSON.stringify(order)]
  const child = spawn(...onLoadCore(process.execPath, args), { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('')
  if (output === '') throw new Error('the load at a steady rate ended before it had measured anything')
  return JSON.parse(output) as Paced
}
