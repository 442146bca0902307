import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

const db = new DatabaseSync(String(workerData), { timeout: 5000 })
db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
// The first moves nearly everything without stopping anybody; the second stops writers for the little that is left.
db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
// The first commit after a truncation syncs the head of the log; made here, no event loop waits for it.
db.exec('UPDATE checkpoint SET count = count + 1')
db.close()
