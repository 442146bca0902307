import { sql } from 'kysely'
import { isPostgres } from '../../database/dialect/is-postgres.ts'
import type { Migration } from '../../migrations/migration.ts'

/** As they were when this step was made. */
const DAY = 86_400_000
const SPANS = {
  traffic: { minute: DAY, hour: 30 * DAY, day: 180 * DAY },
  traffic_paths: { minute: DAY, hour: DAY, day: 30 * DAY },
} as const
const KEY = 'project_id, deployment_id, step, at, target'
const KEYS = { traffic: KEY, traffic_paths: `${KEY}, path` } as const
const COUNTERS = [
  'requests',
  'status_2xx',
  'status_3xx',
  'status_4xx',
  'status_5xx',
  'bytes',
  'cold_starts',
  ...Array.from({ length: 40 }, (_, bucket) => `duration_${bucket}`),
]
const ADDED = COUNTERS.map((name) => `${name} = there.${name} + excluded.${name}`).join(', ')

/** Puts a row that is written to the divided table into that of its time, if there is one. */
const createFunction = (table: keyof typeof SPANS) => {
  const { minute, hour, day } = SPANS[table]
  return `
    create or replace function ${table}_into_its_table() returns trigger language plpgsql as $$
    declare
      span bigint := case new.step when 'minute' then ${minute} when 'hour' then ${hour} else ${day} end;
      begins timestamp := to_timestamp((new.at - new.at % span) / 1000) at time zone 'UTC';
      its_own regclass := (
        select c.oid from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = tg_relid
          and c.relname = tg_table_name || '_' || new.step || '_' || to_char(begins, 'YYYYMMDD'));
    begin
      if its_own is null then
        return new;
      end if;
      execute format('insert into %s as there select ($1).* on conflict (${KEYS[table]}) do update set ${ADDED}', its_own)
        using new;
      return null;
    end $$`
}

/**
 * Counts of visits have tables of their own for each stretch of time, which clean-up makes and drops, and this version names.
 * The version before goes on naming the one it knows: what it adds comes to be in the same rows.
 */
export const trafficTables: Migration = {
  name: '0023-traffic-tables',
  async up(db) {
    if (!isPostgres(db)) return
    for (const table of ['traffic', 'traffic_paths'] as const) {
      await sql.raw(createFunction(table)).execute(db)
      await sql
        .raw(
          `create trigger into_its_table before insert on ${table}
           for each row execute function ${table}_into_its_table()`,
        )
        .execute(db)
    }
  },
}
