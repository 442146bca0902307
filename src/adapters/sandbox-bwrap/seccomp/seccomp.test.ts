import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seccompFilter } from './seccomp.ts'

const ALLOW = 0x7fff0000
const errno = (n: number) => 0x00050000 + n

/** What the kernel would answer: its interpreter, for the instructions that filters of ours have. */
function evaluate(filter: Buffer, arch: number, nr: number, ...args: readonly number[]): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(nr, 0)
  data.writeUInt32LE(arch, 4)
  for (const [i, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * i)
  let loaded = 0
  for (let at = 0; ; at += 8) {
    const code = filter.readUInt16LE(at)
    const value = filter.readUInt32LE(at + 4)
    const jump = (so: boolean) => {
      at += 8 * filter.readUInt8(at + (so ? 2 : 3))
    }
    if (code === 0x20) loaded = data.readUInt32LE(value)
    else if (code === 0x15) jump(loaded === value)
    else if (code === 0x35) jump(loaded >= value)
    else if (code === 0x45) jump((loaded & value) !== 0)
    else if (code === 0x06) return value
    else assert.fail(`unknown instruction ${code}`)
  }
}

const MACHINES = [
  {
    machine: 'x64',
    arch: 0xc000003e,
    calls: {
      read: 0,
      clone: 56,
      socket: 41,
      ioctl: 16,
      personality: 135,
      mount: 165,
      unshare: 272,
      fallocate: 285,
    },
  },
  {
    machine: 'arm64',
    arch: 0xc00000b7,
    calls: {
      read: 63,
      clone: 220,
      socket: 198,
      ioctl: 29,
      personality: 92,
      mount: 40,
      unshare: 97,
      fallocate: 47,
    },
  },
] as const

for (const { machine, arch, calls } of MACHINES)
  describe(`the system call filter on ${machine}`, () => {
    const filter = seccompFilter(machine) ?? assert.fail()
    const answer = (nr: number, ...args: readonly number[]) => evaluate(filter, arch, nr, ...args)

    it('lets ordinary calls through and refuses those of the list', () => {
      assert.equal(answer(calls.read, 0, 0, 0), ALLOW)
      assert.equal(answer(calls.mount), errno(1))
      assert.equal(answer(calls.unshare, 0x10000000), errno(1))
      for (const ioUring of [425, 426, 427]) assert.equal(answer(ioUring), errno(1))
    })

    it('lets threads and processes be made, but no namespaces', () => {
      assert.equal(answer(calls.clone, 17), ALLOW)
      assert.equal(answer(calls.clone, 0x003d0f00), ALLOW)
      for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
        assert.equal(answer(calls.clone, flag | 17), errno(1))
      assert.equal(answer(435), errno(38))
    })

    it('lets only ordinary sockets be made', () => {
      for (const family of [1, 2, 10]) assert.equal(answer(calls.socket, family, 1, 6), ALLOW)
      assert.equal(answer(calls.socket, 16, 3, 0), ALLOW)
      assert.equal(answer(calls.socket, 16, 3, 12), errno(97))
      for (const family of [17, 38, 40]) assert.equal(answer(calls.socket, family, 1, 0), errno(97))
    })

    it('refuses typing into terminals and other personalities', () => {
      assert.equal(answer(calls.ioctl, 0, 0x5412), errno(1))
      assert.equal(answer(calls.ioctl, 0, 0x5413), ALLOW)
      assert.equal(answer(calls.personality, 0xffffffff), ALLOW)
      assert.equal(answer(calls.personality, 0x40000), errno(1))
    })

    it('lets space be given back, and claimed only by writing', () => {
      for (const mode of [0, 1, 0x10]) assert.equal(answer(calls.fallocate, 3, mode), errno(95))
      assert.equal(answer(calls.fallocate, 3, 3), ALLOW)
    })

    it('refuses the calls of other machines', () => {
      assert.equal(evaluate(filter, 0x40000003, calls.read), errno(38))
      if (machine === 'x64') assert.equal(answer(0x40000000 + calls.read), errno(38))
    })
  })

it('there is no filter for machines whose calls are not known', () => {
  assert.equal(seccompFilter('riscv64'), undefined)
})
