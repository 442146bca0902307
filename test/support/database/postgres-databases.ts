import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'

const TEMPLATE = 'aloft_template'
/** Held by whoever makes the template, so that it is made once though many ask for it. */
const TEMPLATE_LOCK = 7_003_200

const urlOf = (folder: string, database: string) =>
  `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`

const withClient = <T>(folder: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withClientOf(urlOf(folder, 'postgres'), work)

async function withClientOf<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function makeTemplate(folder: string, client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [TEMPLATE])
  if (rowCount === 0) {
    // Under another name until it is whole: somebody may be killed in the midst.
    const unfinished = `${TEMPLATE}_${process.pid}`
    await client.query(`create database ${unfinished}`)
    const config = { url: urlOf(folder, unfinished), file: '' }
    for (const database of [await openDatabase(config), await openLogDatabase(config)]) {
      await database.migrate()
      await database.close()
    }
    await client.query(`alter database ${unfinished} rename to ${TEMPLATE}`)
  }
  await client.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK])
}

/** From 15 on a template is copied page by page through the journal, unless it is asked for as before. */
async function asFiles(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num')
  return Number(rows[0]?.server_version_num) >= 150_000 ? 'strategy file_copy' : ''
}

/** The address of a new database of the server in this folder: empty, or with the schema of today. */
export const createDatabase = (
  folder: string,
  { migrated }: { readonly migrated: boolean },
): Promise<string> =>
  withClient(folder, async (client) => {
    // The number of a process is used again, and some databases stay.
    const name = `aloft_${randomBytes(8).toString('hex')}`
    if (migrated) await makeTemplate(folder, client)
    const copied = migrated ? `template ${TEMPLATE} ${await asFiles(client)}` : ''
    await client.query(`create database ${name} ${copied}`)
    return urlOf(folder, name)
  })

/** As it was before anybody used it. */
export const emptyDatabase = (url: string): Promise<void> =>
  withClientOf(url, async (client) => {
    await client.query('drop schema public cascade; create schema public')
  })

interface Looked {
  /** What may be otherwise besides rows, and who else is connected. */
  readonly shape: string
  /** Tables whose files are not empty. */
  readonly filled: readonly string[]
}

const LOOK = `select
  concat_ws(' ',
    (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()),
    (select string_agg(name, ' ' order by name) from aloft_migrations),
    (select string_agg(name, ' ' order by name) from aloft_log_migrations),
    (select count(*) from pg_namespace),
    (select concat_ws(' ', count(*), max(oid)) from pg_class),
    (select count(*) from pg_attribute where not attisdropped),
    (select count(*) from pg_constraint),
    (select count(*) from pg_proc),
    (select count(*) from pg_trigger),
    (select count(*) from pg_statistic),
    (select count(*) from pg_db_role_setting)) as shape,
  array(
    select quote_ident(relname) from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0) as filled`

async function look(client: pg.Client): Promise<Looked> {
  const { rows } = await client.query<Looked>(LOOK)
  return rows[0] as Looked
}

/** Connections to databases that are lent, kept from one test to the next: to make one costs as much as to look. */
const keepers = new Map<string, pg.Client>()

async function keeperOf(url: string): Promise<pg.Client> {
  const known = keepers.get(url)
  if (known) return known
  // Its types lack what says that a process need not wait for it.
  const client = new pg.Client(url) as pg.Client & { unref(): void }
  // A test may have ended it.
  client.on('error', () => keepers.delete(url)).on('end', () => keepers.delete(url))
  await client.connect()
  client.unref()
  keepers.set(url, client)
  return client
}

/** Of a database that nobody has used. All have the same template. */
let asMade: Promise<Looked> | undefined
/** Databases as they were made, for the next that ask. */
const unused: string[] = []

/** One with the schema of today and no rows. To make them was a quarter of what the server did. */
export async function lendDatabase(folder: string): Promise<string> {
  const url = unused.pop() ?? (await createDatabase(folder, { migrated: true }))
  asMade ??= keeperOf(url).then(look)
  await asMade
  return url
}

/** Empties it for the next. One that a test has changed in more than its rows, or that is still in use, is dropped. */
export async function giveBackDatabase(url: string): Promise<void> {
  const before = await asMade
  const client = await keeperOf(url)
  const { shape, filled } = await look(client)
  if (shape !== before?.shape) {
    await client.end()
    return dropDatabase(url)
  }
  const tables = filled.filter((table) => !before.filled.includes(table))
  if (tables.length > 0) await client.query(`truncate ${tables.join(', ')} restart identity cascade`)
  unused.push(url)
}

/** Gone at once: hundreds of them would fill a disk. */
export const dropDatabase = (url: string): Promise<void> =>
  withClient(new URL(url).searchParams.get('host') ?? '', async (client) => {
    await client.query(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
  })
