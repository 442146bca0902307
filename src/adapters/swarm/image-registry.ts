import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { extract } from 'tar-stream'
import { MINUTE } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'
import { isSameSecret } from '#core/same-secret.ts'
import type { Engine } from '../docker/engine/engine.ts'
import { PROGRAMS } from '../docker/images.ts'
import { processFolderIn } from '../docker/process-folder.ts'
import type { SwarmPeers } from './places.ts'

interface ImageRegistryParts {
  readonly engine: Engine
  readonly port: number
  /** What engines show; the same on all machines. */
  readonly password: string
  /** For images that other machines fetch: nothing in it outlives this process. */
  readonly folder: string
  readonly peers: SwarmPeers | undefined
  readonly log: Log
}

interface ImageRegistry {
  /** What all images are called before the colon, on every node. */
  readonly repository: string
  /** For the engine, to be let in. */
  readonly auth: string
  /** Another machine asks. */
  readonly offer: (socket: Socket) => void
  close(): Promise<void>
}

interface Exported {
  readonly folder: string
  readonly manifest: Buffer
}

const USER = 'aloft'
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json'
const CONFIG = 'application/vnd.docker.container.image.v1+json'
const LAYER = 'application/vnd.docker.image.rootfs.diff.tar'
const PATH = new RegExp(`^/v2/${PROGRAMS}/(manifests|blobs)/([\\w][\\w.:-]{0,200})$`)
const KEPT_MS = 10 * MINUTE
const PEER_MS = MINUTE

/**
 * Every node fetches the images of programs from its own machine, at the loopback, where engines want no TLS. What its
 * engine has already it is not told again; the rest is had from whichever machine of the installation has it. So images
 * are where they were made and where they run, and nowhere else.
 */
export async function openImageRegistry(parts: ImageRegistryParts): Promise<ImageRegistry> {
  const { engine, port, password, peers, log } = parts
  const exports = new Exports(engine, await processFolderIn(parts.folder))
  const repository = `127.0.0.1:${port}/${PROGRAMS}`
  const expected = `Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`

  const own = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const [, kind, name = ''] = PATH.exec(asked.url ?? '') ?? []
    const isHead = asked.method === 'HEAD'
    const manifest = kind === 'manifests' ? await exports.manifest(`${repository}:${name}`, name) : undefined
    if (manifest) {
      answer.writeHead(200, {
        'Content-Type': MANIFEST,
        'Content-Length': manifest.length,
        'Docker-Content-Digest': digestOf(manifest),
      })
      answer.end(isHead ? undefined : manifest)
      return
    }
    const file = kind === 'blobs' ? await exports.blob(name) : undefined
    if (file === undefined) return notFound(answer)
    answer.writeHead(200, {
      'Content-Type': 'application/octet-stream',
      'Content-Length': file.size,
      'Docker-Content-Digest': name,
    })
    if (isHead) answer.end()
    else await pipeline(createReadStream(file.path), answer)
  }

  const elsewhere = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    for (const { name } of peers?.list() ?? []) {
      const theirs = await askPeer(peers as SwarmPeers, name, asked).catch(() => undefined)
      if (theirs?.statusCode !== 200) {
        theirs?.resume()
        continue
      }
      answer.writeHead(200, theirs.headers)
      await pipeline(theirs, answer)
      return
    }
    notFound(answer)
  }

  const guarded =
    (respond: (asked: IncomingMessage, answer: ServerResponse) => Promise<void>) =>
    (asked: IncomingMessage, answer: ServerResponse): void => {
      respond(asked, answer).catch((err) => {
        log.warn({ err }, 'an image could not be passed on')
        answer.destroy()
      })
    }

  const inside = createServer(guarded(own))
  const server: Server = createServer(
    guarded(async (asked, answer) => {
      if (!isSameSecret(asked.headers.authorization ?? '', expected)) {
        answer.writeHead(401, { 'WWW-Authenticate': 'Basic realm="aloft"', 'Content-Length': 0 }).end()
        return
      }
      if (asked.url === '/v2/') {
        answer.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 2 }).end('{}')
        return
      }
      const [, kind, name = ''] = PATH.exec(asked.url ?? '') ?? []
      const isRead = asked.method === 'GET' || asked.method === 'HEAD'
      // An engine goes on with what it has where nothing newer is found.
      const isTag = kind === 'manifests' && !name.startsWith('sha256:')
      const isThere = isTag && (await engine.image(`${repository}:${name}`)) !== undefined
      if (kind === undefined || !isRead || isThere) return notFound(answer)
      await elsewhere(asked, answer)
    }),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // Another process of this machine may be about to take the place of this one.
    server.listen({ host: '127.0.0.1', port, reusePort: process.platform === 'linux' }, resolve)
  })
  return {
    repository,
    auth: paddedUrl(JSON.stringify({ username: USER, password, serveraddress: `127.0.0.1:${port}` })),
    offer(socket) {
      inside.emit('connection', socket)
      // It was stopped after its first line.
      socket.resume()
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      inside.closeAllConnections()
      await closed
      await exports.close()
    },
  }
}

