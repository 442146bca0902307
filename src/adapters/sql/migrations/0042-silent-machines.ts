import type { Migration } from './migration.ts'

/** Machines that are not heard of are looked for whenever instances are listed. */
export const silentMachines: Migration = {
  name: '0042-silent-machines',
  async up({ schema }) {
    await schema.createIndex('machines_heard').on('machines').columns(['role', 'heard_at']).execute()
  },
}
