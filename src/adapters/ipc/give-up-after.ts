/**
 * Calls `giveUp` when no answer has come in time. Timers come before sockets in a turn of the event loop: where this process was
 * held up, the answer may have arrived without having been read, so the sockets are read once more before.
 */
export const giveUpAfter = (timeout: number, giveUp: () => void): NodeJS.Timeout =>
  setTimeout(() => setImmediate(giveUp), timeout)
