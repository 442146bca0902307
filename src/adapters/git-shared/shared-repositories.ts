import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  EMPTY_REPOSITORY,
  type GitHttpRequest,
  type GitRepositories,
  isCopy,
} from '#core/git/git-repositories.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { SharedContent, SharedThing, SharedThingStore } from '#core/shared/shared-thing-store.ts'
import { createTurns } from '#core/turns.ts'
import type { RepositoryFiles, RepositorySnapshot } from '../git-cli/repository-files.ts'
import {
  atOnce,
  fetchObjects,
  readRemovals,
  readSynced,
  writeRemovals,
  writeShallow,
  writeSynced,
} from './repository-folder.ts'

interface SharedRepositoriesParts {
  /** Those on the disk of this machine. */
  readonly local: GitRepositories
  readonly files: RepositoryFiles
  readonly folderOf: (id: string) => string
  readonly things: SharedThingStore
  readonly blobs: Pick<BlobStore, 'put' | 'open'>
  readonly clock: Clock
}

type Refs = Readonly<Record<string, string>>

/** What is shared of a repository besides its objects. */
interface Details {
  /** Another for each time that the repository is made. */
  readonly epoch: string
  readonly refs: Refs
  readonly head: string | undefined
  readonly shallow: string | undefined
}

const NONE: Details = { epoch: '', refs: {}, head: undefined, shallow: undefined }

type Recorded = Details & Pick<SharedThing, 'contents'> & { readonly version: number }

const MAX_OBJECT_BYTES = 64 * 2 ** 30
const ATTEMPTS = 20

class MovedMeanwhile extends Error {
  constructor() {
    super('another machine has taken a push to the same branch at the same time')
  }
}

/**
 * Repositories that every machine of an installation serves and builds from. Each has a copy on its disk that git works
 * with; what they have in common is a record of the refs and of the files of the objects, which are contents of the blob
 * store. A push is in the record before it is acknowledged, and whoever reads brings their copy up to date first. Of two
 * pushes to the same ref on two machines at the same time one is refused.
 *
 * Of repositories that are copies of one elsewhere only the refs are in common, which tell what was deployed: any machine
 * can fetch the objects again.
 */
