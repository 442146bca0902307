import { once } from 'node:events'
import { openDatabase } from '#adapters/sql/database/database.ts'

// Says that it is ready, then brings the schema up to date when its input ends.
const database = await openDatabase(JSON.parse(process.argv[2] as string))
process.stdout.write('ready\n')
process.stdin.resume()
await once(process.stdin, 'end')
await database.migrate()
await database.close()
