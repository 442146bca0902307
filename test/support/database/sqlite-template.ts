import { rmSync } from 'node:fs'
import { chmod, copyFile, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { quickFolder } from '../storage/quick-folder.ts'

const FILES = { 'aloft.db': openDatabase, 'logs.db': openLogDatabase }

/** A folder with databases that `npm test` has made once for all files. A file that is run by itself makes its own. */
const { ALOFT_TEST_TEMPLATE: shared } = process.env

let template: Promise<string> | undefined

export async function makeTemplate(): Promise<string> {
  const folder = await mkdtemp(join(quickFolder, 'aloft-template-'))
  // Some tests are run by another user.
  await chmod(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const [name, open] of Object.entries(FILES)) {
    const database = await open({ file: join(folder, name) })
    await database.migrate()
    // What is still in the journal comes into the file.
    await database.close()
  }
  return folder
}

/** Puts embedded databases with the schema of today into a folder: a copy is made sooner than a schema. */
export async function copyDatabases(
  to: string,
  names: readonly (keyof typeof FILES)[] = ['aloft.db', 'logs.db'],
): Promise<void> {
  template ??= shared === undefined ? makeTemplate() : Promise.resolve(shared)
  const from = await template
  for (const name of names) await copyFile(join(from, name), join(to, name))
}
