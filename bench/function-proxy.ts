/**
 * A small answer of a function through the edge, against nginx and caddy as proxies of a Node server that answers the
 * same over a unix socket: requests per second of the proxy's own CPU time. What answers is not measured.
 *
 *   node bench/function-proxy.ts
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '#test/support/installation.ts'
import { toServerCore } from './cores.ts'
import { deployReady } from './deploy-ready.ts'
import { medianRatio } from './median.ts'
import { startPlatform } from './platform.ts'
import { cpuSeconds } from './process-cpu.ts'
import { atLeast, printRows, type Row } from './row.ts'
import { rounds, seconds, warmUps } from './trial.ts'
import { wrk } from './wrk.ts'

const ROUNDS = rounds(7)
const SECONDS = seconds(2)
/** Compiling what turns out to be hot takes some seconds of a busy core, and is no part of what is measured. */
const WARM_UP_SECONDS = warmUps(10)
const ANSWER = 'x'.repeat(1000)

interface Subject {
  readonly url: string
  readonly pid: number | undefined
  readonly headers?: Readonly<Record<string, string>>
}

const requestsPerCpuSecond = async ({ url, pid, headers }: Subject): Promise<number> => {
  const before = await cpuSeconds(pid)
  const served = await wrk(url, SECONDS, headers)
  return served / ((await cpuSeconds(pid)) - before)
}

async function started(command: string, args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(command, args, { stdio: 'ignore', env: { ...process.env, GOMAXPROCS: '1' } })
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if ((await answer?.text()) === ANSWER) break
    if (attempt > 100) throw new Error(`${command} did not start`)
    await pause(100)
  }
  toServerCore(child.pid as number)
  return child
}

async function startNginx(scratch: string, upstream: string): Promise<Subject & { child: ChildProcess }> {
  const port = await freePort()
  const file = join(scratch, 'nginx.conf')
  await writeFile(
    file,
    `daemon off; master_process off; user ${userInfo().username}; pid ${scratch}/nginx.pid; error_log ${scratch}/nginx.log;
events { worker_connections 1024; }
http {
  access_log off; keepalive_timeout 65; keepalive_requests 1000000000;
  upstream function { server unix:${upstream}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://function; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto $scheme;
    }
  }
}`,
  )
  const child = await started('/usr/sbin/nginx', ['-c', file], port)
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid, child }
}

async function startCaddy(scratch: string, upstream: string): Promise<Subject & { child: ChildProcess }> {
  const port = await freePort()
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
http://127.0.0.1:${port} {
  reverse_proxy unix/${upstream}
}
`,
  )
  const child = await started('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], port)
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid, child }
}

export async function run(): Promise<Row[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'aloft-bench-proxy-'))
  const upstream = join(scratch, 'u.sock')
  const server = createServer((_req, res) => res.end(ANSWER)).listen(upstream)
  await once(server, 'listening')
  const platform = await startPlatform()
  const peers: (Subject & { child: ChildProcess })[] = []
  try {
    const host = await deployReady(platform, 'function', {
      'api/hello.js': `module.exports = (req, res) => res.end('x'.repeat(1000))\n`,
    })
    peers.push(await startNginx(scratch, upstream), await startCaddy(scratch, upstream))
    const [serving] = await platform.children('serve')
    const ours = { url: `${platform.url}/api/hello`, pid: serving, headers: { Host: host } }
    const subjects: readonly Subject[] = [ours, ...peers]
    const rates = subjects.map((): number[] => [])
    for (const { url, headers } of subjects) await wrk(url, WARM_UP_SECONDS, headers)
    for (let round = 0; round < ROUNDS; round++)
      for (const [i, subject] of subjects.entries()) rates[i]?.push(await requestsPerCpuSecond(subject))
    const [mine = [], nginx = [], caddy = []] = rates
    return [
      atLeast('P4', 'function behind the edge, against nginx as a proxy', medianRatio(mine, nginx), 0.55),
      atLeast('P4', 'function behind the edge, against caddy as a proxy', medianRatio(mine, caddy), 1.9),
    ]
  } finally {
    for (const { child } of peers) child.kill('SIGTERM')
    await platform.stop()
    server.closeAllConnections()
    server.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())