function askPeer(peers: SwarmPeers, machine: string, asked: IncomingMessage): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, url: path } = asked
    const theirs = request({
      ...{ method, path, host: 'machine', timeout: PEER_MS },
      // Not looked at where there is an agent, even one of its own.
      createConnection: () => peers.connect(machine, 'images'),
    })
    theirs.once('response', resolve)
    theirs.on('error', reject)
    theirs.once('timeout', () => theirs.destroy(new Error('The machine did not answer in time')))
    theirs.end()
  })
}

/** Images of this engine as files named by their digests, for as long as somebody may ask for them. */
class Exports {
  readonly #engine: Engine
  readonly #folder: string
  readonly #made = new Map<string, Promise<Exported>>()
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(engine: Engine, folder: string) {
    this.#engine = engine
    this.#folder = folder
  }

  async manifest(tag: string, name: string): Promise<Buffer | undefined> {
    if (name.startsWith('sha256:')) {
      for (const making of this.#made.values()) {
        const made = await making.catch(() => undefined)
        if (made && digestOf(made.manifest) === name) return made.manifest
      }
      return undefined
    }
    const image = await this.#engine.image(tag)
    return image && (await this.#export(image.Id)).manifest
  }

  async blob(digest: string): Promise<{ readonly path: string; readonly size: number } | undefined> {
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined
    for (const [id, making] of this.#made) {
      const made = await making.catch(() => undefined)
      const path = made && join(made.folder, digest.slice('sha256:'.length))
      const found = path && (await stat(path).catch(() => undefined))
      if (!found) continue
      this.#keep(id)
      return { path, size: found.size }
    }
    return undefined
  }

  async close(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await rm(this.#folder, { recursive: true, force: true })
  }

  #export(id: string): Promise<Exported> {
    const known = this.#made.get(id)
    const made = known ?? this.#write(id)
    if (!known) {
      this.#made.set(id, made)
      made.catch(() => this.#made.delete(id))
    }
    this.#keep(id)
    return made
  }

  #keep(id: string): void {
    clearTimeout(this.#timers.get(id))
    const forget = async () => {
      const made = await this.#made.get(id)?.catch(() => undefined)
      this.#made.delete(id)
      this.#timers.delete(id)
      if (made) await rm(made.folder, { recursive: true, force: true }).catch(() => {})
    }
    this.#timers.set(id, setTimeout(() => void forget(), KEPT_MS).unref())
  }

  async #write(id: string): Promise<Exported> {
    const folder = await mkdtemp(join(this.#folder, 'image-'))
    try {
      return await this.#writeTo(folder, id)
    } catch (error) {
      // It may be as large as the disk had room for, and is asked for again.
      await rm(folder, { recursive: true, force: true }).catch(() => {})
      throw error
    }
  }

  async #writeTo(folder: string, id: string): Promise<Exported> {
    const reading = extract()
    const named = new Map<string, string>()
    const sizes = new Map<string, number>()
    let n = 0
    let writing: Promise<void> | undefined
    reading.on('entry', (header, stream, next) => {
      if (header.type !== 'file') {
        stream.resume()
        stream.once('end', next)
        return
      }
      const path = join(folder, `part-${n++}`)
      const hash = createHash('sha256')
      let size = 0
      stream.on('data', (chunk: unknown) => {
        hash.update(chunk as Buffer)
        size += (chunk as Buffer).length
      })
      writing = pipeline(stream, createWriteStream(path))
        .then(async () => {
          const digest = hash.digest('hex')
          named.set(header.name, digest)
          sizes.set(digest, size)
          await rename(path, join(folder, digest))
          next()
        })
        .catch(next)
    })
    try {
      await pipeline(await this.#engine.imageFiles(id), reading)
    } finally {
      // A file that is still being opened would be there after its folder was removed.
      await writing
    }
    const config = id.replace('sha256:', '')
    const { rootfs } = JSON.parse(await readFile(join(folder, config), 'utf8'))
    const part = (mediaType: string, digest: string) => ({
      ...{ mediaType, digest: `sha256:${digest}` },
      size: sizes.get(digest) ?? 0,
    })
    const manifest = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: part(CONFIG, config),
      layers: (rootfs.diff_ids as readonly string[]).map((digest) =>
        part(LAYER, digest.replace('sha256:', '')),
      ),
    }
    return { folder, manifest: Buffer.from(JSON.stringify(manifest)) }
  }
}

/** Engines read base64 for URLs with its padding alone, and take anything else for no password. */
const paddedUrl = (text: string): string =>
  Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes.toString('utf8')).digest('hex')}`

function notFound(answer: ServerResponse): void {
  const body = '{"errors":[{"code":"MANIFEST_UNKNOWN","message":"there is none"}]}'
  answer.writeHead(404, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body)
}
