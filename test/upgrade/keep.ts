/**
 * Keeps the data directory of a version of Aloft, for the test of upgrades. To be run before a release whose schema is new:
 *
 *   node test/upgrade/keep.ts [folder of a checkout, with node_modules]
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { install, uninstall } from '#test/support/installation.ts'
import { fill, pack } from './kept-data.ts'

const checkout = resolve(process.argv[2] ?? '.')
const aloft = await install({ program: [process.execPath, join(checkout, 'src/main.ts')] })
const dataDir = join(aloft.folder, 'data')

function namesIn(file: string, table: string): string[] {
  if (!existsSync(join(dataDir, file))) return []
  const database = new DatabaseSync(join(dataDir, file), { readOnly: true })
  const rows = database.prepare(`select name from ${table} order by name`).all()
  database.close()
  return rows.map(({ name }) => String(name))
}

try {
  const kept = await fill(aloft)
  await aloft.stop()
  const schema = namesIn('aloft.db', 'aloft_migrations')
  const logSchema = namesIn('logs.db', 'aloft_log_migrations')
  const name = [...schema.slice(-1), ...logSchema.slice(-1)].join('+')
  const file = join(import.meta.dirname, 'data', `${name}.tar.br`)
  await pack(dataDir, { schema: [...schema, ...logSchema], ...kept }, file)
  console.log(file, JSON.stringify(kept))
} finally {
  await aloft.stop('SIGKILL')
  await uninstall(aloft)
}
