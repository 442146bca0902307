import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** What differs from the row that is copied, in SQL: `i` counts the copies. */
type Changes = Readonly<Record<string, string>>

/** A row so many times, with changes. Whatever other columns there are stay as they are. */
function copy(
  db: DatabaseSync,
  table: string,
  { where, changes, count }: { readonly where: string; readonly changes: Changes; readonly count: number },
): void {
  const columns = db.prepare(`select name from pragma_table_info('${table}')`).all() as { name: string }[]
  const names = columns.map(({ name }) => name)
  for (const name of Object.keys(changes))
    if (!names.includes(name)) throw new Error(`${table} have no column ${name} any more`)
  db.exec(`
    insert into ${table} (${names.join()})
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    select ${names.map((name) => changes[name] ?? `one.${name}`).join()}
    from n, (select * from ${table} where ${where} limit 1) as one`)
}

const numbered = (prefix: string) => `printf('${prefix}%024d', i)`
const PROJECT = numbered('prj_')
const DEPLOYMENT = numbered('dpl_')
const ALIAS = "printf('%024d', i)"
const LATER = 'one.created_at + i'

export const hostOf = (n: number, domain: string): string => `site-${n}.${domain}`

/**
 * So many projects, each with a deployment, its own host and an alias (`hostOf`), made in SQL from one that went the
 * ordinary way: all have its one content.
 */
export function fillHosts(file: string, deploymentId: string, domain: string, count: number): void {
  const db = new DatabaseSync(file)
  db.exec('pragma synchronous = off; pragma temp_store = memory')
  const one = (query: string, ...values: SQLInputValue[]) =>
    db.prepare(query).get(...values) as Record<string, string>
  const quote = (text: string | undefined) => `'${String(text).replaceAll("'", "''")}'`
  const { project_id } = one('select project_id from deployments where id = ?', deploymentId)
  const id = quote(deploymentId)
  const alias = one('select * from hosts where deployment_id = ? and alias_id is not null', deploymentId)
  const host = `'site-' || i || '.${domain}'`
  const own = `'site-' || i || '-own.${domain}'`
  const made = { deployment_id: DEPLOYMENT, project_id: PROJECT, created_at: LATER }
  db.exec('begin')
  copy(db, 'projects', {
    where: `id = ${quote(project_id)}`,
    changes: { id: PROJECT, name: "'site-' || i", default_host: host, created_at: LATER },
    count,
  })
  copy(db, 'deployments', {
    where: `id = ${id}`,
    changes: {
      ...{ id: DEPLOYMENT, project_id: PROJECT, name: "'site-' || i", host: own },
      ...{ digest: 'hex(randomblob(32))', created_at: LATER },
    },
    count,
  })
  copy(db, 'manifests', { where: `deployment_id = ${id}`, changes: { deployment_id: DEPLOYMENT }, count })
  copy(db, 'hosts', {
    where: `deployment_id = ${id} and alias_id is null`,
    changes: { ...made, host: own },
    count,
  })
  copy(db, 'hosts', {
    where: `host = ${quote(alias.host)}`,
    changes: { ...made, host, alias_id: ALIAS },
    count,
  })
  for (const list of ["'all'", `'project ' || ${PROJECT}`, `'domain ${domain}'`, `'domain ' || ${host}`])
    copy(db, 'alias_lists', {
      where: `alias_id = ${quote(alias.alias_id)}`,
      changes: { list, alias_id: ALIAS, created_at: LATER },
      count,
    })
  db.exec('commit')
  db.close()
}
