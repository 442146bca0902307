import pg from 'pg'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'

const TEMPLATE = 'aloft_template'
/** Held by whoever makes the template, so that it is made once though many ask for it. */
const TEMPLATE_LOCK = 7_003_200

const urlOf = (folder: string, database: string) =>
  `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`

async function withClient<T>(folder: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(urlOf(folder, 'postgres'))
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

let databases = 0

/** The address of a new database of the server in this folder: empty, or with the schema of today. */
export const createDatabase = (
  folder: string,
  { migrated }: { readonly migrated: boolean },
): Promise<string> =>
  withClient(folder, async (client) => {
    const name = `aloft_${process.pid}_${++databases}`
    if (migrated) await makeTemplate(folder, client)
    const copied = migrated ? `template ${TEMPLATE} ${await asFiles(client)}` : ''
    await client.query(`create database ${name} ${copied}`)
    return urlOf(folder, name)
  })

/** As it was before anybody used it. */
export async function emptyDatabase(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('drop schema public cascade; create schema public')
  await client.end()
}

/** Gone at once: hundreds of them would fill a disk. */
export const dropDatabase = (url: string): Promise<void> =>
  withClient(new URL(url).searchParams.get('host') ?? '', async (client) => {
    await client.query(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
  })
