import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '#test/support/free-port.ts'
import { toServerCore } from '../measure/cores.ts'

export interface Peer {
  readonly name: string
  readonly port: number
  readonly tlsPort: number
  readonly pid: number
  stop(): Promise<void>
}

/** What a peer serves: files of a folder, or what a server on a unix socket answers. */
type Serves = { readonly folder: string } | { readonly upstream: string }

interface PeerOptions {
  readonly scratch: string
  readonly serves: Serves
  readonly cert: string
  readonly key: string
  /** Aloft records every visit; a peer does with its access log. */
  readonly accessLog: boolean
}

export async function makeCertificate(scratch: string): Promise<{ key: string; cert: string }> {
  const [key, cert] = [join(scratch, 'key.pem'), join(scratch, 'cert.pem')]
  const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
  execFileSync('openssl', [...kind.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { key, cert }
}

const nameOf = (program: string, accessLog: boolean): string =>
  `${program}${accessLog ? ' with its access log' : ''}`

async function start(
  name: string,
  command: readonly [string, ...string[]],
  { scratch, accessLog }: PeerOptions,
  [port, tlsPort]: readonly [number, number],
): Promise<Peer> {
  const [program, ...args] = command
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, GOMAXPROCS: '1', XDG_DATA_HOME: scratch, XDG_CONFIG_HOME: scratch },
  })
  child.stderr.pipe(createWriteStream(join(scratch, `${program.split('/').at(-1)}-${accessLog}.err`)))
  const exited = once(child, 'exit')
  for (let attempt = 0; !(await answers(port)); attempt++) {
    if (attempt > 100) throw new Error(`${name} did not start`)
    await pause(100)
  }
  await pinFamily(child)
  return {
    ...{ name, port, tlsPort, pid: child.pid as number },
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/f0`).then(
    async (answer) => (await answer.arrayBuffer()).byteLength > 0 && answer.ok,
    () => false,
  )

async function pinFamily(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined) toServerCore(child.pid)
}

export async function startNginx(options: PeerOptions): Promise<Peer> {
  const { scratch, serves, cert, key, accessLog } = options
  const ports = [await freePort(), await freePort()] as const
  const name = nameOf('nginx', accessLog)
  const file = join(scratch, `nginx-${accessLog}.conf`)
  const what =
    'folder' in serves
      ? `root ${serves.folder};`
      : `location / {
      proxy_pass http://function; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto $scheme;
    }`
  const upstream =
    'upstream' in serves
      ? `upstream function { server unix:${serves.upstream}; keepalive 64; keepalive_requests 1000000000; }`
      : ''
  // As an operator would switch it on who cares for speed: written when a buffer is full, or each second.
  const log = accessLog ? `${scratch}/nginx-access.log combined buffer=64k flush=1s` : 'off'
  await writeFile(
    file,
    `daemon off; master_process off; user ${userInfo().username}; pid ${scratch}/nginx-${accessLog}.pid; error_log ${scratch}/nginx.log;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types; access_log ${log}; sendfile on; tcp_nopush on; open_file_cache max=100;
  keepalive_timeout 65; keepalive_requests 1000000000;
  ssl_certificate ${cert}; ssl_certificate_key ${key}; ssl_protocols TLSv1.2 TLSv1.3;
  ${upstream}
  server { listen 127.0.0.1:${ports[0]}; listen 127.0.0.1:${ports[1]} ssl http2; ${what} }
}`,
  )
  return start(name, ['/usr/sbin/nginx', '-c', file], options, ports)
}

export async function startCaddy(options: PeerOptions): Promise<Peer> {
  const { scratch, serves, cert, key, accessLog } = options
  const ports = [await freePort(), await freePort()] as const
  const name = nameOf('caddy', accessLog)
  const file = join(scratch, `Caddyfile-${accessLog}`)
  const what = [
    'folder' in serves ? `root * ${serves.folder}\n  file_server` : `reverse_proxy unix/${serves.upstream}`,
    accessLog ? `log {\n    output file ${scratch}/caddy-access.log\n  }` : '',
  ].join('\n  ')
  await writeFile(
    file,
    `{
  admin off
  auto_https off
  default_sni localhost
  log {
    output discard
    exclude http.log.access
  }
}
http://127.0.0.1:${ports[0]}, http://localhost:${ports[0]} {
  ${what}
}
https://localhost:${ports[1]}, https://127.0.0.1:${ports[1]} {
  tls ${cert} ${key}
  ${what}
}
`,
  )
  return start(name, ['/usr/bin/caddy', 'run', '--config', file, '--adapter', 'caddyfile'], options, ports)
}
