import { execFile } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { GitError } from '#core/git/git-repositories.ts'
import type { GitRemotes, RemoteAccess } from '#core/git/source.ts'
import type { Allows } from '#core/outbound/allowed-addresses.ts'
import type { GitCliParts } from './git-repositories.ts'
import { INCOMING, REPOSITORY_ID } from './git-repositories.ts'
import { type GitRun, runGit } from './run-git.ts'

export interface GitRemoteParts extends GitCliParts {
  /** Where requests on behalf of users may go. */
  readonly allows: Allows
  /** The largest repository that is fetched at once. */
  readonly maxBytes: number
}

const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80, 'ssh:': 22 }
const KNOWN_HOSTS = 'known_hosts'
const LIST_MS = 60_000
const FETCH_MS = 20 * 60_000
const MAX_REFS_BYTES = 32 * 1024 * 1024

export function createGitRemotes({ folder, confine, allows, maxBytes }: GitRemoteParts): GitRemotes {
  /** The address behind a name, looked up once: git connects to this one and to no other. */
  async function resolve(
    url: URL,
  ): Promise<{ readonly host: string; readonly port: number; readonly address: string }> {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const port = url.port === '' ? (PORTS[url.protocol] ?? 0) : Number(url.port)
    const found =
      isIP(host) === 0
        ? await lookup(host, { all: true }).catch((error: unknown) => {
            throw new GitError(`the host ${host} was not found`, { cause: error })
          })
        : [{ address: host }]
    const allowed = found.find(({ address }) => allows(address, port))
    if (!allowed)
      throw new GitError(
        `${host} is at a private address, which the operator has not opened (ALOFT_PRIVATE_TARGETS)`,
      )
    return { host, port, address: allowed.address }
  }

  /** What a run needs to reach one repository and nothing else. */
  async function reach(
    access: RemoteAccess,
    within: string,
  ): Promise<Pick<GitRun, 'config' | 'env' | 'network'>> {
    const url = new URL(access.url)
    const { host, port, address } = await resolve(url)
    const protocol = url.protocol.slice(0, -1)
    const config: Record<string, string> = {
      [`protocol.${protocol}.allow`]: 'always',
      'http.followRedirects': 'false',
      'http.curloptResolve': `${host}:${port}:${address.includes(':') ? `[${address}]` : address}`,
      'http.lowSpeedLimit': '1000',
      'http.lowSpeedTime': '60',
      'transfer.fsckObjects': 'false',
      'fetch.fsckObjects': 'true',
      'fetch.fsck.missingSpaceBeforeDate': 'ignore',
      'fetch.fsck.zeroPaddedFilemode': 'ignore',
      'fetch.fsck.badTimezone': 'ignore',
    }
    if (access.token !== undefined && protocol !== 'ssh') {
      const basic = Buffer.from(`${access.username ?? 'git'}:${access.token}`).toString('base64')
      config['http.extraHeader'] = `Authorization: Basic ${basic}`
    }
    const env =
      protocol === 'ssh' ? { GIT_SSH_COMMAND: await sshCommand(access, within, { host, address }) } : {}
    return { config, env, network: true }
  }

  /** Runs with a folder of its own for what has to be a file. */
  async function withFolder<T>(at: string, work: (folder: string) => Promise<T>): Promise<T> {
    const aside = await mkdtemp(join(at, '.remote-'))
    try {
      return await work(aside)
    } finally {
      await rm(aside, { recursive: true, force: true })
    }
  }

  /** Refs of a repository elsewhere become refs of one of ours. */
  async function bring(
    repository: string,
    access: RemoteAccess,
    refspecs: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    if (!REPOSITORY_ID.test(repository)) throw new GitError('a repository has no such id')
    const at = join(folder, `${repository}.git`)
    await withFolder(at, async (within) => {
      const near = await reach(access, within)
      await runGit(confine, {
        ...near,
        folder: at,
        writable: true,
        args: [
          ...[
            '--git-dir',
            at,
            'fetch',
            '--quiet',
            '--prune',
            '--no-tags',
            '--force',
            '--no-auto-maintenance',
          ],
          ...['--no-write-fetch-head', '--no-recurse-submodules', '--', access.url, ...refspecs],
        ],
        config: { ...near.config, 'fetch.unpackLimit': '100' },
        maxFileBytes: maxBytes,
        timeoutMs: FETCH_MS,
        signal,
      })
    })
  }

  /** The refs that a repository elsewhere shows. */
  async function list(access: RemoteAccess, patterns: readonly string[], signal: AbortSignal) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return withFolder(folder, async (within) => {
      const out = await runGit(confine, {
        ...(await reach(access, within)),
        folder: within,
        writable: true,
        args: ['ls-remote', '--symref', '--', access.url, ...patterns],
        timeoutMs: LIST_MS,
        maxBytes: MAX_REFS_BYTES,
        signal,
      })
      const known = await readFile(join(within, KNOWN_HOSTS), 'utf8').catch(() => '')
      return { text: out.toString('utf8'), known }
    })
  }

  return {
    async refs(access, signal) {
      const { text, known } = await list(access, ['HEAD', 'refs/heads/*', 'refs/tags/*'], signal)
      return { ...readRefs(text), ...(known === '' ? {} : { knownHosts: known }) }
    },

    async pullRefs(access, signal) {
      const { text } = await list(access, ['refs/pull/*/head', 'refs/merge-requests/*/head'], signal)
      const found = [...text.matchAll(PULL_REF)].map(
        ([, commit = '', ref = '', number]) => [Number(number), { ref, commit }] as const,
      )
      return new Map(found)
    },

    fetch: (repository, access, signal) =>
      bring(
        repository,
        access,
        ['heads', 'tags'].map((kind) => `+refs/${kind}/*:${INCOMING}${kind}/*`),
        signal,
      ),

    async fetchPull(repository, access, { number, ref, repository: other }, signal) {
      if (!/^refs\/[^\s\p{Cc}:*?[\\^~]{1,400}$/u.test(ref) || ref.includes('..') || !Number.isInteger(number))
        throw new GitError('that is no ref of a pull request')
      const url = other === undefined ? access.url : besides(access.url, other)
      const into = `${INCOMING}pulls/${number}`
      await bring(repository, { ...access, url }, [`+${ref}:${into}`], signal)
      const at = join(folder, `${repository}.git`)
      const args = ['--git-dir', at, 'rev-parse', '--verify', '--quiet', `${into}^{commit}`]
      return (await runGit(confine, { folder: at, args })).toString('utf8').trim()
    },

    async newKey(comment) {
      const aside = await mkdtemp(join(tmpdir(), 'aloft-key-'))
      try {
        const file = join(aside, 'key')
        await promisify(execFile)(
          'ssh-keygen',
          ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', file],
          {
            env: { PATH: '/usr/bin:/bin' },
            timeout: 10_000,
          },
        )
        const [privateKey, publicKey] = await Promise.all([
          readFile(file, 'utf8'),
          readFile(`${file}.pub`, 'utf8'),
        ])
        return { privateKey, publicKey: publicKey.trim() }
      } catch (error) {
        throw new GitError('a key could not be made: is ssh-keygen installed?', { cause: error })
      } finally {
        await rm(aside, { recursive: true, force: true })
      }
    },
  }
}

