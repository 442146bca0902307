import type { Database } from '#adapters/sql/database/database.ts'
import { createLogStore } from '#adapters/sql/log/log-store.ts'
import type { LogTables } from '#adapters/sql/log/log-tables.ts'
import type { NewLogEntry } from '#core/log/log-entry.ts'
import { sampleVisit } from '#core/log/logged-visit-testing.ts'

/** Blocks of each deployment that an alias leads to: those of a project are more than one look goes through. */
const BLOCKS = 12
const VISITS_IN_BLOCK = 2
const BUILD_LINES = 5
/** Between the first serials of two blocks. */
const APART = 100

const visit = sampleVisit({ deploymentId: 'dpl_template' })
const line: NewLogEntry = {
  ...{ id: 'line', takenAt: visit.at, deploymentId: 'dpl_template', type: 'stdout', at: visit.at },
  ...{ text: 'added 214 packages in 3s', region: 'local' },
  info: { type: 'build', name: 'bld_1', entrypoint: 'package.json' },
}

/** What SQL cannot make up: one block of visits, and one line of build output. */
export async function createLogTemplate(database: Database<LogTables>): Promise<void> {
  await database.migrate()
  const visits = Array.from({ length: VISITS_IN_BLOCK }, (_, n) => ({
    ...{ visit, region: 'local', takenAt: visit.at, count: 2 * n },
  }))
  await createLogStore(database.db).append([...visits, line])
}

const BLOCK = ['entries', 'status_from', 'status_to', 'has_errors', 'bytes', 'body'].join()
const LINE = ['type', 'at', 'text', 'info_type', 'info_name', 'entrypoint', 'region'].join()

/** So many parts of each deployment, one round of all of them after the other, as time goes by. */
const parts = (hosts: string, count: number): string => `(
  select row_number() over (order by part.column1, host) as n, deployment_id, project_id
  from ${hosts}, (values ${Array.from({ length: count }, (_, i) => `(${i})`).join()}) as part
  where alias_id is not null and created_at > 1) as placed`

/** Statements for both databases, where the table of hosts has this name. */
export const logRows = (hosts: string): readonly string[] => [
  `insert into log_blocks (last_serial, first_serial, id, deployment_id, project_id, ${BLOCK})
   select first_serial + n * ${APART} + entries - 1, first_serial + n * ${APART}, 'block-' || n, placed.deployment_id,
     placed.project_id, ${BLOCK}
   from ${parts(hosts, BLOCKS)}, (select first_serial, ${BLOCK} from log_blocks limit 1) as one`,
  `insert into log_entries (serial, id, deployment_id, ${LINE})
   select serial + n * ${APART} + ${APART / 2}, 'line-' || n, placed.deployment_id, ${LINE}
   from ${parts(hosts, BUILD_LINES)}, (select serial, ${LINE} from log_entries limit 1) as one`,
]
