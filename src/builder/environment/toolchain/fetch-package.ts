import { createHash, type Hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import { createGunzip } from 'node:zlib'
import type { Log } from '#core/ports/log.ts'
import type { Registry } from './registry.ts'
import { ToolchainError } from './toolchain.ts'
import { type UnpackOptions, unpackTar } from './unpack-tar.ts'

const TRIES = 5
const FIRST_PAUSE_MS = 500
const SILENT_MS = 30_000
const REDIRECTS = 5
const METADATA_BYTES = 4 * 2 ** 20
const TARBALL_BYTES = 300 * 2 ** 20

/** What the registry says of one version of a package, as far as it matters here. */
export interface PackageVersion {
  readonly tarball: string
  /** `sha512-…`, or of old packages only the SHA-1 as hex. */
  readonly integrity: { readonly algorithm: 'sha512' | 'sha1'; readonly digest: string }
  /** Names of programs and their files. */
  readonly bin: Readonly<Record<string, string>>
}

class HttpError extends Error {
  readonly status: number

  constructor(status: number, url: string) {
    super(`${new URL(url).host} answered ${status}`)
    this.status = status
  }
}

export interface PackageSource {
  describe(name: string, version: string): Promise<PackageVersion>
  /** Unpacks what is asked for of a package; the folder is whole once it resolves, and to be thrown away if not. */
  unpack(name: string, described: PackageVersion, target: UnpackOptions): Promise<void>
}

/** Reads packages from a registry, trying again where the network is at fault. */
export function createPackageSource({
  registry,
  log,
  firstPauseMs = FIRST_PAUSE_MS,
}: {
  readonly registry: () => Promise<Registry>
  readonly log: Log
  readonly firstPauseMs?: number
}): PackageSource {
  const certificates = async (): Promise<string[] | undefined> => {
    const { caFile } = await registry()
    return caFile === undefined ? undefined : [...rootCertificates, await readFile(caFile, 'utf8')]
  }

  async function request(address: string, redirects = REDIRECTS): Promise<IncomingMessage> {
    const url = new URL(address)
    const options = { headers: { 'user-agent': 'aloft', accept: '*/*' }, timeout: SILENT_MS }
    const ca = await certificates()
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent =
        url.protocol === 'https:'
          ? getSecure(url, { ...options, ...(ca ? { ca } : {}) }, resolve)
          : getPlain(url, options, resolve)
      sent.on('timeout', () => sent.destroy(new Error(`${url.host} does not respond`)))
      sent.on('error', reject)
    })
    const { statusCode = 0 } = response
    const { location } = response.headers
    if (statusCode >= 300 && statusCode < 400 && location !== undefined && redirects > 0) {
      response.resume()
      const next = new URL(location, url)
      if (next.protocol !== 'https:' && next.protocol !== url.protocol)
        throw new Error(`${url.host} redirects to ${next.protocol}`)
      return request(next.href, redirects - 1)
    }
    if (statusCode === 200) return response
    response.resume()
    throw new HttpError(statusCode, address)
  }

  async function persist<T>(what: string, attempt: () => Promise<T>): Promise<T> {
    for (let n = 1; ; n++)
      try {
        return await attempt()
      } catch (error) {
        const why = (error as Error).message
        if (error instanceof ToolchainError) throw error
        if (error instanceof HttpError && [404, 410].includes(error.status))
          throw new ToolchainError('unknown_version', `The registry has no ${what}`, { cause: error })
        if (n === TRIES)
          throw new ToolchainError(
            'unavailable',
            `${what} could not be downloaded from the registry: ${why}`,
            {
              cause: error,
            },
          )
        log.warn({ what, why, attempt: n }, 'downloading a package failed, retrying')
        await setTimeout(firstPauseMs * 2 ** (n - 1) * (0.75 + Math.random() / 2))
      }
  }

  async function describe(name: string, version: string): Promise<PackageVersion> {
    const { url } = await registry()
    return persist(`${name}@${version}`, async () => {
      const address = new URL(`${name.replace('/', '%2f')}/${version}`, url).href
      return readVersion(await text(bounded(await request(address), METADATA_BYTES)))
    })
  }

  return {
    describe,
    unpack: (name, { tarball, integrity }, target) =>
      persist(name, async () => {
        await target.empty()
        const response = await request(tarball)
        const hash = createHash(integrity.algorithm)
        await pipeline(
          bounded(response, TARBALL_BYTES, hash),
          createGunzip(),
          (bytes: AsyncIterable<Buffer>) => unpackTar(bytes, target),
        )
        const digest = hash.digest(integrity.algorithm === 'sha512' ? 'base64' : 'hex')
        if (digest !== integrity.digest)
          throw new Error('the download does not match the digest of the registry')
      }),
  }
}

async function* bounded(bytes: AsyncIterable<Buffer>, most: number, hash?: Hash): AsyncGenerator<Buffer> {
  let left = most
  for await (const chunk of bytes) {
    left -= chunk.length
    if (left < 0) throw new Error('the response is too large')
    hash?.update(chunk)
    yield chunk
  }
}

function readVersion(json: string): PackageVersion {
  const { dist, bin, name } = JSON.parse(json) as {
    dist?: { tarball?: unknown; integrity?: unknown; shasum?: unknown }
    bin?: unknown
    name?: unknown
  }
  const { tarball, integrity, shasum } = dist ?? {}
  if (typeof tarball !== 'string' || !URL.canParse(tarball)) throw new Error('the registry lists no tarball')
  const sha512 = typeof integrity === 'string' ? /\bsha512-([A-Za-z0-9+/=]+)/.exec(integrity)?.[1] : undefined
  if (sha512 === undefined && typeof shasum !== 'string') throw new Error('the registry gives no digest')
  const bins = typeof bin === 'string' ? { [String(name).replace(/^@[^/]+\//, '')]: bin } : (bin ?? {})
  return {
    tarball,
    integrity:
      sha512 === undefined
        ? { algorithm: 'sha1', digest: shasum as string }
        : { algorithm: 'sha512', digest: sha512 },
    bin: Object.fromEntries(
      Object.entries(bins).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
  }
}