export function createSharedRepositories(parts: SharedRepositoriesParts): GitRepositories {
  const { local, files, folderOf, things, blobs, clock } = parts
  const isAlone = (id: string) => id === EMPTY_REPOSITORY || isCopy(id)
  const turns = createTurns(1)

  async function recordOf(id: string): Promise<Recorded | undefined> {
    const found = await things.find('git', id)
    return (
      found && { ...(JSON.parse(found.details) as Details), version: found.version, contents: found.contents }
    )
  }

  /** How often a repository of this id was removed, on whichever machine. */
  const removals = (id: string): Promise<number> => things.version('git-gone', id)

  /** Whether another machine has removed the repository since this disk has a copy of it. */
  async function isRemoved(id: string): Promise<boolean> {
    const known = await readRemovals(folderOf(id))
    return known !== undefined && known < (await removals(id))
  }

  async function make(id: string): Promise<void> {
    const found = await stat(join(folderOf(id), 'HEAD')).catch(() => undefined)
    if (found && found.size > 0) return
    const before = await removals(id)
    await local.ensure(id)
    if (!found) return writeRemovals(folderOf(id), before)
    // A loss of power has emptied it; what it was is what all machines know.
    const head = (await recordOf(id))?.head
    if (head !== undefined) await local.setHead(id, head)
  }

  /** What another repository left behind says nothing of the one that has taken its place. */
  async function replace(id: string): Promise<void> {
    await local.remove(id)
    await make(id)
  }

  async function removeLeft(): Promise<void> {
    const gone = new Set(await things.names('git-gone'))
    for (const id of await local.ids())
      if (gone.has(id))
        await turns.run(id, async () => {
          if (await isRemoved(id)) await local.remove(id)
        })
  }

  /** Takes over what other machines have recorded since; where both have moved a ref, what is recorded counts. */
  async function takeOver(id: string, record: Recorded, before: Refs): Promise<void> {
    await make(id)
    await fetchObjects(folderOf(id), record.contents, blobs)
    if (record.shallow !== undefined) await writeShallow(folderOf(id), record.shallow)
    const names = new Set([...Object.keys(record.refs), ...Object.keys(before)])
    const updates = [...names]
      .filter((ref) => record.refs[ref] !== before[ref])
      .map((ref) => ({ ref, after: record.refs[ref] ?? null }))
    const there = await local.refs(id)
    const needed = updates.filter(({ ref, after }) => (there.get(ref) ?? null) !== after)
    if (needed.length > 0) await local.accept(id, needed)
    if (record.head !== undefined && record.head !== (await local.head(id)))
      await local.setHead(id, record.head)
    const { epoch, version, refs, head } = record
    await writeSynced(folderOf(id), { epoch, version, refs, head })
  }

  async function upload(objects: RepositorySnapshot['objects'], known: Recorded | undefined) {
    const contents = new Map<string, SharedContent>()
    await atOnce(objects, async ({ path, file }) => {
      const { sha256, size } =
        known?.contents.get(path) ?? (await blobs.put(createReadStream(file), { maxBytes: MAX_OBJECT_BYTES }))
      contents.set(path, { sha256, size })
    })
    return contents
  }

  /** Records what is here as the version after this one; undefined where another machine was faster. */
  async function publish(id: string, record: Recorded | undefined): Promise<Details | undefined> {
    const held = await files.hold()
    try {
      const { texts, objects } = await held.snapshot(id)
      const details: Details = {
        epoch: record?.epoch ?? randomUUID(),
        refs: readRefs(texts.get('packed-refs')),
        head: await local.head(id),
        shallow: texts.get('shallow')?.toString('utf8'),
      }
      const version = record?.version ?? 0
      const thing = { details: JSON.stringify(details), contents: await upload(objects, record) }
      if (!(await things.put('git', id, version, thing, clock.now()))) return undefined
      const { epoch, refs, head } = details
      await writeSynced(folderOf(id), { epoch, version: version + 1, refs, head })
      return details
    } finally {
      await held.close()
    }
  }

  /** One turn: undefined where another machine was faster. */
  async function turn(id: string): Promise<Details | undefined> {
    if (await isRemoved(id)) await replace(id)
    const record = await recordOf(id)
    let synced = await readSynced(folderOf(id))
    // It may have been removed just now, or the copy be of a version of Aloft that did not count removals.
    if (synced !== undefined && record === undefined && (await removals(id)) > 0) {
      await replace(id)
      synced = undefined
    }
    if (record && (record.version !== synced?.version || record.epoch !== synced.epoch)) {
      await takeOver(id, record, synced?.refs ?? {})
      synced = await readSynced(folderOf(id))
    }
    const [refs, head] = [Object.fromEntries(await local.refs(id)), await local.head(id)]
    const here = { ...NONE, refs, head }
    // None, or a copy of a repository elsewhere.
    if (head === undefined || (await local.incoming(id)).size > 0) return record ?? here
    const isSame = same(refs, synced?.refs ?? {}) && (head === synced?.head || Object.keys(refs).length === 0)
    return isSame ? (record ?? here) : publish(id, record)
  }

  async function syncNow(id: string): Promise<Details> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const details = await turn(id)
      if (details) return details
    }
    throw new MovedMeanwhile()
  }

  /** Makes this machine's copy and the record the same; one at a time for each repository. */
  const sync = (id: string): Promise<Details> => turns.run(id, () => syncNow(id))

  /** Enough for whoever only reads: nothing is recorded, and mostly nothing is to be done. */
  async function catchUp(id: string): Promise<void> {
    if (isAlone(id)) return
    const version = await things.version('git', id)
    if (version !== 0 && version !== (await readSynced(folderOf(id)))?.version) await sync(id)
  }

  async function elsewhere(id: string): Promise<(Details & { readonly version: number }) | undefined> {
    const found = await things.find('git-refs', id)
    return found && { ...(JSON.parse(found.details) as Details), version: found.version }
  }

  async function receive(id: string, request: GitHttpRequest) {
    await sync(id)
    const before = await local.refs(id)
    const answer = await local.http(id, request)
    // Whoever pushes may be gone: what git has taken is recorded all the same.
    const recorded = answer.ended
      .catch(() => undefined)
      .then(async () => {
        const taken = await local.refs(id)
        const { refs } = await sync(id)
        for (const ref of new Set([...before.keys(), ...taken.keys()]))
          if (before.get(ref) !== taken.get(ref) && refs[ref] !== taken.get(ref)) throw new MovedMeanwhile()
      })
    recorded.catch(() => undefined)
    const body = async function* () {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        yield chunk
      }
      // What is said at the end, that it was taken, goes out only after that.
      await recorded
    }
    return { ...answer, body: Readable.from(body(), { objectMode: false }) }
  }

  return {
    ...local,

    async ensure(id) {
      if (isAlone(id)) return local.ensure(id)
      await turns.run(id, async () => ((await isRemoved(id)) ? replace(id) : make(id)))
      await catchUp(id)
    },

    async remove(id) {
      if (!isAlone(id)) {
        const gone = { details: '', contents: new Map() }
        await things.put('git-gone', id, await removals(id), gone, clock.now())
        await things.remove('git', id)
      }
      await things.remove('git-refs', id)
      await local.remove(id)
    },

    async ids() {
      await removeLeft()
      return [...new Set([...(await local.ids()), ...(await things.names('git'))])]
    },

    /** The copy of this machine; what is recorded follows with the next push. */
    tidy: async (id, options) => (await local.ids()).includes(id) && local.tidy(id, options),

    async refs(id) {
      if (isAlone(id)) return local.refs(id)
      const { refs } = (await elsewhere(id)) ?? (await sync(id))
      return new Map(Object.entries(refs))
    },

    async head(id) {
      if (isAlone(id)) return local.head(id)
      return (await elsewhere(id))?.head ?? (await local.head(id)) ?? (await sync(id)).head
    },

    async setHead(id, branch) {
      await local.setHead(id, branch)
      if (!isAlone(id)) await sync(id)
    },

    async accept(id, updates) {
      await local.accept(id, updates)
      if (isAlone(id)) return
      for (;;) {
        const known = await elsewhere(id)
        const refs = new Map(known ? Object.entries(known.refs) : await local.refs(id))
        for (const { ref, after } of updates)
          if (after === null) refs.delete(ref)
          else refs.set(ref, after)
        const details = { ...NONE, refs: Object.fromEntries(refs), head: await local.head(id) }
        const thing = { details: JSON.stringify(details), contents: new Map() }
        if (await things.put('git-refs', id, known?.version ?? 0, thing, clock.now())) return
      }
    },

    async commit(id, oid) {
      const here = await local.commit(id, oid)
      if (here !== undefined || isAlone(id)) return here
      await catchUp(id)
      return local.commit(id, oid)
    },

    async http(id, request) {
      if (isAlone(id)) return local.http(id, request)
      if (request.path === '/git-receive-pack') return receive(id, request)
      // What a pusher is shown decides what it sends.
      if (request.query.includes('git-receive-pack')) await sync(id)
      else await catchUp(id)
      return local.http(id, request)
    },
  }
}

/** As a snapshot has them: an id and a name in each line. */
const readRefs = (text: Buffer | undefined): Refs =>
  Object.fromEntries(
    (text?.toString('utf8') ?? '').split('\n').flatMap((line) => {
      const space = line.indexOf(' ')
      return space < 0 ? [] : [[line.slice(space + 1), line.slice(0, space)]]
    }),
  )

const same = (a: Refs, b: Refs): boolean => {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every((name) => a[name] === b[name])
}
