import { MINUTE } from '#contract/time.ts'
import { GitError } from '#core/git/git-repositories.ts'
import { object, text } from '#core/git/pull/pull-payload.ts'
import { isOverSsh, type RemoteAccess } from '#core/git/source/source.ts'
import type { LfsObjects, LfsPointer } from '#core/git/tree/lfs.ts'
import { type Outbound, OutboundFailure } from '#core/ports/outbound.ts'
import { items } from './host-call.ts'

const TYPE = 'application/vnd.git-lfs+json'
/** Objects of one question. */
const BATCH = 100
const ASK_MS = MINUTE
const FETCH_MS = 10 * MINUTE
const MAX_ANSWER = 2 * 1024 * 1024
/** Headers that a server may ask to be sent along. */
const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,60}$/
const NEVER_SENT: ReadonlySet<string> = new Set(['host', 'content-length', 'connection', 'transfer-encoding'])

/** The server for Git LFS that belongs to a repository: its batch API, of which only downloads are used. */
export function createLfsObjects(
  { outbound }: { readonly outbound: Pick<Outbound, 'send' | 'open'> },
  access: RemoteAccess,
): LfsObjects {
  const server = new URL(access.url)
  const base = `${server.origin}${server.pathname.replace(/\/+$/, '').replace(/(?:\.git)?$/, '.git')}/info/lfs`
  const signIn: Record<string, string> =
    access.token === undefined
      ? {}
      : {
          authorization: `Basic ${Buffer.from(`${access.username ?? 'git'}:${access.token}`).toString('base64')}`,
        }

  async function ask(pointers: readonly LfsPointer[], signal: AbortSignal) {
    const { status, text: answer } = await outbound
      .send({
        method: 'POST',
        url: `${base}/objects/batch`,
        headers: { accept: TYPE, 'content-type': TYPE, 'user-agent': 'Aloft', ...signIn },
        body: JSON.stringify({ operation: 'download', transfers: ['basic'], objects: pointers }),
        timeoutMs: ASK_MS,
        maxBytes: MAX_ANSWER,
        signal,
      })
      .catch(inWords(server.hostname))
    if (status === 401 || status === 403)
      throw new GitError(`${server.hostname} does not let the token read Git LFS objects`)
    if (status !== 200)
      throw new GitError(`${server.hostname} answered the question for Git LFS objects with status ${status}`)
    try {
      return items(object(JSON.parse(answer)).objects)
    } catch {
      throw new GitError(`${server.hostname} answered the question for Git LFS objects with something else`)
    }
  }

  return {
    async download(pointers, take, signal) {
      if (isOverSsh(access))
        throw new GitError(
          'Git LFS objects are fetched over https. Connect the repository by its https address',
        )
      const wanted = new Map(pointers.map((pointer) => [pointer.oid, pointer]))
      for (let start = 0; start < pointers.length; start += BATCH)
        for (const found of await ask(pointers.slice(start, start + BATCH), signal)) {
          const pointer = wanted.get(text(found.oid))
          const { href, header } = object(object(found.actions).download)
          // One that it does not have comes with an error in the place of this.
          if (pointer === undefined || text(href) === '') continue
          wanted.delete(pointer.oid)
          const url = URL.parse(text(href))
          const { status, body } = await outbound
            .open({
              method: 'GET',
              url: text(href),
              // What signs in at the repository's own host is told to nobody else.
              headers: {
                'user-agent': 'Aloft',
                ...(url?.origin === server.origin ? signIn : {}),
                ...headersOf(header),
              },
              body: '',
              timeoutMs: FETCH_MS,
              signal,
            })
            .catch(inWords(url?.hostname ?? server.hostname))
          if (status === 200) await take(pointer, body)
          else body.destroy()
        }
    },
  }
}

const headersOf = (given: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(object(given))
      .map(([name, value]): [string, string] => [name.toLowerCase(), text(value)])
      .filter(([name, value]) => HEADER.test(name) && !NEVER_SENT.has(name) && !/[\r\n]/.test(value)),
  )

const inWords =
  (host: string) =>
  (error: unknown): never => {
    if (!(error instanceof OutboundFailure)) throw error
    throw new GitError(
      error.reason === 'private-address'
        ? `${host} is at a private address, which the operator has not opened (ALOFT_PRIVATE_TARGETS)`
        : `${host} could not be reached: ${error.message}`,
      { cause: error },
    )
  }
