const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] as number)
  return (value ^ 0xffffffff) >>> 0
}

const END = 0x06054b50
const END_64 = 0x06064b50
const END_BYTES = 22
const ENTRY_BYTES = 46
/** Says that a name is UTF-8. */
const UTF8 = 0x800

/** Where the list of entries begins, and how many there are. */
function directoryOf(view: DataView): { readonly at: number; readonly count: number } {
  let end = view.byteLength - END_BYTES
  while (view.getUint32(end, true) !== END) end--
  const [count, at] = [view.getUint16(end + 8, true), view.getUint32(end + 16, true)]
  if (at !== 0xffffffff && count !== 0xffff) return { at, count }
  const long = view.getUint32(end - 12, true)
  if (view.getUint32(long, true) !== END_64) return { at, count }
  return { count: view.getUint32(long + 32, true), at: view.getUint32(long + 48, true) }
}

/** What each entry says its content comes to, by its name; throws where it is no zip. */
export function checksumsOf(zip: Uint8Array): ReadonlyMap<string, number> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength)
  const sums = new Map<string, number>()
  let { at, count } = directoryOf(view)
  for (; count > 0; count--) {
    const length = view.getUint16(at + 28, true)
    const name = zip.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + length)
    const isUtf8 = (view.getUint16(at + 8, true) & UTF8) !== 0
    sums.set(isUtf8 ? new TextDecoder().decode(name) : latin1(name), view.getUint32(at + 16, true))
    at += ENTRY_BYTES + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return sums
}

/** As the reader of zips has names without the mark: byte by byte. */
function latin1(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
