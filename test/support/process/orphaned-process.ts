import { endWhenOrphaned } from '#src/process/supervisor/child/orphan.ts'
import { silentLog } from '../silent-log.ts'

/** A process of a supervisor's that never finishes what it has begun. */
endWhenOrphaned(() => {}, silentLog, 50)
setInterval(() => {}, 1000)
process.send?.('ready')
