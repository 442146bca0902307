import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runGit } from './git.ts'

export interface GitHost {
  readonly url: string
  /** Makes a repository, `owner/name`; answers where somebody at the host itself pushes to. */
  repository(fullName: string): Promise<string>
  close(): Promise<void>
}

type Handler = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<boolean>

/**
 * A host of repositories: git's own program behind HTTP, for whoever has the token. `api` answers first, and says
 * whether it did.
 */
export async function startGitHost(
  token: string | ((password: string) => boolean),
  api: Handler = async () => false,
): Promise<GitHost> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-host-'))
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://host')
    if (await api(request, response, url.pathname)) return
    const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const password = Buffer.from(basic, 'base64')
      .toString()
      .replace(/^[^:]*:/, '')
    if (typeof token === 'string' ? password !== token : !token(password)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="host"' }).end()
      return
    }
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH ?? '/usr/bin:/bin',
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    })
    request.pipe(child.stdin)
    child.stdin.on('error', () => undefined)
    let held = Buffer.alloc(0)
    child.stdout.on('data', function read(chunk: Buffer) {
      held = Buffer.concat([held, chunk])
      const end = held.indexOf('\r\n\r\n')
      if (end === -1) return
      const head = held.subarray(0, end).toString().split('\r\n')
      const headers = Object.fromEntries(head.map((line) => line.split(': ') as [string, string]))
      const { Status = '200', ...rest } = headers
      response.writeHead(Number.parseInt(Status, 10), rest).write(held.subarray(end + 4))
      // What follows goes on as it comes, however much it is.
      child.stdout.off('data', read).pipe(response)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async repository(fullName) {
      const at = join(folder, `${fullName}.git`)
      await mkdir(at, { recursive: true })
      await runGit(at, 'init', '-q', '--bare', '-b', 'main', at)
      return at
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
