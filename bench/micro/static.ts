/**
 * Static files out of memory, against nginx and caddy serving the same files: requests per second of the
 * server's own CPU time, as ratios of rounds that run in turn. The server has one core, the load the other.
 *
 *   node bench/micro/static.ts [rounds]
 *
 * nginx and caddy write no access log, while every visit to the edge is recorded.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Table from 'cli-table3'
import { freePort } from '#test/support/free-port.ts'
import { median } from '../measure/median.ts'
import { cpuSeconds } from '../measure/process-cpu.ts'
import { rounds, seconds, warmUps } from '../measure/trial.ts'

const ROUNDS = rounds(Number(process.argv[2] ?? 5))
const SECONDS = seconds(2)
/** Compiling what turns out to be hot takes some seconds of a busy core, and is no part of what is measured. */
const WARM_UP_SECONDS = warmUps(5)
const SERVER_CORE = '0'
const LOAD_CORE = '1'

interface Subject {
  readonly name: string
  readonly http: number
  readonly tls: number
  readonly process: ChildProcess
}

interface Case {
  readonly name: string
  readonly load: 'wrk' | 'h2load'
  readonly url: (subject: Subject) => string
  readonly targets: Readonly<Record<string, number>>
}

const CASES: readonly Case[] = [
  {
    name: 'P1 1 KB, HTTP/1.1',
    load: 'wrk',
    url: ({ http }) => `http://localhost:${http}/f0`,
    targets: { nginx: 0.85, caddy: 4 },
  },
  {
    name: 'P2 100 KB, HTTP/1.1',
    load: 'wrk',
    url: ({ http }) => `http://localhost:${http}/f1`,
    targets: { nginx: 0.65 },
  },
  {
    name: 'P2 100 KB, HTTP/1.1 over TLS',
    load: 'wrk',
    url: ({ tls }) => `https://localhost:${tls}/f1`,
    targets: { nginx: 1.5 },
  },
  {
    name: 'P3 1 KB, HTTP/2 over TLS',
    load: 'h2load',
    url: ({ tls }) => `https://localhost:${tls}/f0`,
    targets: { nginx: 0.4, caddy: 2.7 },
  },
]

const TOOLS = {
  nginx: '/usr/sbin/nginx',
  caddy: '/usr/bin/caddy',
  wrk: '/usr/bin/wrk',
  h2load: '/usr/bin/h2load',
  taskset: '/usr/bin/taskset',
}

const missing = Object.entries(TOOLS).filter(([, path]) => !existsSync(path))
if (missing.length > 0 || cpus().length < 2) {
  const reason =
    missing.length > 0 ? `${missing.map(([name]) => name).join(', ')} not installed` : 'one core only'
  console.error(`left out: static files (${reason})`)
  process.exit(0)
}

