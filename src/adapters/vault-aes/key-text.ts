export const KEY_BYTES = 32

/** Reads base64 (either alphabet) of exactly 32 bytes; undefined for anything else. */
export function readKeyText(text: string): Buffer | undefined {
  if (!/^(?:[A-Za-z0-9+/]{43}|[A-Za-z0-9_-]{43})=?$/.test(text)) return undefined
  return Buffer.from(text, 'base64')
}
