import type { DatabaseSync } from 'node:sqlite'
import type { StoredBlob } from '#core/ports/blob-store.ts'

/** A pack as the index knows it. */
export interface Pack {
  readonly id: number
  readonly name: string
  /** The writer that may append to it or rewrite it; without one it is sealed. */
  readonly owner: string | undefined
  /** How far its records are in the index. */
  readonly size: number
  /** Bytes of records that the index no longer points to. */
  readonly dead: number
}

export interface RecordPlace {
  readonly pack: number
  readonly offset: number
}

export interface Located extends RecordPlace, StoredBlob {
  readonly packName: string
}

export const SCHEMA_VERSION = 1

export const SCHEMA = `
  CREATE TABLE pack (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    owner TEXT,
    size INTEGER NOT NULL DEFAULT 0,
    dead INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE blob (
    sha256 BLOB PRIMARY KEY,
    pack INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    put_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- Earlier versions of Aloft write here after a checkpoint.
  CREATE TABLE checkpoint (count INTEGER NOT NULL) STRICT;
  INSERT INTO checkpoint VALUES (0);
  PRAGMA user_version = ${SCHEMA_VERSION};
`

type Row = Record<string, unknown>

const bin = (sha256: string) => Buffer.from(sha256, 'hex')
const hex = (value: unknown) => Buffer.from(value as Uint8Array).toString('hex')

const toBlob = (row: Row): StoredBlob => ({
  sha256: hex(row.sha256),
  size: Number(row.length),
  putAt: Number(row.put_at),
})

const toPack = (row: Row): Pack => ({
  id: Number(row.id),
  name: String(row.name),
  owner: row.owner === null ? undefined : String(row.owner),
  size: Number(row.size),
  dead: Number(row.dead),
})

interface RemovedRecord {
  readonly pack: number
  readonly size: number
}

const toRemoved = (row: Row | undefined): RemovedRecord | undefined =>
  row && { pack: Number(row.pack), size: Number(row.length) }

export type IndexRows = ReturnType<typeof prepareRows>

/** Every statement of the index, prepared once. All are synchronous and touch few rows. */
export function prepareRows(db: DatabaseSync) {
  const find = db.prepare(
    `SELECT b.pack, b.offset, b.length, b.put_at, p.name FROM blob b JOIN pack p ON p.id = b.pack WHERE sha256 = ?`,
  )
  const findMany = db.prepare(
    `SELECT b.sha256, b.length, b.put_at FROM json_each(?) j JOIN blob b ON b.sha256 = unhex(j.value)`,
  )
  const page = db.prepare(
    `SELECT sha256, length, put_at FROM blob WHERE sha256 > ? AND sha256 <= ? ORDER BY sha256 LIMIT ?`,
  )
  const touch = db.prepare(`UPDATE blob SET put_at = max(put_at, ?) WHERE sha256 = ?`)
  const insert = db.prepare(
    `INSERT OR IGNORE INTO blob (sha256, pack, offset, length, put_at) VALUES (?, ?, ?, ?, ?)`,
  )
  const move = db.prepare(`UPDATE blob SET pack = ?, offset = ? WHERE sha256 = ? AND pack = ? AND offset = ?`)
  const remove = db.prepare(`DELETE FROM blob WHERE sha256 = ? AND put_at < ? RETURNING pack, length`)
  const removeAt = db.prepare(
    `DELETE FROM blob WHERE sha256 = ? AND pack = ? AND offset = ? RETURNING pack, length`,
  )
  const removeOf = db.prepare(`DELETE FROM blob WHERE pack = ? RETURNING sha256`)
  const removeBeyond = db.prepare(`DELETE FROM blob WHERE pack = ? AND offset + length > ? RETURNING sha256`)
  const packs = db.prepare(`SELECT id, name, owner, size, dead FROM pack`)
  const pack = db.prepare(`SELECT id, name, owner, size, dead FROM pack WHERE id = ?`)
  const addPack = db.prepare(`INSERT INTO pack (name, owner) VALUES (?, ?)`)
  const dropPack = db.prepare(`DELETE FROM pack WHERE id = ?`)
  const claim = db.prepare(`UPDATE pack SET owner = ? WHERE id = ? AND owner IS NULL`)
  const release = db.prepare(`UPDATE pack SET owner = NULL WHERE id = ?`)
  const setSize = db.prepare(`UPDATE pack SET size = ? WHERE id = ?`)
  const addDead = db.prepare(`UPDATE pack SET dead = dead + ? WHERE id = ?`)

  return {
    find(sha256: string): Located | undefined {
      const row = find.get(bin(sha256))
      if (row === undefined) return undefined
      const place = { pack: Number(row.pack), packName: String(row.name), offset: Number(row.offset) }
      return { sha256, size: Number(row.length), putAt: Number(row.put_at), ...place }
    },
    findMany: (sha256s: readonly string[]): StoredBlob[] => findMany.all(JSON.stringify(sha256s)).map(toBlob),
    page: (after: string, upTo: string, limit: number): StoredBlob[] =>
      page.all(bin(after), bin(upTo), limit).map(toBlob),
    touch: (sha256: string, putAt: number): boolean => touch.run(putAt, bin(sha256)).changes > 0,
    /** False where the content is in the index already. */
    insert: (blob: StoredBlob, place: RecordPlace): boolean =>
      insert.run(bin(blob.sha256), place.pack, place.offset, blob.size, blob.putAt).changes > 0,
    /** False where the content is no longer at `from`. */
    move: (sha256: string, from: RecordPlace, to: RecordPlace): boolean =>
      move.run(to.pack, to.offset, bin(sha256), from.pack, from.offset).changes > 0,
    remove: (sha256: string, notPutSince: number): RemovedRecord | undefined =>
      toRemoved(remove.get(bin(sha256), notPutSince)),
    /** Nothing where the content is somewhere else. */
    removeAt: (sha256: string, { pack, offset }: RecordPlace): RemovedRecord | undefined =>
      toRemoved(removeAt.get(bin(sha256), pack, offset)),
    /** Answers the names of what is absent from now on. */
    removeOf: (packId: number): string[] => removeOf.all(packId).map(({ sha256 }) => hex(sha256)),
    removeBeyond: (packId: number, size: number): string[] =>
      removeBeyond.all(packId, size).map(({ sha256 }) => hex(sha256)),
    packs: (): Pack[] => packs.all().map(toPack),
    pack(id: number): Pack | undefined {
      const row = pack.get(id)
      return row === undefined ? undefined : toPack(row)
    },
    addPack: (name: string, owner: string | null): number => Number(addPack.run(name, owner).lastInsertRowid),
    dropPack: (id: number): void => void dropPack.run(id),
    claim: (id: number, owner: string): boolean => claim.run(owner, id).changes > 0,
    release: (id: number): void => void release.run(id),
    setSize: (id: number, size: number): void => void setSize.run(size, id),
    addDead: (id: number, bytes: number): void => void addDead.run(bytes, id),
  }
}