const scratch = await mkdtemp(join(tmpdir(), 'aloft-bench-static-'))
const started: ChildProcess[] = []
try {
  await main()
} finally {
  for (const child of started) child.kill('SIGTERM')
  await Promise.all(started.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
  await rm(scratch, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const www = join(scratch, 'www')
  await mkdir(www)
  for (const [name, size] of [
    ['f0', 1024],
    ['f1', 102_400],
  ] as const)
    await writeFile(join(www, name), randomFillSync(Buffer.alloc(size)))
  const [key, cert] = [join(scratch, 'key.pem'), join(scratch, 'cert.pem')]
  execFileSync(
    'openssl',
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -keyout ${key} -out ${cert}`.split(
      ' ',
    ),
    { stdio: 'ignore' },
  )
  const subjects = [
    await startAloft(www, cert, key),
    await startNginx(www, cert, key),
    await startCaddy(www, cert, key),
  ]
  const rates = new Map<string, number[]>()
  for (const test of CASES)
    for (const subject of subjects) if (isWanted(test, subject)) await load(test, subject, WARM_UP_SECONDS)
  for (let round = 0; round < ROUNDS; round++)
    for (const test of CASES)
      for (const subject of subjects) {
        if (!isWanted(test, subject)) continue
        const key = `${test.name} ${subject.name}`
        const before = await cpuSeconds(subject.process.pid)
        const requests = await load(test, subject, SECONDS)
        rates.set(key, [
          ...(rates.get(key) ?? []),
          requests / ((await cpuSeconds(subject.process.pid)) - before),
        ])
      }
  print(rates)
}

function isWanted(test: Case, { name }: Subject): boolean {
  return name === 'aloft' || name in test.targets
}

async function load(test: Case, subject: Subject, forSeconds: number): Promise<number> {
  if (forSeconds === 0) return 0
  const args =
    test.load === 'wrk'
      ? ['wrk', '-t1', '-c32', `-d${forSeconds}s`, test.url(subject)]
      : ['h2load', '-t1', '-c8', '-m16', `--duration=${forSeconds}`, '--warm-up-time=0', test.url(subject)]
  const child = spawn('taskset', ['-c', LOAD_CORE, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: (forSeconds + 10) * 1000,
  })
  let output = ''
  for await (const chunk of child.stdout) output += chunk
  const [done, failed] =
    test.load === 'wrk'
      ? [/(\d+) requests in/.exec(output)?.[1], /(Non-2xx[^\n]*|Socket errors[^\n]*)/.exec(output)?.[1]]
      : [/status codes: (\d+) 2xx/.exec(output)?.[1], / ([1-9]\d*) [345]xx/.exec(output)?.[1]]
  if (done === undefined || failed !== undefined) throw new Error(`${test.name}, ${subject.name}: ${output}`)
  return Number(done)
}

async function start(
  name: string,
  command: readonly string[],
  ports: readonly [number, number],
): Promise<Subject> {
  const child = spawn('taskset', ['-c', SERVER_CORE, ...command], {
    stdio: 'ignore',
    env: { ...process.env, GOMAXPROCS: '1', XDG_DATA_HOME: scratch, XDG_CONFIG_HOME: scratch },
  })
  started.push(child)
  const [http, tls] = ports
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(`http://localhost:${http}/f0`).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) break
    if (attempt > 100) throw new Error(`${name} did not start`)
    await delay(100)
  }
  return { name, http, tls, process: child }
}

async function startAloft(www: string, cert: string, key: string): Promise<Subject> {
  const ports = [await freePort(), await freePort()] as const
  const program = join(import.meta.dirname, 'static-server.ts')
  const args = [cert, key, ...ports.map(String), join(www, 'f0'), join(www, 'f1')]
  return start('aloft', [process.execPath, program, ...args], ports)
}

async function startNginx(www: string, cert: string, key: string): Promise<Subject> {
  const ports = [await freePort(), await freePort()] as const
  const file = join(scratch, 'nginx.conf')
  await writeFile(
    file,
    `daemon off; user ${userInfo().username}; worker_processes 1; pid ${scratch}/nginx.pid; error_log ${scratch}/nginx.log;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types; access_log off; sendfile on; tcp_nopush on; open_file_cache max=100;
  keepalive_timeout 65; keepalive_requests 1000000000;
  ssl_certificate ${cert}; ssl_certificate_key ${key}; ssl_protocols TLSv1.2 TLSv1.3;
  server { listen 127.0.0.1:${ports[0]}; listen 127.0.0.1:${ports[1]} ssl http2; root ${www}; }
}`,
  )
  return start('nginx', [TOOLS.nginx, '-c', file], ports)
}

async function startCaddy(www: string, cert: string, key: string): Promise<Subject> {
  const ports = [await freePort(), await freePort()] as const
  const file = join(scratch, 'Caddyfile')
  await writeFile(
    file,
    `{
  admin off
  auto_https off
  log {
    output discard
  }
}
http://localhost:${ports[0]} {
  root * ${www}
  file_server
}
https://localhost:${ports[1]} {
  tls ${cert} ${key}
  root * ${www}
  file_server
}
`,
  )
  return start('caddy', [TOOLS.caddy, 'run', '--config', file, '--adapter', 'caddyfile'], ports)
}

function print(rates: ReadonlyMap<string, readonly number[]>): void {
  const rateOf = (key: string): number => median(rates.get(key) ?? [])
  const table = new Table({ head: ['what', 'aloft/CPU-s', 'peer', 'peer/CPU-s', 'ratio', 'target', ''] })
  for (const { name, targets } of CASES)
    for (const [peer, target] of Object.entries(targets)) {
      const [ours, theirs] = [rateOf(`${name} aloft`), rateOf(`${name} ${peer}`)]
      const ratio = ours / theirs
      const verdict = ratio >= target ? 'ok' : 'missed'
      table.push([name, Math.round(ours), peer, Math.round(theirs), ratio.toFixed(2), `≥ ${target}`, verdict])
    }
  console.log(table.toString())
}
