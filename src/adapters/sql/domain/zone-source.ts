import { sql } from 'kysely'
import type { RecordType } from '#contract/api/dns-record.ts'
import { assembleZone } from '#core/dns/user-zones.ts'
import type { ZoneSource } from '#core/dns/zone.ts'
import { heldNames, serviceTypeOf } from '#core/domain/domain.ts'
import { CHALLENGES_OF_ALL } from '../change/zone-changes.ts'
import { prepare } from '../database/prepare.ts'
import { textsIn } from '../database/text-list.ts'
import type { Db } from '../tables.ts'
import { DOMAIN, toDomain } from './domain-store.ts'

/** The count comes before the records are read: a serial may be too old for what it stands for, never too new. */
const selectDomains = prepare<{ names: string; challenges: string }>()((db, { names, challenges }) =>
  db
    .selectFrom('domains')
    .leftJoin('zone_changes', 'zone_changes.zone', 'domains.name')
    .leftJoin('zone_changes as proofs', (join) => join.on('proofs.zone', '=', challenges))
    .select(DOMAIN.map((column) => `domains.${column}` as const))
    .select(['zone_changes.count as changes', 'proofs.count as proof_changes'])
    .where('domains.name', 'in', textsIn(db, names))
    .where('domains.verified', '=', sql.lit(1)),
)

/** Challenges live for minutes, so there are few: all of them are read. */
const selectContent = prepare<{ domainId: string; kind: string; ever: number }>()(
  (db, { domainId, kind, ever }) =>
    db
      .selectFrom('dns_records')
      .select((eb) => [eb.ref('type').$castTo<string>().as('type'), 'name', 'value'])
      .where('domain_id', '=', domainId)
      .unionAll(
        db
          .selectFrom('challenges')
          .select((eb) => [eb.ref('kind').$castTo<string>().as('type'), 'host as name', 'value'])
          .where('expires_at', '>', ever)
          .where('kind', '=', kind as 'dns-01'),
      ),
)

interface ZoneSourceConfig {
  /** The platform's own. */
  readonly domain: string
  readonly nameservers: readonly string[]
  /** As `SystemTargets` has it. */
  readonly authority: string | null
}

/** The zones of domains that accounts have proved to be theirs and that are delegated to us. */
export function createZoneSource(db: Db, { domain, nameservers, authority }: ZoneSourceConfig): ZoneSource {
  const answers = { aliasHost: `alias.${domain}`, authority, nameservers }

  return {
    async find(name) {
      const candidates = await selectDomains(db, {
        names: JSON.stringify(heldNames(name)),
        challenges: CHALLENGES_OF_ALL,
      })
      const [row] = candidates
        .filter((one) => serviceTypeOf(toDomain(one), nameservers) === 'provider.world')
        .toSorted((a, b) => b.name.length - a.name.length)
      if (!row) return undefined
      const content = await selectContent(db, { domainId: row.id, kind: 'dns-01', ever: 0 })
      return assembleZone(
        {
          domain: toDomain(row),
          records: content
            .filter(({ type }) => type !== 'dns-01')
            .map(({ type, ...record }) => ({ ...record, type: type as RecordType })),
          challenges: content
            .filter(({ type }) => type === 'dns-01')
            .map(({ name: host, value }) => ({ host, value })),
          changes: (row.changes ?? 0) + (row.proof_changes ?? 0),
        },
        answers,
      )
    },
  }
}
