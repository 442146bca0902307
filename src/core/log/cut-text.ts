const encoder = new TextEncoder()
const scratch = new Uint8Array(8192)

/**
 * The beginning of a text that takes at most this many bytes (up to 8192) as UTF-8, ending with a whole
 * character. Half surrogates and NUL, which not every database can hold, become U+FFFD.
 */
export function cutText(text: string, bytes: number): string {
  const clean = text.toWellFormed().replaceAll('\0', '\ufffd')
  // No UTF-16 unit takes more than three bytes.
  if (clean.length * 3 <= bytes) return clean
  const { read } = encoder.encodeInto(clean, scratch.subarray(0, bytes))
  return read < clean.length ? clean.slice(0, read) : clean
}
