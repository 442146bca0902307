/** How many bits the code of each byte has, by RFC 7541, appendix B. The codes follow from it: it is a canonical code. */
const BITS = [
  [13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28],
  [28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  [6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6],
  [5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10],
  [13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7],
  [7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  [15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5],
  [6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  [20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23],
  [24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24],
  [22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23],
  [21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23],
  [26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25],
  [19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27],
  [20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23],
  [26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26],
].flat()

/**
 * Tables of 256 entries, by the next eight bits. An entry is the byte with the number of bits that are its own above
 * it, or, negative, the table for the bits that follow, or 0 where nothing is meant.
 */
const TABLES = createTables()

/** Undefined when it is not a whole code. `scratch` has room for what comes of it: 8 bytes for 5. */
export function decodeHuffman(bytes: Buffer, from: number, to: number, scratch: Buffer): string | undefined {
  let length = 0
  let pending = 0
  let bits = 0
  let table = 0
  for (let at = from; at < to; at++) {
    pending = ((pending << 8) | (bytes[at] as number)) & 0xffff
    bits += 8
    while (bits >= 8) {
      const entry = TABLES[table + ((pending >>> (bits - 8)) & 0xff)] as number
      if (entry === 0) return undefined
      if (entry < 0) {
        table = -entry
        bits -= 8
      } else {
        scratch[length++] = entry & 0xff
        bits -= entry >>> 8
        table = 0
      }
    }
  }
  while (bits > 0) {
    const entry = TABLES[table + ((pending << (8 - bits)) & 0xff)] as number
    if (entry <= 0 || entry >>> 8 > bits) break
    scratch[length++] = entry & 0xff
    bits -= entry >>> 8
    table = 0
  }
  // It is filled up to a whole byte with ones, and never by as much as a byte.
  const filling = (1 << bits) - 1
  if (table !== 0 || (pending & filling) !== filling) return undefined
  return scratch.toString('latin1', 0, length)
}

function createTables(): Int32Array {
  const tables = [new Int32Array(256)]
  let code = 0
  let length = 0
  for (const [byte, bits] of [...BITS.entries()].sort(([a, x], [b, y]) => x - y || a - b)) {
    code <<= bits - length
    length = bits
    put(tables, code++, bits, byte)
  }
  const all = new Int32Array(256 * tables.length)
  for (const [index, table] of tables.entries()) all.set(table, 256 * index)
  return all
}

function put(tables: Int32Array[], code: number, bits: number, byte: number): void {
  let table = tables[0] as Int32Array
  let left = bits
  while (left > 8) {
    left -= 8
    const index = (code >>> left) & 0xff
    if (table[index] === 0) {
      table[index] = -256 * tables.length
      tables.push(new Int32Array(256))
    }
    table = tables[-(table[index] as number) / 256] as Int32Array
  }
  const first = (code << (8 - left)) & 0xff
  table.fill((left << 8) | byte, first, first + (1 << (8 - left)))
}
