/**
 * For so much of itself a disk has one file, folder or link: ext4, as it is usually made, has as many. They run out like
 * its space does, and those that are empty count as well.
 */
const ENTRY_BYTES = 16 * 1024

/** What files take of a budget for a disk. */
export const diskUse = ({ bytes, entries }: { readonly bytes: number; readonly entries: number }): number =>
  bytes + entries * ENTRY_BYTES