/** Another repository of the same host: what signs in there is not told to anybody else. */
function besides(url: string, repository: string): string {
  if (!/^[\w.~-]+(?:\/[\w.~-]+){1,20}$/.test(repository) || repository.split('/').includes('..'))
    throw new GitError('the name of the fork is malformed')
  const other = new URL(url)
  other.pathname = `/${repository}.git`
  return other.href
}

/** For a shell, which is what git hands this to: none of it is text of users but the name of the host, which is checked. */
async function sshCommand(
  { key, knownHosts }: RemoteAccess,
  within: string,
  { host, address }: { readonly host: string; readonly address: string },
): Promise<string> {
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) throw new GitError('the name of the host is malformed')
  const file = join(within, 'key')
  await writeFile(file, key ?? '', { mode: 0o600 })
  const known = join(within, KNOWN_HOSTS)
  if (knownHosts !== undefined) await writeFile(known, knownHosts, { mode: 0o600 })
  const options = {
    BatchMode: 'yes',
    IdentitiesOnly: 'yes',
    IdentityFile: file,
    StrictHostKeyChecking: knownHosts === undefined ? 'accept-new' : 'yes',
    UserKnownHostsFile: known,
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    HostName: address,
    HostKeyAlias: host,
    ConnectTimeout: '20',
    ProxyCommand: 'none',
    ForwardAgent: 'no',
  }
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  return [
    'ssh',
    '-F',
    '/dev/null',
    ...Object.entries(options).flatMap(([name, value]) => ['-o', quote(`${name}=${value}`)]),
  ].join(' ')
}

const PULL_REF = /^([0-9a-f]{40,64})\t(refs\/(?:pull|merge-requests)\/(\d{1,9})\/head)$/gm

function readRefs(text: string) {
  const refs = new Map<string, string>()
  let head: string | undefined
  for (const line of text.split('\n')) {
    const [value = '', name = ''] = line.split('\t')
    if (name === 'HEAD') head = /^ref: refs\/heads\/(.+)$/.exec(value)?.[1] ?? head
    // What a tag stands for is not asked for.
    else if (/^[0-9a-f]{40,64}$/.test(value) && /^refs\/(?:heads|tags)\//.test(name) && !name.endsWith('^{}'))
      refs.set(name, value)
  }
  return { refs, head }
}
