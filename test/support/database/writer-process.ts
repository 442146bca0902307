import { openDatabase } from '#adapters/sql/database/database.ts'
import { createTransact } from '#adapters/sql/database/transact.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { sampleUser } from '../samples.ts'

// Makes users for ever, and prints the id of each once its transaction is acknowledged.
const database = await openDatabase(JSON.parse(process.argv[2] as string))
const transact = createTransact(database.db, { clock: systemClock })
for (;;) {
  const user = sampleUser()
  await transact(async ({ users, jobs }) => {
    await users.insert(user)
    await jobs.enqueue({ kind: 'welcome', payload: { id: user.id } })
  })
  process.stdout.write(`${user.id}\n`)
}
