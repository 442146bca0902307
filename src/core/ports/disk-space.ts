/**
 * The disk that holds what this machine keeps. What grows by itself stops before the disk is full, so that deleting, which
 * has to write before it frees anything, always has room.
 */
export interface DiskSpace {
  /** Bytes that are free, as of about now. */
  free(): number
  /** Whether so much is free that there may be more logs, or more content. Logs stop first. */
  hasRoomFor(use: 'logs' | 'content'): boolean
}
