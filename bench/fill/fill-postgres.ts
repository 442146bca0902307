import pg from 'pg'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { pairsOf } from '#adapters/sql/deployment/deployment-meta.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { aliasEvery, branch, createTemplate, FILLED, spread, USAGE } from './fill-deployments.ts'
import { createLogTemplate, logRows } from './fill-logs.ts'

const hex = (digits: number) => `upper(substr(md5(random()::text) || md5(random()::text), 1, ${digits}))`

/** As in a database of SQLite. */
const madeUp = (count: number): Readonly<Record<string, string>> => {
  const at = { moment: '(1700000000000 + i)', count }
  return {
    id: `'dpl_' || ${hex(28)}`,
    project_id: `'prj_' || ${spread('project', FILLED.projects, at)}`,
    creator_id: `'user-' || ${spread('creator', FILLED.creators, at)}`,
    name: `'app-' || ${spread('name', FILLED.projects, at)}`,
    host: `lower(${hex(16)}) || '.${FILLED.domain}'`,
    state: `case ${spread('state', 10, at)} when 0 then 'ERROR' when 1 then 'BUILDING' else 'READY' end`,
    target: `case ${spread('target', 4, at)} when 0 then 'production' when 1 then 'staging' end`,
    digest: `${hex(32)} || ${hex(32)}`,
    created_at: '1700000000000 + i',
  }
}

/** The same rows as `fillDeployments` makes, in an empty database of PostgreSQL. */
export async function fillPostgres(url: string, count: number): Promise<void> {
  const database = await openDatabase({ url, file: '' })
  await createTemplate(database)
  await database.close()
  const logs = await openLogDatabase({ url, file: '' })
  await createLogTemplate(logs)
  await logs.close()
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows: columns } = await client.query<{ name: string }>(
      "select column_name as name from information_schema.columns where table_name = 'deployments' and table_schema = current_schema() order by ordinal_position",
    )
    const names = columns.map(({ name }) => name)
    const made = madeUp(count)
    for (const name of Object.keys(made))
      if (!names.includes(name)) throw new Error(`deployments have no column ${name} any more`)
    const { rows: indexes } = await client.query<{ name: string; sql: string }>(
      `select indexname as name, indexdef as sql from pg_indexes
       where schemaname = current_schema() and tablename in ('deployments', 'hosts', 'alias_lists', 'manifests', 'deployment_meta', 'usage', 'log_blocks', 'log_entries')
       and not exists (select 1 from pg_constraint where conname = indexname)`,
    )
    await client.query('begin')
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    await client.query(
      `insert into deployments (${names.join()})
       select ${names.map((name) => made[name] ?? `one.${name}`).join()}
       from generate_series(1, ${count}) as i, (select * from deployments limit 1) as one`,
    )
    await client.query(
      `insert into hosts select host, owner_id, project_id, id, null, 0, created_at from deployments
       where created_at > 1`,
    )
    await client.query(
      `insert into hosts select 'alias-' || host, owner_id, project_id, id, substr(id, 5, 24), 0, created_at
       from deployments where created_at % ${aliasEvery(count)} = 0 and created_at > 1`,
    )
    await client.query(
      `insert into alias_lists select owner_id, list.value, created_at, alias_id
       from hosts, lateral (values ('all'), ('project ' || project_id), ('domain ${FILLED.domain}')) as list (value)
       where alias_id is not null and created_at > 1`,
    )
    await client.query(
      `insert into manifests select id, sha1s, files from deployments, (select * from manifests limit 1) as one
       where created_at > 1`,
    )
    const pairs = Array.from({ length: FILLED.branches }, (_, n) => pairsOf(branch(n))[0])
    await client.query(
      `insert into deployment_meta
       select owner_id, ($1::text[])[1 + ${spread('branch', FILLED.branches, { moment: 'created_at', count })}], created_at, id from deployments
       where created_at > 1`,
      [pairs],
    )
    for (const statement of [...USAGE, ...logRows('hosts')]) await client.query(statement)
    for (const { sql } of indexes) await client.query(sql)
    await client.query('commit')
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
