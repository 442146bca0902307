import { rmSync } from 'node:fs'
import { copyFile, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { quickFolder } from './quick-folder.ts'

const FILES = { 'aloft.db': openDatabase, 'logs.db': openLogDatabase }

let template: Promise<string> | undefined

async function makeTemplate(): Promise<string> {
  const folder = await mkdtemp(join(quickFolder, 'aloft-template-'))
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
  template ??= makeTemplate()
  const from = await template
  for (const name of names) await copyFile(join(from, name), join(to, name))
}
