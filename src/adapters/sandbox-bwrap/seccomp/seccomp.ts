import { EXAMINED_SYSCALLS, REFUSED_SYSCALLS } from './syscalls.ts'

// Classic BPF over `struct seccomp_data`: nr at 0, arch at 4, the arguments from 16 on, eight bytes each.
const LOAD = 0x20
const IF_EQUAL = 0x15
const IF_AT_LEAST = 0x35
const IF_ANY_BIT = 0x45
const RETURN = 0x06
const NR = 0
const ARCH = 4
/** The low half of an argument: both machines are little-endian, and the flags looked at lie in it. */
const argument = (n: number) => 16 + 8 * n

const ALLOW = 0x7fff0000
const refuse = (errno: number) => 0x00050000 | errno
const EPERM = 1
const ENOSYS = 38
const EOPNOTSUPP = 95
const EAFNOSUPPORT = 97

const X32_CALLS = 0x40000000
const NEW_NAMESPACES = 0x7e020000
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const PERSONALITY_QUERY = 0xffffffff
const FALLOC_FL_PUNCH_HOLE = 2

const MACHINES = {
  x64: { column: 0, arch: 0xc000003e },
  arm64: { column: 1, arch: 0xc00000b7 },
} as const

type Instruction = readonly [code: number, value: number, ifSo: number, ifNot: number]

const load = (offset: number): Instruction => [LOAD, offset, 0, 0]
const answer = (value: number): Instruction => [RETURN, value, 0, 0]
/** Answers where the loaded value fits, else goes on with the next. */
const when = (test: number, value: number, result: number): readonly Instruction[] => [
  [test, value, 0, 1],
  answer(result),
]
/** Goes through `then` where the loaded call is `nr`; each `then` ends in an answer. */
const onCall = (nr: number, then: readonly Instruction[]): readonly Instruction[] => [
  [IF_EQUAL, nr, 0, then.length],
  ...then,
]

function instructions(column: 0 | 1, arch: number): readonly Instruction[] {
  const nr = (name: keyof typeof EXAMINED_SYSCALLS) => EXAMINED_SYSCALLS[name][column]
  return [
    load(ARCH),
    [IF_EQUAL, arch, 1, 0],
    answer(refuse(ENOSYS)),
    load(NR),
    ...(column === 0 ? when(IF_AT_LEAST, X32_CALLS, refuse(ENOSYS)) : []),
    ...Object.values(REFUSED_SYSCALLS).flatMap((numbers) => {
      const refused = numbers[column]
      return refused === null ? [] : when(IF_EQUAL, refused, refuse(EPERM))
    }),
    // Its flags lie in memory, out of a filter's sight; libraries fall back to clone.
    ...when(IF_EQUAL, nr('clone3'), refuse(ENOSYS)),
    ...onCall(nr('clone'), [
      load(argument(0)),
      ...when(IF_ANY_BIT, NEW_NAMESPACES, refuse(EPERM)),
      answer(ALLOW),
    ]),
    // Families such as VSOCK reach the machine's host past any network namespace.
    ...onCall(nr('socket'), [
      load(argument(0)),
      ...[AF_UNIX, AF_INET, AF_INET6].flatMap((family) => when(IF_EQUAL, family, ALLOW)),
      ...[[IF_EQUAL, AF_NETLINK, 1, 0] as const, answer(refuse(EAFNOSUPPORT))],
      // Only routes, which libraries read to list the interfaces.
      load(argument(2)),
      ...when(IF_EQUAL, 0, ALLOW),
      answer(refuse(EAFNOSUPPORT)),
    ]),
    ...onCall(nr('ioctl'), [
      load(argument(1)),
      ...when(IF_EQUAL, TIOCSTI, refuse(EPERM)),
      ...when(IF_EQUAL, TIOCLINUX, refuse(EPERM)),
      answer(ALLOW),
    ]),
    ...onCall(nr('personality'), [
      load(argument(0)),
      ...when(IF_EQUAL, 0, ALLOW),
      ...when(IF_EQUAL, PERSONALITY_QUERY, ALLOW),
      answer(refuse(EPERM)),
    ]),
    // It claims a disk at once, where to fill it by writing takes long enough to be noticed. Libraries write instead.
    ...onCall(nr('fallocate'), [
      load(argument(1)),
      ...when(IF_ANY_BIT, FALLOC_FL_PUNCH_HOLE, ALLOW),
      answer(refuse(EOPNOTSUPP)),
    ]),
    answer(ALLOW),
  ]
}

/** The filter as bubblewrap reads it, or undefined on a machine whose call numbers are not in the table. */
export function seccompFilter(machine: string): Buffer | undefined {
  if (machine !== 'x64' && machine !== 'arm64') return undefined
  const { column, arch } = MACHINES[machine]
  const program = instructions(column, arch)
  const bytes = Buffer.alloc(program.length * 8)
  for (const [i, [code, value, ifSo, ifNot]] of program.entries()) {
    bytes.writeUInt16LE(code, i * 8)
    bytes.writeUInt8(ifSo, i * 8 + 2)
    bytes.writeUInt8(ifNot, i * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, i * 8 + 4)
  }
  return bytes
}
