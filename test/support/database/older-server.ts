import { Kysely, sql } from 'kysely'
import { createPostgresDialect } from '#adapters/sql/database/dialect/postgres-dialect.ts'

/** The address of a database under which its server says that it is of another version, such as `11.22`. */
export async function asVersion(url: string, version: string): Promise<string> {
  const [major, minor] = version.split('.').map(Number) as [number, number]
  const db = new Kysely<unknown>({ dialect: createPostgresDialect({ url, connections: 1 }) })
  const schema = `version_${major}_${minor}`
  const said = `select case $1 when 'server_version' then '${version}' else '${major * 10_000 + minor}' end`
  try {
    await sql`create schema ${sql.ref(schema)}`.execute(db)
    await sql`
      create function ${sql.ref(schema)}.current_setting(text) returns text language sql as ${sql.lit(said)}
    `.execute(db)
  } finally {
    await db.destroy()
  }
  // Whatever is not in there is looked for where it always is.
  return `${url}&options=${encodeURIComponent(`-c search_path=public,${schema},pg_catalog`)}`
}
